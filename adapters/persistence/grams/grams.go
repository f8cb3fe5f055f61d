// Package grams builds what SQLite's indexes of names are searched for: each run of three letters in a text, and each run of
// five digits. It knows texts and conditions of FTS5; the tables and the statements belong to sqlstore.
package grams

import (
	"slices"
	"strings"
	"unicode/utf8"
)

const (
	// Letters is the number of letters in a row that the index knows together.
	Letters = 3
	// Digits is the number of digits in a row that the index of numbers knows together: Letters letters, each of figureDigits digits.
	Digits = 5
	// CompanyBase is the first of the letters, which mean nothing otherwise, with which a company and a table are written.
	CompanyBase = 0xF0000

	figureBase   = 0xF0000
	figureDigits = Digits - Letters + 1
	maxGrams     = 32 // of a text that are looked up
	rareDigits   = 5  // of a word that few names have; a year has four
)

// Of returns the condition that a name has the runs of three letters of a text, up to maxGrams of them.
func Of(text string) string {
	var grams []string
	letters := []rune(text)
	step := max(1, (len(letters)-Letters+maxGrams)/maxGrams)
	for i := 0; i+Letters <= len(letters); i += step {
		if one := quoted(string(letters[i : i+Letters])); !slices.Contains(grams, one) {
			grams = append(grams, one)
		}
	}
	return strings.Join(grams, " AND ")
}

// OfCompany returns the condition that a name is one of a company in a table, given by its number below 8.
func OfCompany(company int64, table int) string {
	const bits = 12
	n := company<<3 | int64(table)
	letter := func(shift int) rune { return rune(CompanyBase + n>>shift&(1<<bits-1)) }
	return quoted(string([]rune{letter(2 * bits), letter(bits), letter(0)}))
}

// OfNumber returns the condition that a name has the longest number of a text in it; empty where the text has none of five digits.
func OfNumber(text string) string {
	var longest string
	for _, one := range numbers(text) {
		if len(one) > len(longest) {
			longest = one
		}
	}
	if longest == "" {
		return ""
	}
	return Of(figures(longest))
}

// Numbers returns what the index of numbers holds of a name; empty where the name has no number of five digits. Each letter of
// it stands for three digits in a row, so that three letters in a row stand for five.
func Numbers(name string) string {
	all := numbers(name)
	for i, one := range all {
		all[i] = figures(one)
	}
	return strings.Join(all, " ")
}

// numbers returns the runs of at least five digits in a text.
func numbers(text string) []string {
	runs := strings.FieldsFunc(text, func(r rune) bool { return r < '0' || r > '9' })
	return slices.DeleteFunc(runs, func(run string) bool { return len(run) < Digits })
}

func figures(digits string) string {
	var out []byte
	for i := range len(digits) - figureDigits + 1 {
		n := 0
		for _, digit := range []byte(digits[i : i+figureDigits]) {
			n = 10*n + int(digit-'0')
		}
		out = utf8.AppendRune(out, rune(figureBase+n))
	}
	return string(out)
}

// RareWord returns the part of a text to search the index for: a word with a number that few names have, or else the text. The lists
// of a word such as "field" are as long as all names, and intersecting others with them takes longer than reading the names found.
func RareWord(text string) string {
	for word := range strings.FieldsSeq(text) {
		digits := 0
		for _, one := range word {
			if '0' <= one && one <= '9' {
				digits++
			}
		}
		if digits >= rareDigits {
			return word
		}
	}
	return text
}

func quoted(word string) string { return `"` + strings.ReplaceAll(word, `"`, `""`) + `"` }
