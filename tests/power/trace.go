// Package power determines what a power cut leaves of a program's files. It reads the trace that
// strace writes of the program's system calls and replays it on a disk that keeps only what was
// synced: the content of files by a sync of the file, their names by a sync of the folder.
package power

import (
	"bytes"
	"encoding/hex"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"
)

// calls are the system calls that change files, or send answers. Which of them exist depends
// on the processor; strace ignores missing ones that are marked with a question mark. What is
// written to a file in another way is not seen, so it counts as lost.
const calls = "?open,openat,?creat,?mkdir,mkdirat,?rename,?renameat,renameat2,?link,linkat,?unlink,unlinkat," +
	"write,writev,pwrite64,pwritev,ftruncate,fsync,fdatasync"

// Traced returns the command as it runs under strace, which writes its trace into a file. The
// process of the command is the program itself. If strace is missing or may not trace, the test
// is skipped with a notice, or fails when TILTH_REQUIRE_STRACE=1.
func Traced(t testing.TB, trace, program string, args ...string) *exec.Cmd {
	t.Helper()
	flags := []string{"-D", "-f", "-q", "-y", "-xx", "-s", "100000", "-e", "trace=" + calls}
	probe := filepath.Join(t.TempDir(), "probe")
	out, err := exec.CommandContext(t.Context(), "strace", append(flags, "-o", probe, "--", "true")...).CombinedOutput()
	if err != nil {
		if os.Getenv("TILTH_REQUIRE_STRACE") == "1" {
			t.Fatalf("TILTH_REQUIRE_STRACE=1, and strace does not work: %v %s", err, out)
		}
		t.Skipf("LEFT OUT: what a power cut leaves is not tested, for strace does not work (Debian: apt-get install strace): %v %s", err, out)
	}
	return exec.Command("strace", append(append(flags, "-o", trace, "--", program), args...)...)
}

// Complete waits until a trace holds the end of its program, whose process is given, and returns it.
func Complete(t testing.TB, trace string, process int) []byte {
	t.Helper()
	end := regexp.MustCompile(`(?m)^` + strconv.Itoa(process) + ` +\+\+\+ (exited|killed)`)
	for limit := time.Now().Add(5 * time.Minute); time.Now().Before(limit); time.Sleep(20 * time.Millisecond) {
		text, err := os.ReadFile(trace)
		if err == nil && end.Match(text[max(0, len(text)-4096):]) {
			return text
		}
	}
	t.Fatalf("the trace %s has no end", trace)
	return nil
}

// call is a system call, or one half of it if another thread came between the halves.
type call struct {
	thread string
	name   string
	args   []string // as strace writes them, without those of the second half
	result string   // "" while the call lasts
}

// read calls f at the beginning and at the end of every call of a trace, in order.
func read(trace []byte, f func(c call, ends bool) error) error {
	open := map[string]call{}
	for text := range strings.Lines(string(trace)) {
		thread, rest, _ := strings.Cut(strings.TrimSuffix(text, "\n"), " ")
		rest = strings.TrimLeft(rest, " ")
		c := call{thread: thread}
		halves := strings.LastIndex(rest, ") ")
		var err error
		switch begun, unfinished := strings.CutSuffix(rest, " <unfinished ...>"); {
		case unfinished:
			c.name, c.args = named(begun)
			open[thread] = c
			err = f(c, false)
		case halves < 0: // a signal, an end, or the last line of a program that was killed
		case strings.HasPrefix(rest, "<... "):
			c = open[thread]
			delete(open, thread)
			c.result = strings.TrimLeft(rest[halves+1:], "= ")
			err = f(c, true)
		default:
			c.name, c.args = named(rest[:halves])
			if err = f(c, false); err == nil {
				c.result = strings.TrimLeft(rest[halves+1:], "= ")
				err = f(c, true)
			}
		}
		if err != nil {
			return fmt.Errorf("%.200s: %w", text, err)
		}
	}
	return nil
}

func named(text string) (name string, args []string) {
	name, list, _ := strings.Cut(text, "(")
	return name, split(list)
}

// split separates arguments. Texts are in hexadecimal, so every comma separates, except those
// between brackets.
func split(args string) (out []string) {
	depth, start := 0, 0
	for i := range len(args) {
		switch args[i] {
		case '[', '{':
			depth++
		case ']', '}':
			depth--
		case ',':
			if depth == 0 {
				out = append(out, strings.TrimSpace(args[start:i]))
				start = i + 1
			}
		}
	}
	return append(out, strings.TrimSpace(args[start:]))
}

func (c call) failed() bool { return strings.HasPrefix(c.result, "-") || c.result == "?" }

// file returns the path or the name behind a descriptor such as 5<\x2f\x78>.
func (c call) file(i int) string {
	_, path, _ := strings.Cut(c.args[i], "<")
	return string(unhex(strings.TrimSuffix(path, ">")))
}

func unhex(digits string) []byte {
	out, err := hex.DecodeString(strings.ReplaceAll(digits, `\x`, ""))
	if err != nil {
		return []byte(digits) // socket:[7]
	}
	return out
}

// text returns an argument that is a text.
func (c call) text(i int) ([]byte, error) {
	if strings.HasSuffix(c.args[i], "...") {
		return nil, fmt.Errorf("%s: its text is cut off in the trace", c.name)
	}
	return unhex(strings.Trim(c.args[i], `"`)), nil
}

// texts returns the texts of a vector such as [{iov_base="\x41", iov_len=1}].
func (c call) texts(i int) ([]byte, error) {
	var out bytes.Buffer
	for _, part := range regexp.MustCompile(`iov_base="([^"]*)"(\.\.\.)?`).FindAllStringSubmatch(c.args[i], -1) {
		if part[2] != "" {
			return nil, fmt.Errorf("%s: its text is cut off in the trace", c.name)
		}
		out.Write(unhex(part[1]))
	}
	return out.Bytes(), nil
}

// path returns the path at i, or the path relative to the folder whose descriptor is at i.
func (c call) path(at bool, i int) (string, error) {
	name, err := c.text(i)
	if err != nil || filepath.IsAbs(string(name)) || !at {
		return string(name), err
	}
	return filepath.Join(c.file(i-1), string(name)), nil
}

func (c call) number(i int) (int64, error) { return strconv.ParseInt(c.args[i], 10, 64) }
