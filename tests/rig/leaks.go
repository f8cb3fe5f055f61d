package rig

import (
	"bytes"
	"encoding/json"
	"fmt"
	"index/suffixarray"
	"io"
	"net/http"
	"os"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
)

// output is what all programs of a test binary wrote where others can read it: logs, figures and
// errors. secrets is what clients sent and were sent that may not appear there.
var (
	output  *bytes.Buffer // nil: not kept
	secrets = map[string]bool{}
	leaks   sync.Mutex
)

// MainWithoutLeaks is Main, and fails where a secret that a client sent or was sent appears in a
// log, in figures, or in an answer that is an error.
func MainWithoutLeaks(m *testing.M) {
	if os.Getenv(beTheProgram) == "1" {
		Main(m)
	}
	output = &bytes.Buffer{}
	status := m.Run()
	if found := leaked(output.Bytes()); len(found) > 0 {
		fmt.Printf("--- FAIL: secrets in logs, figures or errors:\n%s\n", strings.Join(found, "\n"))
		status = max(status, 1)
	}
	os.Exit(status)
}

// leaked returns where secrets appear in a text.
func leaked(text []byte) (found []string) {
	index := suffixarray.New(text)
	for secret := range secrets {
		if at := index.Lookup([]byte(secret), 1); len(at) > 0 {
			found = append(found, string(text[max(0, at[0]-200):min(len(text), at[0]+len(secret)+50)]))
		}
	}
	slices.Sort(found)
	return found
}

// observed writes what others can read, to the writer too.
type observed struct{ to io.Writer }

func (o observed) Write(p []byte) (int, error) {
	leaks.Lock()
	if output != nil {
		output.Write(p)
	}
	leaks.Unlock()
	return o.to.Write(p)
}

// secretMembers are the members of bodies that hold secrets.
var secretMembers = []string{"password", "new_password", "old_password", "current_password", "access", "refresh", "token", "secret", "key", "link"}

var word = regexp.MustCompile(`^[a-z_]+$`)

// shortSecret is the length from which a secret cannot be there by chance.
const shortSecret = 12

// Secret declares a text that may appear in no log, figure or error.
func Secret(text string) {
	if len(text) < shortSecret {
		return
	}
	leaks.Lock()
	defer leaks.Unlock()
	if output != nil {
		secrets[text] = true
	}
}

// watch declares the secrets of a request and of its answer, and looks at the answer if it is an error.
func watch(token string, sent, received []byte, status int) {
	Secret(token)
	secretsIn(sent)
	if status < http.StatusBadRequest {
		secretsIn(received)
		return
	}
	_, _ = observed{io.Discard}.Write(append(slices.Clone(received), '\n'))
}

func secretsIn(text []byte) {
	var value any
	if json.Unmarshal(text, &value) == nil {
		declare("", value)
	}
}

func declare(member string, value any) {
	switch v := value.(type) {
	case map[string]any:
		for name, inner := range v {
			declare(name, inner)
		}
	case []any:
		for _, inner := range v {
			declare("", inner)
		}
	case string:
		if _, fragment, linked := strings.Cut(v, "#"); linked {
			v = fragment
		}
		// Parts of a form have keys too, which are words.
		if slices.Contains(secretMembers, member) && !(member == "key" && word.MatchString(v)) {
			Secret(v)
		}
	}
}
