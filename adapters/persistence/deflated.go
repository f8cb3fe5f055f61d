package persistence

import (
	"bytes"
	"compress/flate"
	"encoding/json"
	"io"
)

// mostInflated bounds what a stored document unpacks to: the labels of the largest frame
// take a hundredth of it.
const mostInflated = 256 << 20

// deflated gives the stored form of what is large and is always read whole: deflated JSON.
func deflated(v any) ([]byte, error) {
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

// inflated reads what deflated wrote.
func inflated(stored []byte, into any) error {
	r := flate.NewReader(bytes.NewReader(stored))
	defer r.Close()
	return json.NewDecoder(io.LimitReader(r, mostInflated)).Decode(into)
}
