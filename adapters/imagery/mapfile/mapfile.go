// Package mapfile writes and reads the dates of maps as Cloud-Optimized GeoTIFFs: the index, and beside it the weight of each pixel
// in the field, so that anyone who has the file can compute the field's mean. It computes nothing.
package mapfile

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
	"time"

	"tilth/adapters/imagery/cog"
	"tilth/adapters/imagery/internal/cogwrite"
	"tilth/core/fault"
	"tilth/core/indexmap"
	"tilth/core/vegetation"
)

// Files writes and reads the dates of maps.
type Files struct{}

// The notes of a file, in GDAL's metadata.
const (
	noteIndex     = "index"
	noteDate      = "date"
	noteScenes    = "scenes"
	noteSynthetic = "synthetic"
	noteMethod    = "method"
	noteSubject   = "layer" // as JSON, in place of index and date
)

// The bits of the numbers: those that are kept are exactly as they were computed.
const (
	keptBits  = 64
	givenBits = 32
)

// maxPacked is the maximum number of bytes that DEFLATE can pack into one.
const maxPacked = 1032

// WriteLayer writes a date with 64-bit numbers, to be kept. It always writes the same bytes for the same date.
func (Files) WriteLayer(w io.Writer, layer indexmap.Layer) error {
	return write(w, layer, keptBits, weighed(layer))
}

// WriteGeoTIFF writes a date with 32-bit numbers, for people and their programs.
func (Files) WriteGeoTIFF(w io.Writer, layer indexmap.Layer) error {
	return write(w, layer, givenBits, weighed(layer))
}

// WriteFieldGeoTIFF writes only the pixels of the field, in one band: programs that take two bands for colours show a single one in shades.
func (Files) WriteFieldGeoTIFF(w io.Writer, layer indexmap.Layer) error {
	values := slices.Clone(layer.Values)
	for i, inside := range layer.Inside {
		if !inside {
			values[i] = math.NaN()
		}
	}
	return write(w, layer, givenBits, []cogwrite.Band{{Name: layer.Name(), Values: values}})
}

// weighed returns the bands of a date: its values, and the weight of each pixel in the field.
func weighed(l indexmap.Layer) []cogwrite.Band {
	weights := make([]float64, len(l.Values))
	for i, inside := range l.Inside {
		switch {
		case !inside:
			weights[i] = math.NaN()
		case l.Weights != nil:
			weights[i] = l.Weights[i]
		default:
			weights[i] = 1
		}
	}
	return []cogwrite.Band{{Name: l.Name(), Values: l.Values}, {Name: "share of the pixel that counts as the field", Values: weights}}
}

func write(w io.Writer, l indexmap.Layer, bits int, bands []cogwrite.Band) error {
	grid := l.Grid
	grid.Width, grid.Height = l.Cols, l.Rows
	about := strings.Replace(l.Title(), " on ", " of ", 1)
	if l.Synthetic {
		about += ", SYNTHETIC: made up for demonstration, not measured"
	}
	notes, err := notesOf(l)
	if err != nil {
		return err
	}
	notes = append(notes, cogwrite.Note{Name: noteScenes, Text: strings.Join(l.Scenes, " ")}, cogwrite.Note{Name: noteSynthetic, Text: fmt.Sprint(l.Synthetic)})
	if l.Method != "" {
		notes = append(notes, cogwrite.Note{Name: noteMethod, Text: l.Method})
	}
	data, err := cogwrite.EncodeNumbers(cogwrite.Numbers{
		Grid: grid, Bits: bits, About: about, Names: l.Subject.Kind == indexmap.Numbers,
		Bands: bands, Notes: notes,
	})
	if err != nil {
		return err
	}
	_, err = io.Copy(w, bytes.NewReader(data))
	return err
}

// notesOf returns the notes that state what the values of a file are.
func notesOf(l indexmap.Layer) ([]cogwrite.Note, error) {
	if l.Subject.Name == "" {
		return []cogwrite.Note{{Name: noteIndex, Text: string(l.Index)}, {Name: noteDate, Text: l.Day.Format(time.DateOnly)}}, nil
	}
	subject, err := json.Marshal(l.Subject)
	return []cogwrite.Note{{Name: noteSubject, Text: string(subject)}}, err
}

// said copies from the notes of a file what its values are; it returns false where they do not state it.
func said(l *indexmap.Layer, notes map[string]string) bool {
	if text, ok := notes[noteSubject]; ok {
		return json.Unmarshal([]byte(text), &l.Subject) == nil && l.Subject.Name != ""
	}
	index, err := vegetation.ParseIndex(notes[noteIndex])
	day, wrong := time.Parse(time.DateOnly, notes[noteDate])
	l.Index, l.Day = index.Code, day
	return err == nil && wrong == nil
}

// ReadLayer returns the date of a file that this package wrote. Faults: Invalid for another file; Unavailable where it cannot be read now.
func (Files) ReadLayer(ctx context.Context, file io.ReaderAt, size int64) (indexmap.Layer, error) {
	const name = "the file of the map"
	source := cog.FromStored(file, size, name, name)
	var bands [2][]float64
	var notes map[string]string
	var grid vegetation.Grid
	for i := range bands {
		open, err := cog.OpenNumbers(ctx, source, name, i+1)
		if err != nil {
			return indexmap.Layer{}, err
		}
		grid, notes = open.Grid(), open.Notes()
		if float64(grid.Width)*float64(grid.Height)*2*givenBits/8 > maxPacked*float64(size) {
			return indexmap.Layer{}, fault.New(fault.Invalid, "no_map", "The file claims more pixels than its bytes can hold.")
		}
		read, err := open.Read(ctx, vegetation.Window{Width: grid.Width, Height: grid.Height})
		if err != nil {
			return indexmap.Layer{}, err
		}
		bands[i] = read.Values
	}
	l := indexmap.Layer{
		Grid: grid, Cols: grid.Width, Rows: grid.Height, Values: bands[0], Scenes: strings.Fields(notes[noteScenes]), Synthetic: notes[noteSynthetic] == "true",
	}
	if !said(&l, notes) {
		return indexmap.Layer{}, fault.New(fault.Invalid, "no_map", "The file does not state its index and date, or its layer.")
	}
	l.Inside, l.Weights = counted(bands[1])
	return l, nil
}

// counted returns the pixels that count, and their weights, or nil where all of them count in full.
func counted(weights []float64) (inside []bool, shares []float64) {
	inside = make([]bool, len(weights))
	whole := true
	for i, w := range weights {
		inside[i] = !math.IsNaN(w)
		whole = whole && (!inside[i] || w == 1)
	}
	if whole {
		return inside, nil
	}
	for i := range weights {
		if !inside[i] {
			weights[i] = 0
		}
	}
	return inside, weights
}
