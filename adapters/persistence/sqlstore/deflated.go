package sqlstore

import (
	"bytes"
	"compress/flate"
	"encoding/json"
	"io"
)

// maxInflated bounds what a stored document unpacks to: the labels of the largest frame
// take a hundredth of it.
const maxInflated = 256 << 20

// Deflate returns the stored form of what is large and is always read whole: deflated JSON.
func Deflate(v any) ([]byte, error) {
	raw, err := json.Marshal(v)
	if err != nil {
		return nil, err
	}
	var out bytes.Buffer
	w, err := flate.NewWriter(&out, flate.DefaultCompression)
	if err != nil {
		return nil, err
	}
	if _, err := w.Write(raw); err != nil {
		return nil, err
	}
	err = w.Close()
	return out.Bytes(), err
}

// Inflate reads what deflated wrote.
func Inflate(stored []byte, into any) error {
	r := flate.NewReader(bytes.NewReader(stored))
	defer r.Close()
	return json.NewDecoder(io.LimitReader(r, maxInflated)).Decode(into)
}
