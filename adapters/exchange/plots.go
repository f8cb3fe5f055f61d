package exchange

import (
	"archive/zip"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"iter"
	"strconv"

	"tilth/core/eudr"
	"tilth/core/geo"
	"tilth/ports"
)

// PlotFiles writes plots of due diligence statements as FeatureCollections (core/eudr).
type PlotFiles struct{}

const (
	plotsBegin = `{"type":"FeatureCollection","features":[` + "\n"
	plotsEnd   = "\n]}\n"
	plotsComma = ",\n"
)

// plotSize measures files as they are filled one after the other.
type plotSize struct {
	files, inFile, bytes int64
	features             int64 // in the last file
}

// Size implements ports.PlotFiles.
func (PlotFiles) Size() ports.PlotSize { return &plotSize{files: 1} }

// Add implements ports.PlotSize.
func (s *plotSize) Add(f eudr.Feature) error {
	text, err := plotText(f)
	if err == nil {
		s.take(int64(len(text)))
	}
	return err
}

// take counts a feature, and reports whether it begins another file.
func (s *plotSize) take(size int64) (another bool) {
	size += int64(len(plotsComma))
	if another = s.features > 0 && s.inFile+size > eudr.MaxFileBytes-int64(len(plotsBegin+plotsEnd)); another {
		s.files, s.inFile, s.features = s.files+1, 0, 0
	}
	s.inFile, s.features, s.bytes = s.inFile+size, s.features+1, s.bytes+size
	return another
}

// Bytes implements ports.PlotSize.
func (s *plotSize) Bytes() int64 { return s.bytes + int64(len(plotsBegin+plotsEnd)) }

// Files implements ports.PlotSize.
func (s *plotSize) Files() int64 { return s.files }

// Write implements ports.PlotFiles.
func (PlotFiles) Write(ctx context.Context, to io.Writer, several bool, features iter.Seq2[eudr.Feature, error]) error {
	w := plotWriter{out: to, size: plotSize{files: 1}}
	if several {
		w.archive = zip.NewWriter(to)
	}
	if err := w.begin(); err != nil {
		return err
	}
	for f, err := range features {
		if err == nil {
			err = ctx.Err()
		}
		if err == nil {
			err = w.add(f)
		}
		if err != nil {
			return err
		}
	}
	return w.end()
}

// plotWriter writes one file, or an archive of files.
type plotWriter struct {
	archive *zip.Writer // nil: one file, however large
	out     io.Writer   // the file that is open
	size    plotSize
}

func (w *plotWriter) begin() (err error) {
	if w.archive != nil {
		w.out, err = w.archive.Create(fmt.Sprintf("plots-%d.geojson", w.size.files))
	}
	if err == nil {
		_, err = io.WriteString(w.out, plotsBegin)
	}
	return err
}

// add writes a feature, to another file where it would make this one too large.
func (w *plotWriter) add(f eudr.Feature) error {
	text, err := plotText(f)
	if err != nil {
		return err
	}
	first := w.size.features == 0
	if w.size.take(int64(len(text))) && w.archive != nil {
		if _, err := io.WriteString(w.out, plotsEnd); err != nil {
			return err
		}
		if err := w.begin(); err != nil {
			return err
		}
		first = true
	}
	if !first {
		text = append([]byte(plotsComma), text...)
	}
	_, err = w.out.Write(text)
	return err
}

func (w *plotWriter) end() error {
	if _, err := io.WriteString(w.out, plotsEnd); err != nil || w.archive == nil {
		return err
	}
	return w.archive.Close()
}

// plotText returns a plot as a feature, with the properties and decimals that the Information System accepts.
func plotText(f eudr.Feature) ([]byte, error) {
	properties, err := json.Marshal(struct {
		ProducerName    string
		ProducerCountry string
		ProductionPlace string
		Area            float64 `json:",omitempty"`
	}{f.ProducerName, f.ProducerCountry, f.ProductionPlace, f.AreaHa})
	if err != nil {
		return nil, err
	}
	out := append([]byte(`{"type":"Feature","properties":`), properties...)
	if f.Outline == nil {
		out = appendDegrees(append(out, `,"geometry":{"type":"Point","coordinates":`...), f.Point)
		return append(out, "}}"...), nil
	}
	out = append(out, `,"geometry":{"type":"Polygon","coordinates":[[`...)
	for i, p := range f.Outline {
		if i > 0 {
			out = append(out, ',')
		}
		out = appendDegrees(out, p)
	}
	return append(out, "]]}}"...), nil
}

func appendDegrees(out []byte, p geo.Position) []byte {
	out = strconv.AppendFloat(append(out, '['), p.X, 'f', eudr.Decimals, 64)
	return append(strconv.AppendFloat(append(out, ','), p.Y, 'f', eudr.Decimals, 64), ']')
}
