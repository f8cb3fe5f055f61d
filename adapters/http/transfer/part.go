package transfer

import (
	"strconv"
	"strings"
)

// Part returns the bytes that a Range header requests from a body of a given size, from inclusive, until exclusive: one range of bytes (RFC
// 9110, 14.1.2). ok is false for anything else, also for several ranges and for one beyond the body: such a header is ignored.
func Part(header string, size int) (from, until int, ok bool) {
	text, bytes := strings.CutPrefix(header, "bytes=")
	first, last, both := strings.Cut(text, "-")
	if !bytes || !both {
		return 0, 0, false
	}
	whole := uint64(size)
	if first == "" { // the last ones
		n, err := strconv.ParseUint(last, 10, 64)
		return size - int(min(n, whole)), size, err == nil && n > 0 && size > 0
	}
	n, err := strconv.ParseUint(first, 10, 64)
	if err != nil || n >= whole {
		return 0, 0, false
	}
	m := whole - 1
	if last != "" {
		if m, err = strconv.ParseUint(last, 10, 64); err != nil || m < n {
			return 0, 0, false
		}
	}
	return int(n), int(min(m, whole-1)) + 1, true
}
