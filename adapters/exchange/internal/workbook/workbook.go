// Package workbook writes and reads the workbooks of spreadsheets (Office Open XML, ECMA-376: files that end in .xlsx), a row at
// a time: what is held of a workbook in memory does not grow with it.
package workbook

import (
	"strconv"
	"strings"
	"time"
)

// Bounds of a sheet, as spreadsheets have them.
const (
	maxRows    = 1_048_576
	MaxColumns = 16_384
	MaxText    = 32_767 // UTF-16 units in a cell
)

// Day is a civil date in a cell.
type Day time.Time

// String returns it as 2025-04-30.
func (d Day) String() string { return time.Time(d).Format(time.DateOnly) }

// MarshalJSON writes it as 2025-04-30.
func (d Day) MarshalJSON() ([]byte, error) { return []byte(strconv.Quote(d.String())), nil }

// The days that cells count from. The older count takes 1900 for a leap year, so days before March 1900 are not written.
var (
	epoch1900 = time.Date(1899, 12, 30, 0, 0, 0, 0, time.UTC)
	epoch1904 = time.Date(1904, 1, 1, 0, 0, 0, 0, time.UTC)
	firstDay  = time.Date(1900, 3, 1, 0, 0, 0, 0, time.UTC)
)

const daySeconds = 24 * 60 * 60

// ColumnName returns the letters of a column, from 0: A, Z, AA.
func ColumnName(i int) string {
	var letters []byte
	for i++; i > 0; i = (i - 1) / 26 {
		letters = append([]byte{byte('A' + (i-1)%26)}, letters...)
	}
	return string(letters)
}

// columnOf reads the letters of the name of a cell, such as BC12; ok is false where there are none.
func columnOf(cell string) (column int, ok bool) {
	for _, c := range []byte(cell) {
		if c < 'A' || c > 'Z' || column > MaxColumns {
			break
		}
		column = column*26 + int(c-'A') + 1
	}
	return column - 1, column > 0
}

// escaped replaces what XML cannot hold with the escapes of workbooks, such as _x0007_, and also escapes text that looks like one.
func escaped(text string) string {
	clean := true
	for i := range len(text) {
		if c := text[i]; c < ' ' && c != '\t' && c != '\n' || c == '_' && isEscape(text[i:]) {
			clean = false
			break
		}
	}
	if clean {
		return text
	}
	var out strings.Builder
	for i := range len(text) {
		switch c := text[i]; {
		case c < ' ' && c != '\t' && c != '\n':
			out.WriteString("_x00" + strings.ToUpper(strconv.FormatUint(uint64(c)|0x100, 16)[1:]) + "_")
		case c == '_' && isEscape(text[i:]):
			out.WriteString("_x005F_")
		default:
			out.WriteByte(c)
		}
	}
	return out.String()
}

const escapeBytes = len("_x0000_")

// isEscape reports whether a text begins with an escape.
func isEscape(text string) bool {
	if len(text) < escapeBytes || text[1] != 'x' || text[escapeBytes-1] != '_' {
		return false
	}
	_, err := strconv.ParseUint(text[2:escapeBytes-1], 16, 16)
	return err == nil
}

// unescaped replaces the escapes of workbooks with what they stand for.
func unescaped(text string) string {
	if !strings.Contains(text, "_x") {
		return text
	}
	var out strings.Builder
	for i := 0; i < len(text); {
		if text[i] == '_' && isEscape(text[i:]) {
			code, _ := strconv.ParseUint(text[i+2:i+escapeBytes-1], 16, 16) // it was just read
			out.WriteRune(rune(code))
			i += escapeBytes
			continue
		}
		out.WriteByte(text[i])
		i++
	}
	return out.String()
}
