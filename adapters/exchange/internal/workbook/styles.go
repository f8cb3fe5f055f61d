package workbook

import (
	"archive/zip"
	"encoding/xml"
	"math"
	"strconv"
	"strings"
	"time"

	"tilth/adapters/exchange/internal/elements"
)

// dateStyle tells what a number stands for by how its cell shows it.
type dateStyle uint8

const (
	noDate dateStyle = iota
	dated            // a day, or a moment
	timed            // only a time of day
)

// builtIn returns the style of a format of dates and times that a workbook does not describe (ECMA-376, part 1, 18.8.30;
// 27 and more are those of East Asian spreadsheets).
func builtIn(format int) dateStyle {
	switch {
	case format >= 14 && format <= 17, format == 22, format >= 27 && format <= 31, format == 36, format >= 50 && format <= 54, format == 57, format == 58:
		return dated
	case format >= 18 && format <= 21, format >= 32 && format <= 35, format >= 45 && format <= 47, format == 55, format == 56:
		return timed
	}
	return noDate
}

// styleOf reads a format that a workbook describes, such as dd.mm.yyyy.
func styleOf(code string) (out dateStyle) {
	code, _, _ = strings.Cut(code, ";") // of numbers below 0
	month := false
	for i := 0; i < len(code); i++ {
		switch code[i] {
		case '"': // literal text
			i += 1 + max(strings.IndexByte(code[i+1:], '"'), 0)
		case '[': // a colour, a language
			i += max(strings.IndexByte(code[i:], ']'), 0)
		case '\\', '_', '*':
			i++
		case 'y', 'Y', 'd', 'D':
			return dated
		case 'h', 'H', 's', 'S':
			out = timed
		case 'm', 'M':
			month = true
		}
	}
	if out == noDate && month {
		return dated
	}
	return out
}

// text returns a number as the day or time that it stands for.
func (s dateStyle) text(days float64, epoch time.Time) (string, bool) {
	if days > 2_958_465 { // the last day of the year 9999
		return "", false
	}
	if s == timed && days < 1 {
		return time.Unix(int64(math.Round(days*daySeconds)), 0).UTC().Format(time.TimeOnly), true
	}
	if epoch.Equal(epoch1900) && days < 61 { // 1900 was not a leap year, but it is one in this count
		if days >= 60 {
			return "", false
		}
		days++
	}
	t := epoch.AddDate(0, 0, int(days))
	seconds := math.Round((days - math.Floor(days)) * daySeconds)
	if seconds == 0 {
		return t.Format(time.DateOnly), true
	}
	return t.Add(time.Duration(seconds) * time.Second).Format(time.RFC3339), true
}

// readStyles reads which styles show dates; a workbook without styles has none.
func readStyles(part *zip.File) (out []dateStyle, err error) {
	if part == nil {
		return nil, nil
	}
	described, cells := map[string]dateStyle{}, false
	err = eachElement(part, "workbook", func(start xml.StartElement) error {
		switch start.Name.Local {
		case "numFmt":
			described[elements.Attribute(start, "numFmtId")] = styleOf(elements.Attribute(start, "formatCode"))
		case "cellXfs":
			cells = true
		case "cellStyles", "dxfs", "tableStyles", "cellStyleXfs":
			cells = false
		case "xf":
			if cells {
				id := elements.Attribute(start, "numFmtId")
				style, ok := described[id]
				if !ok {
					n, _ := strconv.Atoi(id)
					style = builtIn(n)
				}
				out = append(out, style)
			}
		}
		return nil
	})
	return out, err
}
