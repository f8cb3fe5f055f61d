package archive

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"time"

	"tilth/core/fault"
	"tilth/ports"
)

// stamped is the name of a scheduled backup. Names sort as their times do.
const stamped = "tilth-20060102T150405Z.tar"

// Schedule backs up into a folder and keeps the newest backups. Other files in the folder stay.
type Schedule struct {
	Folder string
	Every  time.Duration
	Keep   int
	Clock  ports.Clock
}

// Newest returns the time of the newest backup; the zero time where there is none.
func (s Schedule) Newest() (time.Time, error) {
	all, err := s.backups(s.Clock.Now())
	if err != nil || len(all) == 0 {
		return time.Time{}, err
	}
	return time.Parse(stamped, all[len(all)-1])
}

// Run makes a backup if one is due, and removes the backups beyond Keep. It returns how many it made.
func (s Schedule) Run(ctx context.Context, a Archive) (int64, error) {
	newest, err := s.Newest()
	now := s.Clock.Now().UTC()
	if err != nil || now.Sub(newest) < s.Every {
		return 0, err
	}
	if err := os.MkdirAll(s.Folder, 0o700); err != nil {
		return 0, fmt.Errorf("make the folder of the backups: %w", err)
	}
	err = a.Write(ctx, filepath.Join(s.Folder, now.Format(stamped)))
	if f, ok := fault.As(err); ok && f.Code == "file_exists" {
		return 0, nil // another server was first
	}
	if err != nil {
		return 0, err
	}
	return 1, s.prune(now)
}

func (s Schedule) prune(now time.Time) error {
	all, err := s.backups(now)
	for len(all) > s.Keep {
		err = errors.Join(err, os.Remove(filepath.Join(s.Folder, all[0])))
		all = all[1:]
	}
	return err
}

// backups lists the scheduled backups up to now, the oldest first. Those from the future were made before the clock
// was set back: they are not counted, and stay.
func (s Schedule) backups(now time.Time) (out []string, err error) {
	entries, err := os.ReadDir(s.Folder)
	if errors.Is(err, os.ErrNotExist) {
		return nil, nil
	}
	for _, e := range entries {
		if at, err := time.Parse(stamped, e.Name()); err == nil && !at.After(now) {
			out = append(out, e.Name())
		}
	}
	slices.Sort(out)
	return out, err
}
