package moving

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"iter"

	"tilth/core/moving"
)

// maxLine bounds the size of a row: the largest holds the labels of a map.
const maxLine = 300 << 20

// lines reads the rows of a table.
type lines struct {
	file string
	from io.ReadCloser
	read *bufio.Reader
	line int64 // the number of the last line read
	text []byte
}

func (in *importing) lines(t moving.Table) (*lines, error) {
	from, err := in.file.Open(t.File, t.Bytes)
	if err != nil {
		return nil, err
	}
	return &lines{file: t.File, from: from, read: bufio.NewReaderSize(from, buffered)}, nil
}

func (l *lines) close() error { return l.from.Close() }

// wrong returns an error about the last line.
func (l *lines) wrong(err error) error { return refuse("%s, line %d: %v", l.file, l.line, err) }

// next returns the next line, which is valid until the following call; io.EOF after the last.
func (l *lines) next() ([]byte, error) {
	l.text = l.text[:0]
	for {
		part, err := l.read.ReadSlice('\n')
		l.text = append(l.text, part...)
		switch {
		case errors.Is(err, bufio.ErrBufferFull):
			if len(l.text) > maxLine {
				l.line++
				return nil, l.wrong(fmt.Errorf("it is larger than %d MiB", maxLine>>20))
			}
			continue
		case errors.Is(err, io.EOF) && len(l.text) == 0:
			return nil, io.EOF
		case err != nil && !errors.Is(err, io.EOF):
			return nil, err
		}
		l.line++
		return bytes.TrimSuffix(l.text, []byte{'\n'}), nil
	}
}

// each yields the lines that pass a check.
func (l *lines) each(check func([]byte) error) iter.Seq2[[]byte, error] {
	return func(yield func([]byte, error) bool) {
		for {
			text, err := l.next()
			if errors.Is(err, io.EOF) {
				return
			}
			if err == nil {
				err = check(text)
			}
			if !yield(text, err) || err != nil {
				return
			}
		}
	}
}

// parsed returns the next row; nil after the last.
func (l *lines) parsed() (moving.Line, error) {
	text, err := l.next()
	if errors.Is(err, io.EOF) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	line, err := moving.ReadLine(text)
	if err != nil {
		return nil, l.wrong(err)
	}
	return line, nil
}

// some returns the rows of a table, which may be missing from the file.
func (in *importing) some(table string) (*lines, error) {
	listed, ok := in.manifest.Table(table)
	if !ok {
		return &lines{file: moving.TableFile(table), from: io.NopCloser(nil), read: bufio.NewReader(bytes.NewReader(nil))}, nil
	}
	return in.lines(listed)
}
