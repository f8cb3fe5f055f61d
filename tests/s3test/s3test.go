// Package s3test starts S3 servers for tests: versitygw, a program of a module of its own (server), which is built once
// per machine. It checks the signature of every request. It is for tests only.
package s3test

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httputil"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"sync"
	"testing"
	"time"

	"tilth/tests/freeport"

	"github.com/minio/minio-go/v7"
	"github.com/minio/minio-go/v7/pkg/credentials"
	"github.com/stretchr/testify/require"
)

// The credentials that the servers accept.
const (
	Key    = "tilth-test"
	Secret = "a-secret-of-tests-only"
	Region = "eu-test-1"
)

const (
	bucket = "files"
	// buildLimit and readyLimit are so long that only hangs reach them.
	buildLimit = 10 * time.Minute
	readyLimit = time.Minute
)

// Server is a running server with a bucket.
type Server struct {
	Endpoint string // http://HOST:PORT
	Client   *minio.Client
	Bucket   string

	folder string
	cmd    *exec.Cmd
}

// Start starts a server, which is stopped when the test ends. The usual variables of this process contain its keys from then on.
func Start(t testing.TB) *Server {
	t.Helper()
	for name, value := range map[string]string{
		"AWS_ACCESS_KEY_ID": Key, "AWS_SECRET_ACCESS_KEY": Secret, "AWS_REGION": Region, "AWS_EC2_METADATA_DISABLED": "true",
	} {
		require.NoError(t, os.Setenv(name, value)) //nolint:usetesting // the same for all tests of a process, which run side by side
	}
	program, err := build()
	if err != nil && os.Getenv("CI") == "" {
		t.Skipf("SKIPPED: no S3 server could be built, so nothing is stored in a bucket. Fix: let Go fetch modules. %v", err)
	}
	require.NoError(t, err)
	s := &Server{Bucket: bucket}
	require.NoError(t, s.start(t, program))
	host, err := url.Parse(s.Endpoint)
	require.NoError(t, err)
	s.Client, err = minio.New(host.Host, &minio.Options{Creds: credentials.NewStaticV4(Key, Secret, ""), Region: Region})
	require.NoError(t, err)
	require.NoError(t, s.Client.MakeBucket(t.Context(), bucket, minio.MakeBucketOptions{Region: Region}))
	return s
}

// Address returns an address of objects below a prefix.
func (s *Server) Address(prefix string) string { return AddressAt(s.Endpoint, prefix) }

// AddressAt returns the same at the endpoint of something in front of a server.
func AddressAt(endpoint, prefix string) string {
	return "s3://" + bucket + "/" + prefix + "?" + url.Values{"endpoint": {endpoint}, "region": {Region}}.Encode()
}

func (s *Server) start(t testing.TB, program string) error {
	s.folder = t.TempDir()
	port, err := freeport.Find(t.Context())
	if err != nil {
		return err
	}
	address := freeport.Address(port)
	s.Endpoint = "http://" + address
	var log bytes.Buffer
	s.cmd = exec.Command(program, s.folder, address)
	s.cmd.Stdout, s.cmd.Stderr = &log, &log
	lifeline, err := s.cmd.StdinPipe()
	if err != nil {
		return err
	}
	if err := s.cmd.Start(); err != nil {
		return err
	}
	ended := make(chan error, 1)
	go func() { ended <- s.cmd.Wait() }()
	t.Cleanup(func() {
		_ = lifeline.Close()
		_ = s.cmd.Process.Kill()
		<-ended
	})
	ctx, cancel := context.WithTimeout(t.Context(), readyLimit)
	defer cancel()
	for {
		conn, err := new(net.Dialer).DialContext(ctx, "tcp", address)
		if err == nil {
			return conn.Close()
		}
		select {
		case err := <-ended:
			ended <- err
			return fmt.Errorf("the S3 server ended: %w: %s", err, log.String())
		case <-ctx.Done():
			return fmt.Errorf("the S3 server does not answer: %w", err)
		case <-time.After(5 * time.Millisecond):
		}
	}
}

// Before is a proxy between a program and its server that can make requests fail.
type Before struct {
	URL string
	mu  sync.Mutex
	do  func(w http.ResponseWriter, r *http.Request, next http.Handler)
}

// Front puts a proxy in front of the server, which passes requests on unchanged until it is told otherwise.
func (s *Server) Front(t testing.TB) *Before {
	t.Helper()
	to, err := url.Parse(s.Endpoint)
	require.NoError(t, err)
	out := &Before{}
	proxy := &httputil.ReverseProxy{
		Rewrite:      func(r *httputil.ProxyRequest) { r.SetURL(to); r.Out.Host = r.In.Host }, // the host is part of what is signed
		Transport:    &http.Transport{DisableKeepAlives: true},
		ErrorHandler: func(w http.ResponseWriter, _ *http.Request, _ error) { w.WriteHeader(http.StatusBadGateway) },
	}
	server := newServer(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		out.mu.Lock()
		do := out.do
		out.mu.Unlock()
		if do == nil {
			proxy.ServeHTTP(w, r)
			return
		}
		do(w, r, proxy)
	}))
	out.URL = server
	return out
}

