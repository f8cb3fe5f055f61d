//go:build !linux && !darwin

package wire

import "errors"

// freeBytes is for Linux and macOS.
func freeBytes(string) (uint64, error) { return 0, errors.ErrUnsupported }
