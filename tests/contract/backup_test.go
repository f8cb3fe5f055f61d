package contract

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"tilth/adapters/cli"
	"tilth/tests/rig"
)

func TestBackupAndRestoreWhileServing(t *testing.T) {
	t.Parallel()
	database := rig.SQLite(t)
	s := rig.Start(t, rig.Options{Database: database})
	owner := s.Company("owner", 0)
	before := owner.Make("farm/", map[string]any{"name": "Before"})
	viewer := s.User(owner.CompanyID, "viewer")
	viewer.Expect(403, "POST", "farm/", map[string]any{"name": "x"})
	file := filepath.Join(t.TempDir(), "a folder?", "copy.db")
	require.NoError(t, os.MkdirAll(filepath.Dir(file), 0o700))
	require.Equal(t, file, runJSON(t, database, "backup", file)["file"])
	info, err := os.Stat(file)
	require.NoError(t, err)
	require.EqualValues(t, 0o600, info.Mode().Perm(), "it holds keys")
	_, errOut, status := run(t, database, "", "backup", file)
	require.Equal(t, 1, status)
	require.Contains(t, errOut, "overwrites nothing")
	entries, err := os.ReadDir(filepath.Dir(file))
	require.NoError(t, err)
	require.Len(t, entries, 1, "nothing is left beside it")

	after := owner.Make("farm/", map[string]any{"name": "After"})
	owner.Expect(204, "DELETE", path("farm", before), nil)
	owner.Expect(200, "PATCH", path("user", idOf(t, viewer)), `{"roles":["editor"]}`)
	viewer.Make("farm/", map[string]any{"name": "By an editor"})

	runJSON(t, database, "restore", file)
	owner.Expect(200, "GET", path("farm", before), nil)
	owner.Expect(404, "GET", path("farm", after), nil)
	viewer.Expect(403, "POST", "farm/", map[string]any{"name": "x"}) // not by the roles that the server remembers
	owner.Make("farm/", map[string]any{"name": "Later"})
	require.EqualValues(t, 2, owner.Expect(200, "GET", "farm/", nil).Data(t)["count"])

	// Where there is no database yet, a restore creates one.
	fresh := "sqlite:" + filepath.Join(t.TempDir(), "new", "t.db")
	runJSON(t, fresh, "restore", file)
	elsewhere := rig.Start(t, rig.Options{Database: fresh})
	rig.Remote(t, elsewhere.URL, owner.Token).Expect(200, "GET", path("farm", before), nil)
}

// A server makes backups on a schedule, including stored files, and a new installation is made from such a backup.
func TestScheduledBackup(t *testing.T) {
	t.Parallel()
	database, stored, backups := rig.SQLite(t), t.TempDir(), filepath.Join(t.TempDir(), "backups")
	require.NoError(t, os.WriteFile(filepath.Join(stored, "clay.tif"), []byte("a raster"), 0o600))
	token := tokenOf(t, database)
	rig.Start(t, rig.Options{Database: database, Config: func(c *cli.Config) {
		c.ObjectsURL, c.BackupDir, c.BackupEvery, c.BackupKeep = "file:"+stored, backups, time.Hour, 2
	}})
	var found []string
	rig.Eventually(t, func() bool {
		found, _ = filepath.Glob(filepath.Join(backups, "tilth-*Z.tar"))
		return len(found) == 1
	}, 10*time.Minute, 20*time.Millisecond)

	trial := t.TempDir()
	tried := runJSON(t, database, "backup", "verify", found[0], "--folder", trial)
	require.EqualValues(t, 3, tried["chains"], "the ledger, the trail of the company, that of the operator")
	left, err := os.ReadDir(trial)
	require.NoError(t, err)
	require.Empty(t, left, "a trial leaves nothing")

	fresh, files := "sqlite:"+filepath.Join(t.TempDir(), "t.db"), t.TempDir()
	runJSON(t, fresh, "restore", found[0], "--objects-url", "file:"+files)
	text, err := os.ReadFile(filepath.Join(files, "clay.tif"))
	require.NoError(t, err)
	require.Equal(t, "a raster", string(text))
	rig.Remote(t, rig.Start(t, rig.Options{Database: fresh, Config: func(c *cli.Config) { c.ObjectsURL = "file:" + files }}).URL, token).Make("farm/", map[string]any{"name": "Later"})

	out, _, _ := run(t, database, "", "doctor", "--backup-dir", backups)
	require.Contains(t, out, "backups        the newest is from 20")
	out, _, status := run(t, database, "", "doctor", "--backup-dir", t.TempDir())
	require.Equal(t, 1, status)
	require.Contains(t, out, "there is none in")
}

