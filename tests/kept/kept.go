// Package kept keeps what each test process of a make test would make for itself: the first makes it, the others read it. Only
// tests import it.
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

// Folder returns the path of a folder of that name, with what make puts into it, or an empty path without the variable. As
// [Once], it lets several make one at a time.
func Folder(name string, make func(folder string) error) (path string, err error) {
	all := os.Getenv(Variable)
	if all == "" {
		return "", nil
	}
	path = filepath.Join(all, name)
	if _, err := os.Stat(path); err == nil {
		return path, nil
	}
	part, err := os.MkdirTemp(all, name+"-")
	if err != nil {
		return "", err
	}
	if err = make(part); err == nil {
		err = os.Rename(part, path)
	}
	if err != nil {
		err = errors.Join(err, os.RemoveAll(part))
	}
	if _, there := os.Stat(path); there == nil {
		return path, nil // another process was faster
	}
	return "", err
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
