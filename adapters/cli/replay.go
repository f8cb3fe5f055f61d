package cli

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"tilth/core/ghg/replay"
)

// maxVersionFile bounds an exported version: one of a thousand items has 5 MB.
const maxVersionFile = 256 << 20

func (s *shell) ghg() *cobra.Command {
	c := &cobra.Command{
		Use: "replay FILE", Short: "Recompute an exported version of an assessment from its file alone",
		Long: `Recompute total and range of an exported version from its file alone: the answer of
GET ghg/assessments/{id}/submissions/{n}/, or - for one on stdin. It needs no database and uses no
equation of the engine. The exit status is 0 if the file holds what its steps produce, 1 if it does not,
with the first step that differs, and 2 if the file cannot be replayed.`,
		Args: cobra.ExactArgs(1),
		RunE: func(_ *cobra.Command, args []string) error {
			file, err := s.readVersion(args[0])
			if err != nil {
				return unreadableError{err}
			}
			out, err := replay.Version(file)
			if err != nil {
				return unreadableError{err}
			}
			if err := s.printReplayed(out); err != nil {
				return err
			}
			if out.Difference != nil {
				return errors.New("the file is not what its steps produce, see above")
			}
			return nil
		},
	}
	return group("ghg", "Examine exported greenhouse-gas results", c)
}

// unreadableError is the reason why a file cannot be examined at all, unlike one that was and failed.
type unreadableError struct{ error }

func (s *shell) readVersion(path string) ([]byte, error) {
	read := func(r io.Reader) ([]byte, error) {
		text, err := io.ReadAll(io.LimitReader(r, maxVersionFile+1))
		if err == nil && len(text) > maxVersionFile {
			err = errors.New("the file is larger than 256 MiB")
		}
		return text, err
	}
	if path == "-" {
		return read(bufio.NewReader(s.In))
	}
	return readFile(path, read)
}

func (s *shell) printReplayed(out replay.Outcome) error {
	shown := record{
		{"same", out.Difference == nil}, {"steps", out.Steps},
		{"emissions", out.Emissions}, {"emissions_low", out.Low}, {"emissions_high", out.High},
		{"removals", out.Removals}, {"removals_low", out.RemovedLow}, {"removals_high", out.RemovedHigh},
		{"unused", append([]string{}, out.Unused...)},
	}
	if d := out.Difference; d != nil {
		shown = append(shown, member{"difference", record{{"step", d.Step}, {"name", d.Name}, {"item", d.Item}, {"detail", d.Text}}})
		return s.print(shown, "DIFFERS: %s", d)
	}
	text := fmt.Sprintf("same: %d steps produce emissions of %v t CO2e (95 %%: %v to %v) and removals of %v t CO2e (95 %%: %v to %v)",
		out.Steps, out.Emissions, out.Low, out.High, out.Removals, out.RemovedLow, out.RemovedHigh)
	if len(out.Unused) > 0 {
		text += "\nno step uses " + strings.Join(out.Unused, ", ")
	}
	return s.print(shown, "%s", text)
}