// Do sets what happens to requests; nil: they are passed on.
func (b *Before) Do(do func(w http.ResponseWriter, r *http.Request, next http.Handler)) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.do = do
}

func newServer(t testing.TB, handler http.Handler) string {
	listener, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
	require.NoError(t, err)
	server := &http.Server{Handler: handler, ReadHeaderTimeout: time.Minute}
	go func() { _ = server.Serve(listener) }() // until it is closed
	t.Cleanup(func() { _ = server.Close() })
	return "http://" + listener.Addr().String()
}

// build returns the program, and builds it if this version of it does not exist yet. Several processes may do so at a time.
var build = sync.OnceValues(func() (string, error) {
	folder, err := find()
	if err != nil {
		return "", err
	}
	digest := sha256.New()
	_, _ = digest.Write([]byte(runtime.Version()))
	for _, name := range []string{"main.go", "go.mod", "go.sum"} {
		text, err := os.ReadFile(filepath.Join(folder, name))
		if err != nil {
			return "", err
		}
		_, _ = digest.Write(text)
	}
	program := filepath.Join(os.TempDir(), fmt.Sprintf("tilth-test-s3-%d-%s", os.Getuid(), hex.EncodeToString(digest.Sum(nil)[:8])))
	if _, err := os.Stat(program); err == nil {
		return program, nil
	}
	ctx, cancel := context.WithTimeout(context.Background(), buildLimit)
	defer cancel()
	part, err := os.CreateTemp("", "tilth-test-s3-*")
	if err != nil {
		return "", err
	}
	_ = part.Close()
	defer func() { _ = os.Remove(part.Name()) }() // in case it has not become the program
	cmd := exec.CommandContext(ctx, "go", append(append([]string{"build"}, flags()...), "-o", part.Name(), ".")...)
	cmd.Dir = folder
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0", "GOWORK=off", "GOFLAGS=-buildvcs=false")
	if out, err := cmd.CombinedOutput(); err != nil {
		return "", fmt.Errorf("build the S3 server: %w: %s", err, out)
	}
	return program, os.Rename(part.Name(), program)
})

// flags returns those of make test without the detector, so that the standard library and what the program uses too, in the same
// version, are compiled once. Nobody measures the rest, which is not inlined.
func flags() []string {
	out := []string{
		fmt.Sprintf("-toolexec=env GOGC=off GOMEMLIMIT=1GiB GOMAXPROCS=%d", (runtime.NumCPU()+1)/2),
		"-trimpath", "-ldflags=-s -w", "-gcflags=all=-dwarf=false", "-gcflags=github.com/...=-dwarf=false -l",
	}
	for _, shared := range []string{"cespare", "golang-jwt", "google", "klauspost", "nats-io", "philhofer", "tinylib", "zeebo"} {
		out = append(out, "-gcflags=github.com/"+shared+"/...=-dwarf=false")
	}
	return out
}

// find looks for the source in the parent folders.
func find() (string, error) {
	dir, err := os.Getwd()
	for err == nil {
		candidate := filepath.Join(dir, "tests", "s3test", "server")
		if _, err := os.Stat(filepath.Join(candidate, "go.mod")); err == nil {
			return candidate, nil
		}
		if filepath.Dir(dir) == dir {
			return "", errors.New("the source of the S3 server is not there")
		}
		dir = filepath.Dir(dir)
	}
	return "", err
}

// Age makes an object appear older than it is.
func (s *Server) Age(t testing.TB, key string, to time.Time) {
	t.Helper()
	require.NoError(t, os.Chtimes(filepath.Join(s.folder, "files", s.Bucket, filepath.FromSlash(key)), to, to))
}

// Contents returns what is stored below a prefix, by key.
func (s *Server) Contents(t testing.TB, prefix string) map[string]string {
	t.Helper()
	out := map[string]string{}
	for info := range s.Client.ListObjectsIter(t.Context(), s.Bucket, minio.ListObjectsOptions{Prefix: prefix, Recursive: true}) {
		require.NoError(t, info.Err)
		object, err := s.Client.GetObject(t.Context(), s.Bucket, info.Key, minio.GetObjectOptions{})
		require.NoError(t, err)
		text, err := io.ReadAll(object)
		require.NoError(t, err)
		require.NoError(t, object.Close())
		out[info.Key] = string(text)
	}
	return out
}

// Place writes a small file into the bucket, bypassing the interface.
func (s *Server) Place(t testing.TB, key string) {
	t.Helper()
	path := filepath.Join(s.folder, "files", s.Bucket, filepath.FromSlash(key))
	require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o700))
	require.NoError(t, os.WriteFile(path, []byte(key), 0o600))
}
