package objects

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"net/http"
	"path"
	"strings"
	"time"

	"github.com/minio/minio-go/v7"

	"tilth/core/fault"
	"tilth/ports"
)

// Bucket stores files in a bucket that speaks the protocol of S3, below a prefix. Every process that knows the address
// sees the same files.
//
// A request is tried a few times with growing, jittered pauses, by the client if the answer is a failure or does not come,
// by us if an answer breaks off.
type Bucket struct {
	// PartSize is the number of bytes up to which a file is sent by one request, of which a kill leaves nothing. A longer
	// file is sent in parts of that size, 5 MiB or more.
	PartSize int64

	client *minio.Client
	core   minio.Core
	at     place
}

const (
	bucketTries = 4                // of one request
	dialWait    = 5 * time.Second  // for a connection
	silence     = 30 * time.Second // within which a connection must send or receive something
	requestWait = time.Minute      // for a request of few bytes, with all of its tries
)

// impatient is a connection that breaks off when nothing moves.
type impatient struct{ net.Conn }

func (c impatient) Read(p []byte) (int, error) {
	if err := c.SetReadDeadline(time.Now().Add(silence)); err != nil {
		return 0, err
	}
	return c.Conn.Read(p)
}

func (c impatient) Write(p []byte) (int, error) {
	if err := c.SetWriteDeadline(time.Now().Add(silence)); err != nil {
		return 0, err
	}
	return c.Conn.Write(p)
}

func dial(ctx context.Context, network, address string) (net.Conn, error) {
	conn, err := (&net.Dialer{Timeout: dialWait}).DialContext(ctx, network, address)
	if err != nil {
		return nil, err
	}
	return impatient{conn}, nil
}

func openBucket(address string) (*Bucket, error) {
	at, err := parsePlace(address)
	if err != nil {
		return nil, err
	}
	client, err := minio.New(at.host, &minio.Options{
		Creds: newCredentials(), Secure: at.secure, Region: at.region, BucketLookup: at.lookup, MaxRetries: bucketTries,
		Transport: &http.Transport{
			Proxy:                 http.ProxyFromEnvironment,
			DialContext:           dial,
			TLSHandshakeTimeout:   dialWait,
			ResponseHeaderTimeout: silence,
			MaxIdleConnsPerHost:   64,
			IdleConnTimeout:       silence / 2,
			DisableCompression:    true, // what is stored compressed is read as it is
		},
	})
	if err != nil {
		return nil, fmt.Errorf("the address %q of the objects: %w", address, err)
	}
	return &Bucket{PartSize: usualPart, client: client, core: minio.Core{Client: client}, at: at}, nil
}

// Describe returns where the files are.
func (b *Bucket) Describe() string {
	return "bucket " + b.at.bucket + "/" + b.at.prefix + " at " + b.at.host
}

// key returns the key of a name. Names come from the program; one that leaves the prefix is a defect.
func (b *Bucket) key(name string) (string, error) {
	if !fs.ValidPath(name) || name == "." {
		return "", fmt.Errorf("the object name %q leaves its folder", name)
	}
	return path.Join(b.at.prefix, name), nil
}

// failed turns an error of the store into a fault; ctx is the caller's.
func (b *Bucket) failed(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	var answer minio.ErrorResponse
	if errors.As(err, &answer) {
		switch {
		case answer.Code == minio.NoSuchKey:
			return fault.Missing("file")
		case answer.Code == minio.NoSuchBucket:
			err = fmt.Errorf("there is no bucket %s: %w", b.at.bucket, err)
		case answer.StatusCode == http.StatusForbidden:
			err = fmt.Errorf("the store refuses these credentials (%s): %w", answer.Code, err)
		}
	}
	return unavailable(err)
}

