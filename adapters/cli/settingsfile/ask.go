package settingsfile

import (
	"bufio"
	"cmp"
	"errors"
	"fmt"
	"io"
	"strings"
)

// Question asks for the value of a setting.
type Question struct {
	Variable string
	Text     string
	Default  string
}

// maxTries is how often a question is asked.
const maxTries = 5

// Ask asks questions until check accepts each answer. An empty answer is the default.
func Ask(in io.Reader, out io.Writer, questions []Question, check func(variable, answer string) error) (map[string]string, error) {
	lines, answers := bufio.NewScanner(in), map[string]string{}
	for _, q := range questions {
		for try := 1; ; try++ {
			fmt.Fprintf(out, "%s\n  [%s] ", q.Text, q.Default)
			if !lines.Scan() {
				fmt.Fprintln(out)
				return nil, cmp.Or(lines.Err(), errors.New("the input ended before every question was answered, so nothing was written. Fix: answer every question, or run it with --yes"))
			}
			answer := cmp.Or(strings.TrimSpace(lines.Text()), q.Default)
			err := check(q.Variable, answer)
			if err == nil {
				answers[q.Variable] = answer
				break
			}
			if try == maxTries {
				return nil, err
			}
			fmt.Fprintf(out, "  %v\n", err)
		}
	}
	return answers, nil
}
