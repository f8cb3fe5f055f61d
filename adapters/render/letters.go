package render

import (
	"strings"
	"sync"

	"github.com/golang/freetype/truetype"
	"golang.org/x/image/font/gofont/gobold"
	"golang.org/x/image/font/gofont/goregular"
)

// The typeface of documents is Go (golang.org/x/image, BSD licence): Latin, Greek and
// Cyrillic, 0.3 MB in two weights. A document holds the letters that it uses alone.
var goTypeface = sync.OnceValues(func() (*truetype.Font, error) { return truetype.Parse(goregular.TTF) })

var weights = map[string][]byte{"": goregular.TTF, "B": gobold.TTF}

// noLetter stands for a letter that the typeface does not have.
const noLetter = '□'

// legible gives a text as the typeface can set it: on one line, without control
// characters, a box in the place of letters that it does not have.
func legible(text string) string {
	letters, err := goTypeface()
	if err != nil {
		return text
	}
	return strings.Map(func(r rune) rune {
		switch {
		case r == '\n' || r == '\t' || r == '\r':
			return ' '
		case r < ' ':
			return -1
		case letters.Index(r) == 0:
			return noLetter
		}
		return r
	}, text)
}
