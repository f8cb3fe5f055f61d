// Package kept keeps a file that each test process of a make test would make for itself: the first makes it, the others read
// it. Only tests import it.
package kept

import (
	"errors"
	"os"
	"path/filepath"
)

// Variable names a folder, which make test makes and removes. Without it every process makes its own file.
const Variable = "TILTH_TEST_KEPT"

// Once returns the file of that name, and makes it if no process has. Several may do so at a time, so that none waits: any of
// their files will do.
func Once(name string, make func() ([]byte, error)) ([]byte, error) {
	folder := os.Getenv(Variable)
	if folder == "" {
		return make()
	}
	path := filepath.Join(folder, name)
	if file, err := os.ReadFile(path); err == nil {
		return file, nil
	}
	file, err := make()
	if err != nil {
		return nil, err
	}
	return file, replace(path, file)
}

// replace writes a file as a whole: nobody reads a part of it.
func replace(path string, file []byte) error {
	part, err := os.CreateTemp(filepath.Dir(path), filepath.Base(path)+"-")
	if err != nil {
		return err
	}
	_, err = part.Write(file)
	if err = errors.Join(err, part.Close()); err != nil {
		return errors.Join(err, os.Remove(part.Name()))
	}
	return os.Rename(part.Name(), path)
}
