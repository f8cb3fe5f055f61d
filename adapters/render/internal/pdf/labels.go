package pdf

import "tilth/adapters/render/internal/draw"

// Stock is a sheet of labels as they are sold: a grid of equal labels on a paper.
type Stock struct {
	Across, Down  int
	Left, Top     float64 // of the first label
	Width, Height float64
	Gap           float64 // between two columns; rows touch
}

// Line is a text of a label in its letters.
type Line struct {
	Text    string
	Letters draw.Letters
	Max     int // lines that it may be broken into; the rest is cut off
}

// Label is what stands on a label: lines, and a code to their right.
type Label struct {
	Lines []Line
	Code  string
}

const (
	labelEdge = 2.5  // empty edge of a label: printers are off by as much
	maxCode   = 26.0 // of the code of a label; the texts have the rest
)

// Labels writes labels on a bare document, row by row, and begins a page where one is full.
func (d *Document) Labels(s Stock, count int, label func(i int) Label) error {
	for i := range count {
		if err := d.budget.Spend(blockSteps); err != nil {
			d.f.SetError(err)
			return nil // Write returns the error
		}
		at := i % (s.Across * s.Down)
		if at == 0 && i > 0 {
			d.Page()
		}
		x := s.Left + float64(at%s.Across)*(s.Width+s.Gap)
		y := s.Top + float64(at/s.Across)*s.Height
		if err := d.label(s, label(i), x, y); err != nil {
			return err
		}
	}
	return nil
}

func (d *Document) label(s Stock, label Label, x, y float64) error {
	size := min(s.Height-labelEdge, maxCode)
	if err := d.QR(label.Code, x+s.Width-size-labelEdge/2, y+(s.Height-size)/2, size); err != nil {
		return err
	}
	width, at := s.Width-size-1.5*labelEdge, y+labelEdge
	for _, line := range label.Lines {
		texts := d.lines(line.Text, line.Letters, width)
		texts = texts[:min(len(texts), line.Max)]
		height := float64(len(texts)) * lineHeight(line.Letters)
		if at+height > y+s.Height-labelEdge/2 {
			return nil // the code leads to the rest
		}
		d.put(texts, x+labelEdge, at, line.Letters)
		at += height
	}
	return nil
}
