package pdf

import (
	"github.com/boombuler/barcode/qr"

	"tilth/adapters/render/internal/draw"
)

// QR draws a QR code (ISO/IEC 18004) of a text with its quiet zone, level M of error
// correction. On a screen the code is also a link to the address.
func (d *Document) QR(text string, x, y, size float64) error {
	code, err := qr.Encode(text, qr.M, qr.Auto)
	if err != nil {
		return err
	}
	const quiet = 4 // modules, as the standard requires
	n := code.Bounds().Dx()
	module := size / float64(n+2*quiet)
	black := func(col, row int) bool {
		light, _, _, _ := code.At(col, row).RGBA()
		return light == 0
	}
	d.f.LinkString(x, y, size, size, text)
	d.shape(draw.Style{})
	for row := range n {
		for from := 0; from < n; from++ {
			to := from
			for to < n && black(to, row) {
				to++
			}
			if to > from { // a run of black modules
				d.f.Rect(x+float64(from+quiet)*module, y+float64(row+quiet)*module, float64(to-from)*module, module, "F")
				from = to
			}
		}
	}
	return nil
}
