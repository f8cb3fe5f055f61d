package power_test

import (
	"encoding/hex"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"tilth/tests/power"
)

// quote writes a text as strace -xx does.
func quote(text string) string {
	digits := hex.EncodeToString([]byte(text))
	var out strings.Builder
	for i := 0; i < len(digits); i += 2 {
		out.WriteString(`\x` + digits[i:i+2])
	}
	return out.String()
}

// The disk keeps what was synced before the moment of the cut, and nothing else.
func TestDiskKeepsWhatWasSynced(t *testing.T) {
	fd := func(path string) string { return "5<" + quote(path) + ">" }
	write := func(at int, text string) string {
		return fmt.Sprintf(`1 pwrite64(%s, "%s", %d, %d) = %d`, fd("/d/a"), quote(text), len(text), at, len(text))
	}
	made := fmt.Sprintf(`1 openat(AT_FDCWD<%s>, "%s", O_RDWR|O_CREAT, 0600) = 5`, quote("/d"), quote("/d/a"))
	syncFile, syncFolder := "1 fsync("+fd("/d/a")+") = 0", "1 fsync("+fd("/d")+") = 0"
	const lost = "(no file)"
	for name, tt := range map[string]struct {
		trace []string
		want  string
	}{
		"synced, and its folder":     {[]string{made, syncFolder, write(0, "one"), syncFile}, "one"},
		"without its folder":         {[]string{made, write(0, "one"), syncFile}, lost},
		"its folder came first":      {[]string{syncFolder, made, write(0, "one"), syncFile}, lost},
		"a write after the sync":     {[]string{made, syncFolder, write(0, "one"), syncFile, write(3, "two")}, "one"},
		"no sync":                    {[]string{made, syncFolder, write(0, "one")}, ""},
		"a sync that failed":         {[]string{made, syncFolder, write(0, "one"), "1 fsync(" + fd("/d/a") + ") = -1 EIO (Input/output error)"}, ""},
		"a sync that lasts":          {[]string{made, syncFolder, write(0, "one"), "1 fsync(" + fd("/d/a") + " <unfinished ...>"}, ""},
		"a sync in two halves":       {[]string{made, syncFolder, write(0, "one"), "1 fsync(" + fd("/d/a") + " <unfinished ...>", "1 <... fsync resumed>) = 0"}, "one"},
		"a write within the sync":    {[]string{made, syncFolder, "2 fsync(" + fd("/d/a") + " <unfinished ...>", write(0, "one"), "2 <... fsync resumed>) = 0"}, ""},
		"cut off again":              {[]string{made, syncFolder, write(0, "one"), "1 ftruncate(" + fd("/d/a") + ", 2) = 0", syncFile}, "on"},
		"removed":                    {[]string{made, syncFolder, fmt.Sprintf(`1 unlinkat(AT_FDCWD<%s>, "%s", 0) = 0`, quote("/d"), quote("/d/a")), syncFolder}, lost},
		"removed without the folder": {[]string{made, write(0, "one"), syncFile, syncFolder, fmt.Sprintf(`1 unlink("%s") = 0`, quote("/d/a"))}, "one"},
		"renamed onto": {[]string{
			strings.ReplaceAll(made, quote("/d/a"), quote("/d/b")), strings.ReplaceAll(write(0, "new"), quote("/d/a"), quote("/d/b")),
			strings.ReplaceAll(syncFile, quote("/d/a"), quote("/d/b")),
			fmt.Sprintf(`1 renameat(AT_FDCWD<%[1]s>, "%[2]s", AT_FDCWD<%[1]s>, "%[3]s") = 0`, quote("/d"), quote("/d/b"), quote("/d/a")), syncFolder,
		}, "new"},
	} {
		t.Run(name, func(t *testing.T) {
			disk := power.NewDisk("/d")
			answered := 0
			trace := strings.Join(append(tt.trace, `1 write(9<`+quote("socket:[7]")+`>, "`+quote("HTTP/1.1 200 OK")+`", 15) = 15`), "\n") + "\n"
			require.NoError(t, disk.Replay([]byte(trace), func([]byte) error {
				answered++
				into := t.TempDir()
				require.NoError(t, disk.Cut(into, 0, rand.New(rand.NewPCG(1, 1))))
				text, err := os.ReadFile(filepath.Join(into, "a"))
				if err != nil {
					text = []byte(lost)
				}
				require.Equal(t, tt.want, string(text))
				return nil
			}))
			require.Equal(t, 1, answered)
		})
	}
}
