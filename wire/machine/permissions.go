package machine

import (
	"fmt"
	"os"
	"runtime"
	"strings"

	"tilth/adapters/cli"
)

// others are the permissions of all but the owner of a file.
const others = 0o077

// Permissions reports which files that hold secrets, or every record, other users of this machine can read. file is the file
// of settings, which may hold passwords; empty: there is none.
func Permissions(cfg cli.Config, file string) cli.Finding {
	f := cli.Finding{Part: "permissions", OK: true, Detail: "only their owner can read the files of settings, keys and records"}
	if runtime.GOOS == "windows" {
		f.Detail = "not checked: Windows has access control lists instead"
		return f
	}
	var open, fixes []string
	for _, name := range []string{file, cfg.SecretKeyFile, cfg.TLSKey, sqliteFile(cfg.DatabaseURL)} {
		info, err := os.Stat(name)
		if err != nil || info.Mode().Perm()&others == 0 {
			continue // a missing file is reported by the part that needs it
		}
		open, fixes = append(open, fmt.Sprintf("%s (%s)", name, info.Mode().Perm())), append(fixes, name)
	}
	if len(open) > 0 {
		f.Warn, f.Detail = true, "other users of this machine can read "+strings.Join(open, ", ")
		f.Fix = "chmod 600 " + strings.Join(fixes, " ")
	}
	return f
}

// sqliteFile returns the file of a database on SQLite, or an empty text.
func sqliteFile(address string) string {
	path, ok := strings.CutPrefix(address, "sqlite:")
	if !ok {
		return ""
	}
	path, _, _ = strings.Cut(path, "?")
	return path
}
