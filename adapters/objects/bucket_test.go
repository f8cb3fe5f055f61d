package objects_test

import (
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/minio/minio-go/v7"
	"github.com/stretchr/testify/require"

	"tilth/adapters/objects"
	"tilth/core/fault"
	"tilth/tests/s3test"
)

func TestAddressesOfBuckets(t *testing.T) {
	for address, wrong := range map[string]string{
		"s3://":                                            "names no bucket",
		"s3:bucket":                                        "names no bucket",
		"s3://KEY:hunter2@bucket/x":                        "holds a key. Fix: ",
		"s3://bucket/x?endpiont=https://a":                 "endpiont",
		"s3://bucket/x?region=a&region=b":                  "region",
		"s3://bucket/x?path_style=perhaps":                 "path_style",
		"s3://bucket/x?endpoint=ftp://a":                   "endpoint",
		"s3://bucket/x?endpoint=https://u:p@a":             "endpoint",
		"s3://bucket/x?endpoint=https://a/b":               "endpoint",
		"s3://bucket/x?endpoint=https://a&path_style=1%zz": "objects",
	} {
		_, err := objects.Open(address)
		require.ErrorContains(t, err, wrong, address)
		require.NotContains(t, err.Error(), "hunter2")
	}
	for address, says := range map[string]string{
		"s3://bucket": "bucket bucket/ at s3.amazonaws.com",
		"s3://bucket/a/b/?endpoint=http://127.0.0.1:9000&region=x&path_style=true": "bucket bucket/a/b at 127.0.0.1:9000",
		"s3://bucket/a?endpoint=store.example.org":                                 "bucket bucket/a at store.example.org",
	} {
		store, err := objects.Open(address)
		require.NoError(t, err, address)
		require.Equal(t, says, store.Describe())
	}
}

func TestTroublesOfAStoreThatPass(t *testing.T) {
	server := s3test.Start(t)
	front := server.Front(t)
	store, err := objects.Open(s3test.AddressAt(front.URL, "x"))
	require.NoError(t, err)
	_, err = store.Put(t.Context(), "layers/a", strings.NewReader(strings.Repeat("content ", 100_000)))
	require.NoError(t, err)
	var asked atomic.Int64
	// Every second request fails, or breaks off in the middle of its answer.
	front.Do(func(w http.ResponseWriter, r *http.Request, next http.Handler) {
		switch n := asked.Add(1); {
		case n%4 == 1:
			w.WriteHeader(http.StatusServiceUnavailable)
		case n%4 == 3 && r.Method == http.MethodGet:
			next.ServeHTTP(&short{ResponseWriter: w}, r)
			panic(http.ErrAbortHandler)
		default:
			next.ServeHTTP(w, r)
		}
	})
	require.Equal(t, strings.Repeat("content ", 100_000), content(t, store, "layers/a"))
	_, err = store.Put(t.Context(), "layers/b", unseen{strings.NewReader(strings.Repeat("more ", 100_000))})
	require.NoError(t, err)
	require.NoError(t, store.Remove(t.Context(), "layers/a"))
	found, err := store.Names(t.Context())
	require.NoError(t, err)
	require.Equal(t, []string{"layers/b"}, found)
	require.Equal(t, strings.Repeat("more ", 100_000), content(t, store, "layers/b"))
}

// short passes on the first bytes of an answer.
type short struct {
	http.ResponseWriter
	sent int
}

func TestAnEmptyFileSendsNothingBesideItsHead(t *testing.T) {
	server := s3test.Start(t)
	front := server.Front(t)
	store, err := objects.Open(s3test.AddressAt(front.URL, "x"))
	require.NoError(t, err)
	var sent atomic.Int64
	front.Do(func(w http.ResponseWriter, r *http.Request, next http.Handler) {
		sent.Add(r.ContentLength)
		next.ServeHTTP(w, r)
	})
	_, err = store.Put(t.Context(), "none", strings.NewReader(""))
	require.NoError(t, err)
	require.Zero(t, sent.Load(), "what a server leaves unread would begin the next request of the connection")
	require.Empty(t, content(t, store, "none"))
}

func (s *short) Write(p []byte) (int, error) {
	n := min(len(p), max(0, 5000-s.sent))
	s.sent += n
	if _, err := s.ResponseWriter.Write(p[:n]); err != nil {
		return 0, err
	}
	return len(p), nil
}

func TestAStoreThatIsAway(t *testing.T) {
	server := s3test.Start(t)
	front := server.Front(t)
	store, err := objects.Open(s3test.AddressAt(front.URL, "x"))
	require.NoError(t, err)
	_, err = store.Put(t.Context(), "a", strings.NewReader("hello"))
	require.NoError(t, err)
	o, err := store.Open(t.Context(), "a")
	require.NoError(t, err)
	defer func() { require.NoError(t, o.Close()) }()
	front.Do(func(http.ResponseWriter, *http.Request, http.Handler) { panic(http.ErrAbortHandler) })
	_, err = o.ReadAt(make([]byte, 5), 0)
	require.True(t, fault.Is(err, fault.Unavailable), "%v", err)
	_, err = store.Open(t.Context(), "a")
	require.True(t, fault.Is(err, fault.Unavailable), "%v", err)
	_, err = store.Put(t.Context(), "b", strings.NewReader("hello"))
	require.True(t, fault.Is(err, fault.Unavailable), "%v", err)
	require.True(t, fault.Is(store.Remove(t.Context(), "a"), fault.Unavailable))
	require.True(t, fault.Is(store.Check(t.Context()), fault.Unavailable))
	front.Do(nil)
	require.NoError(t, store.Check(t.Context()))
	_, err = o.ReadAt(make([]byte, 5), 0)
	require.NoError(t, err)
}

