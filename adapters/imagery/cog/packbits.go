package cog

import (
	"bytes"
	"io"
)

// packBits unpacks Apple's run lengths (TIFF 6.0, section 9): a signed byte n, then n + 1 bytes as
// they are, or for a negative n one byte that counts 1 − n times. −128 stands for nothing.
type packBits struct {
	in     *bytes.Reader
	left   int  // bytes left of the present run
	repeat bool // the run is one byte, many times
	value  byte
}

func (p *packBits) Read(out []byte) (n int, err error) {
	for n < len(out) {
		if p.left == 0 {
			if err := p.next(); err != nil {
				return n, err
			}
			continue
		}
		part := out[n:min(n+p.left, len(out))]
		if p.repeat {
			for i := range part {
				part[i] = p.value
			}
		} else if _, err := io.ReadFull(p.in, part); err != nil {
			return n, io.ErrUnexpectedEOF
		}
		n += len(part)
		p.left -= len(part)
	}
	return n, nil
}

// next begins the next run.
func (p *packBits) next() error {
	head, err := p.in.ReadByte()
	if err != nil {
		return err
	}
	switch length := int(int8(head)); {
	case length == -128:
	case length >= 0:
		p.left, p.repeat = length+1, false
	default:
		p.left, p.repeat = 1-length, true
		if p.value, err = p.in.ReadByte(); err != nil {
			return io.ErrUnexpectedEOF
		}
	}
	return nil
}
