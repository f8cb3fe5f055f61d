package cli

import (
	"bufio"
	"encoding/json"
	"errors"
	"io"
	"os"

	"tilth/core/fault"
	"tilth/core/geo"
)

// Bounds of the files that are read.
const (
	maxOutlineFile = 8 << 20
	maxCellsFile   = 256 << 20
)

// readFile reads a file with a parser.
func readFile[T any](path string, parse func(io.Reader) (T, error)) (out T, err error) {
	file, err := os.Open(path)
	if err != nil {
		return out, err
	}
	defer func() { _ = file.Close() }()
	return parse(bufio.NewReader(file))
}

// readOutline reads a GeoJSON outline that a flag names; of a FeatureCollection its only feature.
func readOutline(flag, path string) (geo.MultiPolygon, error) {
	raw, err := readFile(path, func(r io.Reader) ([]byte, error) { return io.ReadAll(io.LimitReader(r, maxOutlineFile+1)) })
	if err != nil {
		return nil, err
	}
	if len(raw) > maxOutlineFile {
		return nil, fault.Field(flag, "The file is larger than 8 MiB.")
	}
	var collection struct {
		Type     string            `json:"type"`
		Features []json.RawMessage `json:"features"`
	}
	if json.Unmarshal(raw, &collection) == nil && collection.Type == "FeatureCollection" && len(collection.Features) == 1 {
		raw = collection.Features[0]
	}
	boundary, err := geo.ParseGeoJSON(nil, raw, geo.DefaultLimits())
	return boundary.Geometry(), err
}

// localFile is a file of the machine as ports.Object.
type localFile struct {
	*os.File
	size int64
}

// Size implements ports.Object.
func (f localFile) Size() int64 { return f.size }

// openObject opens a file of the machine.
func openObject(name string) (localFile, error) {
	file, err := os.Open(name)
	if err != nil {
		return localFile{}, err
	}
	info, err := file.Stat()
	if err != nil {
		return localFile{}, errors.Join(err, file.Close())
	}
	return localFile{file, info.Size()}, nil
}
