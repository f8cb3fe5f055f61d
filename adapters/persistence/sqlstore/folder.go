package sqlstore

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
)

// makeFolder makes a folder and its missing parents. It returns the folders that must be synced
// once a file is made in it, so that a power cut loses no name on the file's path.
func makeFolder(dir string) (unsettled []string, err error) {
	for above := dir; ; above = filepath.Dir(above) {
		unsettled = append(unsettled, above)
		if _, err := os.Stat(above); !errors.Is(err, fs.ErrNotExist) || above == filepath.Dir(above) {
			break
		}
	}
	return unsettled, os.MkdirAll(dir, 0o750)
}

// SettleFolder syncs the names in folders to the disk: a sync of a file saves its content, not
// its name. Windows saves names by itself and has no such call.
func SettleFolder(dirs ...string) error {
	if runtime.GOOS == "windows" {
		return nil
	}
	for _, dir := range dirs {
		folder, err := os.Open(dir)
		if err != nil {
			return fmt.Errorf("open a folder to save its names: %w", err)
		}
		if err := errors.Join(folder.Sync(), folder.Close()); err != nil {
			return fmt.Errorf("save the names in a folder: %w", err)
		}
	}
	return nil
}