// A misspelt verify is not taken as the name of the backup file; a file with such a name is written with its folder.
func TestBackupTakesNoMisspeltCommandForAFile(t *testing.T) {
	t.Parallel()
	database := rig.SQLite(t)
	for _, args := range [][]string{{"backup", "verfy"}, {"backup", "verfy", "copy.tar"}} {
		_, errOut, status := run(t, database, "", args...)
		require.Equal(t, 2, status, errOut)
		require.Contains(t, errOut, "did you mean `verify`?")
		require.NoFileExists(t, "verfy")
	}
	file := filepath.Join(t.TempDir(), "verfy")
	require.Equal(t, file, runJSON(t, database, "backup", file)["file"])
}

// A file that is not a backup changes nothing.
func TestRestoreRefusesWhatIsNoBackup(t *testing.T) {
	t.Parallel()
	database, dir := rig.SQLite(t), t.TempDir()
	good := filepath.Join(dir, "good.db")
	runJSON(t, database, "backup", good)
	text, err := os.ReadFile(good)
	require.NoError(t, err)
	broken := append([]byte{}, text...)
	for i := 5000; i < len(broken)/2; i++ {
		broken[i] ^= 0x5a
	}
	for name, content := range map[string][]byte{
		"text": []byte("no database at all, but long enough to be read as one" + strings.Repeat(".", 200)), "empty": {}, "broken": broken, "cut": text[:len(text)/2],
	} {
		file := filepath.Join(dir, name)
		require.NoError(t, os.WriteFile(file, content, 0o600))
		_, errOut, status := run(t, database, "", "backup", "verify", file)
		require.Equal(t, 1, status, errOut)
		_, errOut, status = run(t, database, "", "restore", file)
		require.Equal(t, 1, status, name)
		require.Contains(t, errOut, "not a Tilth backup", name)
	}
	_, _, status := run(t, database, "", "restore", filepath.Join(dir, "none"))
	require.Equal(t, 1, status)
	runJSON(t, database, "company", "create", "--name", "Still here")
}

func TestBackupOfPostgreSQLNamesItsTools(t *testing.T) {
	t.Parallel()
	database := rig.PostgreSQL(t)
	for command, tool := range map[string]string{"backup": "pg_dump", "restore": "pg_restore"} {
		_, errOut, status := run(t, database, "", command, filepath.Join(t.TempDir(), "f"))
		require.Equal(t, 1, status)
		require.Contains(t, errOut, tool)
	}
}

func TestKeyRotation(t *testing.T) {
	t.Parallel()
	rig.EachDatabase(t, func(t *testing.T, database string) {
		s := rig.Start(t, rig.Options{Database: database})
		owner := s.Company("owner", 0)
		first := runJSON(t, database, "key", "rotate")["id"].(string)
		second := runJSON(t, database, "key", "rotate")["id"].(string)
		require.NotEqual(t, first, second)
		owner.Expect(200, "GET", "farm/", nil) // signed with the key from before both rotations
		later := rig.Remote(t, s.URL, runJSON(t, database, "token", "create", "--user", owner.Email)["access"].(string))
		later.Expect(200, "GET", "farm/", nil)
	})
}
