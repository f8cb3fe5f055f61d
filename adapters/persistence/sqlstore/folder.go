package sqlstore

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
)

// makeFolder makes a folder and those above it that are missing. It returns the folders whose
// entries a new file in it must see onto the disk, so that a power cut loses no name on its path.
func makeFolder(dir string) (unsettled []string, err error) {
	for above := dir; ; above = filepath.Dir(above) {
		unsettled = append(unsettled, above)
		if _, err := os.Stat(above); !errors.Is(err, fs.ErrNotExist) || above == filepath.Dir(above) {
			break
		}
	}
	return unsettled, os.MkdirAll(dir, 0o750)
}

// SettleFolder sees the names in folders onto the disk: a sync of a file saves what it holds, not
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