// Open implements ports.Objects.
func (b *Bucket) Open(ctx context.Context, name string) (ports.Object, error) {
	key, err := b.key(name)
	if err != nil {
		return nil, err
	}
	within, cancel := context.WithTimeout(ctx, requestWait)
	defer cancel()
	info, err := b.client.StatObject(within, b.at.bucket, key, minio.StatObjectOptions{})
	if err != nil {
		return nil, b.failed(ctx, err)
	}
	return newRanged(ctx, info.Size, func(ctx context.Context, p []byte, off int64) error {
		return b.read(ctx, key, info.ETag, p, off)
	}), nil
}

// Remove implements ports.Objects.
func (b *Bucket) Remove(ctx context.Context, name string) error {
	key, err := b.key(name)
	if err != nil {
		return err
	}
	return b.remove(ctx, key)
}

func (b *Bucket) remove(ctx context.Context, key string) error {
	within, cancel := context.WithTimeout(ctx, requestWait)
	defer cancel()
	err := b.client.RemoveObject(within, b.at.bucket, key, minio.RemoveObjectOptions{})
	if err == nil || minio.ToErrorResponse(err).Code == minio.NoSuchKey {
		return nil
	}
	return b.failed(ctx, err)
}

// Names lists the stored files, sorted.
func (b *Bucket) Names(ctx context.Context) (out []string, err error) {
	root := b.below("")
	for info, err := range b.list(ctx, root, true) {
		if err != nil {
			return nil, err
		}
		out = append(out, strings.TrimPrefix(info.Key, root))
	}
	return out, nil
}

// below returns the prefix of the keys in a folder.
func (b *Bucket) below(folder string) string {
	if prefix := path.Join(b.at.prefix, folder); prefix != "" {
		return prefix + "/"
	}
	return ""
}

// list returns the objects whose keys begin with prefix, in pages: all of them, or only those without a further slash.
func (b *Bucket) list(ctx context.Context, prefix string, all bool) func(yield func(minio.ObjectInfo, error) bool) {
	return func(yield func(minio.ObjectInfo, error) bool) {
		within, cancel := context.WithCancel(ctx)
		defer cancel()
		for info := range b.client.ListObjectsIter(within, b.at.bucket, minio.ListObjectsOptions{Prefix: prefix, Recursive: all}) {
			if info.Err != nil {
				yield(info, b.failed(ctx, info.Err))
				return
			}
			if strings.HasSuffix(info.Key, "/") {
				continue // a folder
			}
			if !yield(info, nil) {
				return
			}
		}
	}
}

// RemoveOlder implements ports.Objects. It also gives up what a killed Put left behind.
func (b *Bucket) RemoveOlder(ctx context.Context, folder string, before time.Time) error {
	if _, err := b.key(folder); err != nil {
		return err
	}
	for info, err := range b.list(ctx, b.below(folder), false) {
		if err == nil && info.LastModified.Before(before) {
			err = b.remove(ctx, info.Key)
		}
		if err != nil {
			return err
		}
	}
	return b.giveUp(ctx, b.below(folder), before)
}

// giveUp removes the parts of uploads that began before a time and have not ended.
func (b *Bucket) giveUp(ctx context.Context, prefix string, before time.Time) error {
	within, cancel := context.WithCancel(ctx)
	defer cancel()
	for upload := range b.client.ListIncompleteUploads(within, b.at.bucket, prefix, true) {
		err := upload.Err
		if err == nil && upload.Initiated.Before(before) {
			err = b.core.AbortMultipartUpload(within, b.at.bucket, upload.Key, upload.UploadID)
		}
		if err != nil && minio.ToErrorResponse(err).Code != minio.NoSuchUpload {
			return b.failed(ctx, err)
		}
	}
	return nil
}

// Check asks whether the bucket answers and accepts these credentials.
func (b *Bucket) Check(ctx context.Context) error {
	value, err := b.client.GetCreds()
	if err == nil && value.SignerType.IsAnonymous() {
		err = errNoCredentials
	}
	if err == nil {
		for info := range b.client.ListObjectsIter(ctx, b.at.bucket, minio.ListObjectsOptions{Prefix: b.below(""), MaxKeys: 1}) {
			err = info.Err
			break
		}
	}
	if err != nil {
		return b.failed(ctx, err)
	}
	return nil
}
