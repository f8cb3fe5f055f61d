// Package seed records where the seed of maps and plans comes from, so that anybody can compute it again.
package seed

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"strings"
	"unicode/utf8"

	"tilth/core/fault"
	"tilth/core/stratification/internal/digest"
)

// Source is the way a seed was made.
type Source string

// The sources. Nobody can tell how many seeds were tried before a given one, so it proves nothing.
const (
	Parameters Source = "parameters" // derived from what is divided or sampled, and from the parameters
	Given      Source = "given"
	Phrase     Source = "phrase" // of a second person
	Beacon     Source = "beacon" // a value that a public source of randomness published
)

// Max is the largest seed: it passes unchanged through JSON.
const Max = 1<<53 - 1

// The bounds of what seeds are made from.
const (
	minPhrase, maxPhrase = 8, 200    // characters
	minBytes, maxBytes   = 32, 128   // of the value of a beacon
	maxPulse             = 255       // characters
	maxText              = 16 * 1024 // bytes of a text that is kept
)

// Choice is a caller's choice of a seed: one member, or none for a seed that follows from the parameters.
type Choice struct {
	Number *uint64
	Phrase string
	Pulse  string // names the pulse of a beacon
	Value  string // its value, hexadecimal
}

// Of returns a choice of a number.
func Of(number uint64) Choice { return Choice{Number: &number} }

func (c Choice) beacon() bool { return c.Pulse != "" || c.Value != "" }

// Check returns what is wrong with a choice, under the names of the interface.
func (c Choice) Check() fault.Fields {
	f := fault.Fields{}
	ways := 0
	for _, chosen := range []bool{c.Number != nil, c.Phrase != "", c.beacon()} {
		if chosen {
			ways++
		}
	}
	f.AddIf(ways > 1, "seed", "Send only one of seed, seed_phrase and seed_beacon.")
	f.AddIf(c.Number != nil && *c.Number > Max, "seed", "It must be a whole number from 0 to 2^53 - 1.")
	if c.Phrase != "" {
		f.Text("seed_phrase", c.Phrase, maxPhrase)
		f.AddIf(utf8.RuneCountInString(c.Phrase) < minPhrase, "seed_phrase", "A phrase must have at least %d characters.", minPhrase)
		f.AddIf(c.Phrase != strings.TrimSpace(c.Phrase) || strings.ContainsAny(c.Phrase, "\r\n"), "seed_phrase",
			"A phrase must be one line that neither begins nor ends with a space.")
	}
	if c.beacon() {
		nested := fault.Fields{}
		nested.RequiredText("pulse", c.Pulse, maxPulse)
		raw, err := hex.DecodeString(c.Value)
		nested.AddIf(err != nil || len(raw) < minBytes || len(raw) > maxBytes, "value",
			"The value of a pulse must be %d to %d hexadecimal digits.", 2*minBytes, 2*maxBytes)
		f.Nest("seed_beacon", nested)
	}
	return f
}

// Origin states where a seed comes from. Maps and plans made before it was recorded have the zero Origin.
type Origin struct {
	Source Source
	Phrase string `json:",omitzero"`
	Pulse  string `json:",omitzero"`
	Value  string `json:",omitzero"` // lower case
	// Text is the text whose hash is the seed; empty for a given seed, and where it is longer than 16 KiB.
	Text string `json:",omitzero"`
}

// Words states in words where a seed comes from; empty where that was not recorded.
func (o Origin) Words() string {
	switch o.Source {
	case Parameters:
		return "from the map and the parameters"
	case Given:
		return "given by the caller"
	case Phrase:
		return fmt.Sprintf("from the phrase “%s”", o.Phrase)
	case Beacon:
		return "from the beacon's value at " + o.Pulse
	}
	return ""
}

// Of returns the seed of a choice that passed Check, with its origin. The scope is the id of what is divided or
// sampled: the same phrase yields another seed elsewhere. parameters are all other parameters, which set the
// seed together with the scope where nothing was chosen, and only then.
func (c Choice) Of(scope string, parameters any) (uint64, Origin) {
	var o Origin
	switch {
	case c.Number != nil:
		return *c.Number, Origin{Source: Given}
	case c.Phrase != "":
		o = Origin{Source: Phrase, Phrase: c.Phrase, Text: text(Phrase, scope, c.Phrase)}
	case c.beacon():
		value := strings.ToLower(c.Value)
		o = Origin{Source: Beacon, Pulse: c.Pulse, Value: value, Text: text(Beacon, scope, value)}
	default:
		o = Origin{Source: Parameters, Text: scope + string(digest.Canonical(parameters))}
	}
	number := Hash(o.Text)
	if len(o.Text) > maxText {
		o.Text = ""
	}
	return number, o
}

func text(source Source, scope, value string) string {
	if scope == "" {
		scope = "-"
	}
	return fmt.Sprintf("tilth seed %s %s %s", source, scope, value)
}

// Hash returns the seed of a text: the first 53 bits of its SHA-256.
func Hash(text string) uint64 {
	sum := sha256.Sum256([]byte(text))
	return binary.BigEndian.Uint64(sum[:8]) >> 11
}

// Chosen returns the part of an origin that identifies maps and plans besides their seed: a phrase, or the pulse
// of a beacon.
func (o Origin) Chosen() Origin {
	if o.Source != Phrase && o.Source != Beacon {
		return Origin{}
	}
	o.Text = ""
	return o
}
