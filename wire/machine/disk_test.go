package machine

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"tilth/adapters/cli"
)

// The doctor warns where a disk is nearly full, and fails where nothing more can be written, with the setting that names it.
func TestTheDoctorLooksForRoom(t *testing.T) {
	t.Parallel()
	database := filepath.Join(t.TempDir(), "tilth.db")
	require.NoError(t, os.WriteFile(database, make([]byte, 5<<20), 0o600))
	cfg := cli.Config{DatabaseURL: "sqlite:" + database + "?_x=1", ObjectsURL: "file:" + filepath.Join(t.TempDir(), "not", "yet", "there"), BackupDir: t.TempDir()}
	for name, c := range map[string]struct {
		free     uint64
		at       string // the folder with that much free; elsewhere there is plenty
		ok, warn bool
		fix      string
	}{
		"plenty":                   {1 << 40, filepath.Dir(database), true, false, ""},
		"not for a copy of it":     {1<<30 + 1<<20, filepath.Dir(database), true, true, "1029 MiB in " + filepath.Dir(database)},
		"enough for other folders": {1<<30 + 1<<20, cfg.BackupDir, true, false, ""},
		"nearly full":              {1 << 29, cfg.BackupDir, true, true, "TILTH_BACKUP_DIR"},
		"full":                     {1 << 20, cfg.BackupDir, false, false, "TILTH_BACKUP_DIR"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := examineDisk(places(cfg), func(folder string) (uint64, error) {
				_, err := os.Stat(folder)
				require.NoError(t, err, "only folders that exist are asked for")
				if folder == c.at {
					return c.free, nil
				}
				return 1 << 40, nil
			})
			require.Equal(t, []any{c.ok, c.warn}, []any{f.OK, f.Warn}, "%+v", f)
			require.Contains(t, f.Fix, c.fix)
			require.Equal(t, c.fix == "", f.Fix == "")
			require.NotEmpty(t, f.Detail)
		})
	}
	f := examineDisk(places(cfg), func(string) (uint64, error) { return 0, errors.ErrUnsupported })
	require.True(t, f.OK)
	free, err := freeBytes(t.TempDir())
	require.True(t, free > 0 || errors.Is(err, errors.ErrUnsupported))
}