// An object that is replaced or removed while it is read yields neither a mixture of two nor a 404.
func TestAnObjectThatChangesUnderItsReader(t *testing.T) {
	server := s3test.Start(t)
	store, err := objects.Open(server.Address("x"))
	require.NoError(t, err)
	for _, change := range []func() error{
		func() error { _, err := store.Put(t.Context(), "a", strings.NewReader("HELLO")); return err },
		func() error { return store.Remove(t.Context(), "a") },
	} {
		_, err = store.Put(t.Context(), "a", strings.NewReader("hello"))
		require.NoError(t, err)
		o, err := store.Open(t.Context(), "a")
		require.NoError(t, err)
		require.NoError(t, change())
		_, err = o.ReadAt(make([]byte, 5), 0)
		require.True(t, fault.Is(err, fault.Unavailable), "%v", err)
		require.NoError(t, o.Close())
	}
}

func TestListsOfManyPages(t *testing.T) {
	server := s3test.Start(t)
	store, err := objects.Open(server.Address("x"))
	require.NoError(t, err)
	const many = 2100
	for i := range many {
		server.Place(t, fmt.Sprintf("x/imports/%d", i))
	}
	found, err := store.Names(t.Context())
	require.NoError(t, err)
	require.Len(t, found, many)
	require.NoError(t, store.RemoveOlder(t.Context(), "imports", time.Now().Add(time.Hour)))
	found, err = store.Names(t.Context())
	require.NoError(t, err)
	require.Empty(t, found)
}

func TestLongFilesInParts(t *testing.T) {
	server := s3test.Start(t)
	store, err := objects.Open(server.Address("x"))
	require.NoError(t, err)
	store.(*objects.Bucket).PartSize = 5 << 20
	text := strings.Repeat("0123456789abcdef", 12<<20/16)
	for _, from := range []io.Reader{strings.NewReader(text), unseen{strings.NewReader(text)}} {
		size, err := store.Put(t.Context(), "layers/long", from)
		require.NoError(t, err)
		require.EqualValues(t, len(text), size)
		require.True(t, content(t, store, "layers/long") == text)
		require.NoError(t, store.Remove(t.Context(), "layers/long"))
	}

	// What a killed process leaves of an upload is removed with old files.
	core := minio.Core{Client: server.Client}
	_, err = core.NewMultipartUpload(t.Context(), server.Bucket, "x/imports/begun", minio.PutObjectOptions{})
	require.NoError(t, err)
	unfinished := func() (n int) {
		for upload := range server.Client.ListIncompleteUploads(t.Context(), server.Bucket, "x/", true) {
			require.NoError(t, upload.Err)
			n++
		}
		return n
	}
	require.Equal(t, 1, unfinished())
	require.NoError(t, store.RemoveOlder(t.Context(), "imports", time.Now().Add(-time.Hour)))
	require.Equal(t, 1, unfinished())
	require.NoError(t, store.RemoveOlder(t.Context(), "imports", time.Now().Add(time.Hour)))
	require.Zero(t, unfinished())
}

func TestCredentials(t *testing.T) {
	server := s3test.Start(t)
	check := func() error {
		store, err := objects.Open(server.Address("x"))
		require.NoError(t, err)
		return store.Check(t.Context())
	}
	require.NoError(t, check())
	t.Setenv("AWS_SECRET_ACCESS_KEY", "another")
	cause := func(err error) string {
		f, ok := fault.As(err)
		require.True(t, ok, "%v", err)
		require.Equal(t, fault.Unavailable, f.Kind)
		return f.Cause.Error()
	}
	require.Contains(t, cause(check()), "refuses these credentials")
	t.Setenv("AWS_ACCESS_KEY_ID", "")
	t.Setenv("AWS_SECRET_ACCESS_KEY", "")
	t.Setenv("AWS_SHARED_CREDENTIALS_FILE", filepath.Join(t.TempDir(), "credentials"))
	require.Contains(t, cause(check()), "no credentials were found")
	require.NoError(t, os.WriteFile(os.Getenv("AWS_SHARED_CREDENTIALS_FILE"),
		[]byte("[default]\naws_access_key_id = none\naws_secret_access_key = none\n[farm]\naws_access_key_id = "+s3test.Key+"\naws_secret_access_key = "+s3test.Secret+"\n"), 0o600))
	require.True(t, fault.Is(check(), fault.Unavailable))
	t.Setenv("AWS_PROFILE", "farm")
	require.NoError(t, check())

	missing, err := objects.Open(strings.Replace(server.Address("x"), server.Bucket, "no-such-bucket", 1))
	require.NoError(t, err)
	require.Contains(t, cause(missing.Check(t.Context())), "there is no bucket no-such-bucket")
}
