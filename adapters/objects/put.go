package objects

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"

	"github.com/minio/minio-go/v7"
)

const (
	heldInMemory = 256 << 10 // bytes of a file that is about to be stored; a longer one waits on the disk
	partsAtOnce  = 2
	usualPart    = 64 << 20 // bytes: 10,000 parts are 640 GB
)

// content is a whole file that can be read again and again: a request that fails is sent anew.
type content interface {
	io.ReadSeeker
	io.ReaderAt
}

// Put implements ports.Objects. Other readers are read to their end before anything is sent, so that a sender that leaves, or is
// slow, does not affect the store: short content is held in memory, longer content in a file of the system's temporary folder.
func (b *Bucket) Put(ctx context.Context, name string, from io.Reader) (size int64, err error) {
	key, err := b.key(name)
	if err != nil {
		return 0, err
	}
	source := &watched{ctx: ctx, in: from}
	whole, ready := from.(content)
	if !ready {
		held, err := hold(source)
		if err != nil {
			if source.err != nil {
				return 0, source.err
			}
			return 0, unavailable(err)
		}
		defer func() { err = errors.Join(err, held.close()) }()
		whole = held.content
	}
	start, err := whole.Seek(0, io.SeekCurrent)
	if err != nil {
		return 0, err
	}
	end, err := whole.Seek(0, io.SeekEnd)
	if err != nil {
		return 0, err
	}
	size = end - start
	options := minio.PutObjectOptions{
		PartSize: uint64(b.PartSize), NumThreads: partsAtOnce, DisableMultipart: size <= b.PartSize, ContentType: "application/octet-stream",
		// An empty file has no content to sign. Were it sent in signed pieces all the same, some servers would leave the last
		// of them unread, and then take it for the next request of the connection.
		DisableContentSha256: size == 0,
	}
	if _, err := b.client.PutObject(ctx, b.at.bucket, key, io.NewSectionReader(whole, start, size), size, options); err != nil {
		return 0, b.failed(ctx, err)
	}
	return size, nil
}

// held is the content of a reader.
type held struct {
	content
	close func() error
}

// hold reads a reader to its end.
func hold(from io.Reader) (*held, error) {
	var start bytes.Buffer
	if _, err := io.CopyN(&start, from, heldInMemory); errors.Is(err, io.EOF) {
		return &held{bytes.NewReader(start.Bytes()), func() error { return nil }}, nil
	} else if err != nil {
		return nil, err
	}
	file, err := os.CreateTemp("", "tilth-object-*")
	if err != nil {
		return nil, err
	}
	// Where the system allows it, the name goes at once, and a kill leaves nothing.
	gone := os.Remove(file.Name()) == nil
	out := &held{file, func() error {
		err := file.Close()
		if !gone {
			err = errors.Join(err, os.Remove(file.Name()))
		}
		return err
	}}
	_, err = io.Copy(file, io.MultiReader(&start, from))
	if err == nil {
		_, err = file.Seek(0, io.SeekStart)
	}
	if err != nil {
		return nil, errors.Join(err, out.close())
	}
	return out, nil
}
