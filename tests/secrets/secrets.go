// Package secrets looks for secrets where others can read: it records what clients send and receive that nobody else
// may read, and what programs write into logs, metrics and error responses.
package secrets

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"io"
	"regexp"
	"slices"
	"strings"
	"sync"
)

// output is what all programs of a test binary wrote where others can read it: logs, metrics and
// errors. secrets is what clients sent and received that may not appear there.
var (
	output  *bytes.Buffer // nil: not kept
	secrets = map[string]bool{}
	leaks   sync.Mutex
)

// Keep begins to keep what is seen and what is declared.
func Keep() {
	leaks.Lock()
	defer leaks.Unlock()
	output = &bytes.Buffer{}
}

// Leaks returns the places where secrets appear in what was seen.
func Leaks() []string {
	leaks.Lock() // a program that has ended may have a goroutine that still logs
	defer leaks.Unlock()
	return leaked(output.Bytes())
}

// leaked returns the places where secrets appear in a text.
func leaked(text []byte) (found []string) {
	// Every secret is longer than a head, and only a few places of the text have the head of one.
	var maybe [1 << 13]uint64
	bit := func(head uint64) (word int, mask uint64) {
		h := head * 0x9e3779b97f4a7c15 >> 45 // of 19 bits
		return int(h >> 6), 1 << (h & 63)
	}
	heads := map[uint64][]string{}
	for secret := range secrets {
		head := binary.LittleEndian.Uint64([]byte(secret))
		heads[head] = append(heads[head], secret)
		word, mask := bit(head)
		maybe[word] |= mask
	}
	var head uint64 // of the text from at on; each byte is read once
	for end, letter := range text {
		head = head>>8 | uint64(letter)<<56
		at := end - 7
		if at < 0 {
			continue
		}
		if word, mask := bit(head); maybe[word]&mask == 0 {
			continue
		}
		heads[head] = slices.DeleteFunc(heads[head], func(secret string) bool {
			there := bytes.HasPrefix(text[at:], []byte(secret))
			if there {
				found = append(found, string(text[max(0, at-200):min(len(text), at+len(secret)+50)]))
			}
			return there // each is reported once
		})
	}
	slices.Sort(found)
	return found
}

// Observed returns a writer for what others can read, which also writes to another writer.
func Observed(to io.Writer) io.Writer { return observed{to} }

type observed struct{ to io.Writer }

func (o observed) Write(p []byte) (int, error) {
	leaks.Lock()
	if output != nil {
		output.Write(p)
	}
	leaks.Unlock()
	return o.to.Write(p)
}

// Seen declares what others can read of a program outside its log and its metrics.
func Seen(text []byte) { _, _ = observed{io.Discard}.Write(text) } // which cannot fail

// secretMembers are the members of bodies that hold secrets.
var secretMembers = []string{"password", "new_password", "old_password", "current_password", "access", "refresh", "token", "secret", "key", "link"}

var word = regexp.MustCompile(`^[a-z_]+$`)

// shortSecret is the length from which a secret cannot appear by chance.
const shortSecret = 12

// Declare declares a text that may appear in no log, metric or error.
func Declare(text string) {
	if len(text) < shortSecret {
		return
	}
	leaks.Lock()
	defer leaks.Unlock()
	if output != nil {
		secrets[text] = true
	}
}

// mayHoldSecrets reports whether a JSON text has a member with the name of a secret, or escapes letters, which may spell such a name.
func mayHoldSecrets(text []byte) bool {
	return bytes.Contains(text, []byte(`\u`)) || slices.ContainsFunc(secretMembers, func(name string) bool {
		return bytes.Contains(text, []byte(`"`+name+`"`))
	})
}

func secretsInJSON(text []byte) {
	var value any
	if mayHoldSecrets(text) && json.Unmarshal(text, &value) == nil {
		declareIn("", value)
	}
}

func declareIn(member string, value any) {
	switch v := value.(type) {
	case map[string]any:
		for name, inner := range v {
			declareIn(name, inner)
		}
	case []any:
		for _, inner := range v {
			declareIn("", inner)
		}
	case string:
		if _, fragment, linked := strings.Cut(v, "#"); linked {
			v = fragment
		}
		// Parts of a form have keys too, which are words.
		if slices.Contains(secretMembers, member) && !(member == "key" && word.MatchString(v)) {
			Declare(v)
		}
	}
}
