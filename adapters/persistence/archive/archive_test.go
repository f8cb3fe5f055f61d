package archive_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"tilth/adapters/objects"
	"tilth/adapters/persistence/archive"
	"tilth/core/fault"
)

// database is a file that stands for a database; while it is copied, something else may happen.
type database struct {
	content   string
	meanwhile func()
}

func (d *database) Backup(_ context.Context, file string) error {
	if d.meanwhile != nil {
		d.meanwhile()
	}
	return os.WriteFile(file, []byte(d.content), 0o600)
}

func (d *database) Restore(_ context.Context, file string) error {
	text, err := os.ReadFile(file)
	d.content = string(text)
	return err
}

func store(t *testing.T, names ...string) objects.Store {
	t.Helper()
	out, err := objects.Open("file:" + filepath.Join(t.TempDir(), "objects"))
	require.NoError(t, err)
	put(t, out, names...)
	return out
}

func put(t *testing.T, into objects.Store, names ...string) {
	t.Helper()
	for _, name := range names {
		_, err := into.Put(t.Context(), name, strings.NewReader("content of "+name))
		require.NoError(t, err)
	}
}

func contentOf(t *testing.T, from objects.Store, name string) string {
	t.Helper()
	file, err := from.Open(t.Context(), name)
	require.NoError(t, err)
	defer func() { require.NoError(t, file.Close()) }()
	text, err := io.ReadAll(io.NewSectionReader(file, 0, file.Size()))
	require.NoError(t, err)
	return string(text)
}

func requireCode(t *testing.T, code string, err error) {
	t.Helper()
	f, ok := fault.As(err)
	require.True(t, ok, "%v", err)
	require.Equal(t, code, f.Code)
}

func TestAnArchiveBringsAllBack(t *testing.T) {
	t.Parallel()
	files := store(t, "layers/a.tif", "uploads/7", "uploads/gone")
	db := &database{content: "rows"}
	db.meanwhile = func() {
		put(t, files, "uploads/8")
		require.NoError(t, files.Remove(t.Context(), "uploads/gone"))
	}
	file := filepath.Join(t.TempDir(), "backup.tar")
	require.NoError(t, archive.Archive{Database: db, Files: files}.Write(t.Context(), file))
	info, err := os.Stat(file)
	require.NoError(t, err)
	require.EqualValues(t, 0o600, info.Mode().Perm())
	around, err := os.ReadDir(filepath.Dir(file))
	require.NoError(t, err)
	require.Len(t, around, 1, "nothing is left beside it")
	requireCode(t, "file_exists", archive.Archive{Database: db, Files: files}.Write(t.Context(), file))

	back, fresh := &database{}, store(t, "uploads/7", "uploads/9")
	require.NoError(t, archive.Archive{Database: back, Files: fresh, Scratch: filepath.Join(t.TempDir(), "new")}.Restore(t.Context(), file))
	require.Equal(t, "rows", back.content)
	names, err := fresh.Names(t.Context())
	require.NoError(t, err)
	require.Equal(t, []string{"layers/a.tif", "uploads/7", "uploads/8", "uploads/9", "uploads/gone"}, names)
	require.Equal(t, "content of layers/a.tif", contentOf(t, fresh, "layers/a.tif"))
}

// Any byte that changes, and any end that is missing, is found before anything is changed.
func TestADamagedArchiveChangesNothing(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "backup.tar")
	require.NoError(t, archive.Archive{Database: &database{content: strings.Repeat("rows", 200)}, Files: store(t, "a")}.Write(t.Context(), file))
	whole, err := os.ReadFile(file)
	require.NoError(t, err)
	refused := func(content []byte, what string, at int) {
		damaged := filepath.Join(t.TempDir(), "damaged")
		require.NoError(t, os.WriteFile(damaged, content, 0o600))
		db, files := &database{content: "old"}, store(t)
		requireCode(t, "backup_invalid", archive.Archive{Database: db, Files: files, Scratch: t.TempDir()}.Restore(t.Context(), damaged))
		require.Equal(t, "old", db.content, "%s %d", what, at)
		names, err := files.Names(t.Context())
		require.NoError(t, err)
		require.Empty(t, names)
	}
	// After the manifest, and between members, are zeros that hold nothing.
	for at := 0; at <= bytes.LastIndexByte(whole, ']'); at += 97 {
		refused(whole[:at], "cut at", at)
		if whole[at] != 0 {
			refused(slices.Concat(whole[:at], []byte{whole[at] ^ 1}, whole[at+1:]), "changed at", at)
		}
	}
	refused(bytes.Replace(whole, []byte("files/a"), []byte("files/b"), 1), "renamed", 0)
	refused(bytes.Replace(whole, []byte("files/a"), []byte("../etc/"), 1), "leaving its folder", 0)
}

type clock struct{ now time.Time }

func (c *clock) Now() time.Time { return c.now }

func TestBackupsAreMadeOnSchedule(t *testing.T) {
	t.Parallel()
	now := &clock{time.Date(2026, 3, 4, 5, 6, 7, 8, time.FixedZone("", 7200))}
	s := archive.Schedule{Folder: filepath.Join(t.TempDir(), "backups"), Every: 24 * time.Hour, Keep: 3, Clock: now}
	a := archive.Archive{Database: &database{content: "rows"}, Files: store(t)}
	run := func() int64 {
		t.Helper()
		n, err := s.Run(t.Context(), a)
		require.NoError(t, err)
		return n
	}
	names := func() (out []string) {
		entries, err := os.ReadDir(s.Folder)
		require.NoError(t, err)
		for _, e := range entries {
			out = append(out, e.Name())
		}
		return out
	}
	newest, err := s.Newest()
	require.NoError(t, err)
	require.Zero(t, newest)
	require.EqualValues(t, 1, run(), "the first at once")
	require.Zero(t, run())
	require.Equal(t, []string{"tilth-20260304T030607Z.tar"}, names())
	require.NoError(t, os.WriteFile(filepath.Join(s.Folder, "notes.txt"), nil, 0o600))
	for range 4 {
		now.now = now.now.Add(24*time.Hour + time.Second)
		require.EqualValues(t, 1, run())
	}
	require.Equal(t, []string{"notes.txt", "tilth-20260306T030609Z.tar", "tilth-20260307T030610Z.tar", "tilth-20260308T030611Z.tar"}, names())

	// A clock that was in 2030 for a while neither stops the backups nor costs one.
	require.NoError(t, os.WriteFile(filepath.Join(s.Folder, "tilth-20300101T000000Z.tar"), nil, 0o600))
	require.Zero(t, run())
	now.now = now.now.Add(25 * time.Hour)
	require.EqualValues(t, 1, run())
	require.Equal(t, []string{
		"notes.txt", "tilth-20260307T030610Z.tar", "tilth-20260308T030611Z.tar", "tilth-20260309T040611Z.tar", "tilth-20300101T000000Z.tar",
	}, names())

	// A backup that fails leaves the others alone, and is tried again.
	now.now = now.now.Add(25 * time.Hour)
	a.Database = broken{}
	_, err = s.Run(t.Context(), a)
	require.Error(t, err)
	require.Len(t, names(), 5)
}

type broken struct{ *database }

func (broken) Backup(context.Context, string) error { return errors.New("the disk is full") }
