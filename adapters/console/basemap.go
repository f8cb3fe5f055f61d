package console

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"regexp"
	"strconv"
	"strings"
	"time"
)

// baseMapFile is the path at which browsers request pieces of the base map.
const baseMapFile = files + "basemap.pmtiles"

// maxPiece bounds the length of a requested piece of an archive, in bytes. Directories and tiles are far smaller.
const maxPiece = 16 << 20

// pieceTimeout is the time that the server of an archive may take for a piece.
const pieceTimeout = 30 * time.Second

// BaseMap is an archive of map tiles (PMTiles, version 3) shown under the fields: a file, or the address of one. In both cases browsers get
// pieces of it from this server, so that a page sends no request to another host and does not reveal to any where its fields lie.
type BaseMap struct {
	file   string
	url    string // if it is not a file
	client *http.Client
}

// OpenBaseMap returns the base map in a file or at an address; nil if at is empty. A file must exist and be an archive of
// tiles. An address is first requested when a map is shown.
func OpenBaseMap(at string) (*BaseMap, error) {
	if at == "" {
		return nil, nil
	}
	if strings.HasPrefix(at, "http://") || strings.HasPrefix(at, "https://") {
		if to, err := url.Parse(at); err != nil || to.Host == "" {
			return nil, errors.New("it is not an address. Fix: give a file, or https://HOST/PATH.pmtiles")
		}
		return &BaseMap{url: at, client: &http.Client{Timeout: pieceTimeout}}, nil
	}
	b := &BaseMap{file: strings.TrimPrefix(at, "file:")}
	file, err := os.Open(b.file)
	if err != nil {
		return nil, fmt.Errorf("open the base map: %w", err)
	}
	defer func() { _ = file.Close() }() // it is only read
	head := make([]byte, 8)
	if _, err := io.ReadFull(file, head); err != nil || string(head) != "PMTiles\x03" {
		return nil, fmt.Errorf("%s is not an archive of tiles. Fix: give a PMTiles file, version 3", b.file)
	}
	return b, nil
}

// pieces matches the range in a request for a piece.
var pieces = regexp.MustCompile(`^bytes=(\d{1,18})-(\d{1,18})$`)

// ServeHTTP answers a request for a piece of the archive.
func (b *BaseMap) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	asked := pieces.FindStringSubmatch(r.Header.Get("Range"))
	if asked == nil {
		http.Error(w, "Request a part: Range: bytes=FIRST-LAST.", http.StatusBadRequest)
		return
	}
	first, _ := strconv.ParseInt(asked[1], 10, 64) // 18 digits fit
	last, _ := strconv.ParseInt(asked[2], 10, 64)
	if last < first || last-first >= maxPiece {
		http.Error(w, fmt.Sprintf("A part has 1 to %d bytes.", maxPiece), http.StatusRequestedRangeNotSatisfiable)
		return
	}
	h := w.Header()
	h.Set("Content-Type", "application/octet-stream")
	h.Set("Cache-Control", "no-cache")
	if b.file != "" {
		b.ofFile(w, r)
		return
	}
	answer, err := b.ask(r.Context(), r.Header.Get("Range"))
	if err != nil {
		http.Error(w, "The server of the base map does not answer.", http.StatusBadGateway)
		return
	}
	defer func() { _ = answer.Body.Close() }()
	if answer.StatusCode != http.StatusPartialContent {
		http.Error(w, fmt.Sprintf("The server of the base map answers with %d, not with a part.", answer.StatusCode), http.StatusBadGateway)
		return
	}
	for _, name := range []string{"Content-Range", "Content-Length", "ETag"} {
		if value := answer.Header.Get(name); value != "" {
			h.Set(name, value)
		}
	}
	w.WriteHeader(http.StatusPartialContent)
	_, _ = io.CopyN(w, answer.Body, last-first+1) // the reader may be gone
}

// ofFile answers with a piece of a file, which may have been replaced since the last request.
func (b *BaseMap) ofFile(w http.ResponseWriter, r *http.Request) {
	file, err := os.Open(b.file)
	if err != nil {
		http.Error(w, "The file of the base map cannot be read.", http.StatusBadGateway)
		return
	}
	defer func() { _ = file.Close() }() // it is only read
	info, err := file.Stat()
	if err != nil {
		http.Error(w, "The file of the base map cannot be read.", http.StatusBadGateway)
		return
	}
	w.Header().Set("ETag", fmt.Sprintf(`"%x-%x"`, info.Size(), info.ModTime().UnixNano()))
	http.ServeContent(w, r, "", info.ModTime(), file)
}

// ask asks the server of the archive for a piece, uncompressed.
func (b *BaseMap) ask(ctx context.Context, piece string) (*http.Response, error) {
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, b.url, nil)
	if err != nil {
		return nil, err
	}
	r.Header.Set("Range", piece)
	r.Header.Set("Accept-Encoding", "identity")
	return b.client.Do(r)
}
