//go:build !linux && !darwin

package machine

import "errors"

// freeBytes is available on Linux and macOS only.
func freeBytes(string) (uint64, error) { return 0, errors.ErrUnsupported }
