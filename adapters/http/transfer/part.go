package transfer

import (
	"strconv"
	"strings"
)

// Part returns which bytes of a body of some size a header Range asks for, from one up to another: one range of bytes (RFC 9110,
// 14.1.2). ok is false of whatever else it says, also of several ranges and of one beyond the body: such a header is passed over.
func Part(header string, size int) (from, until int, ok bool) {
	text, bytes := strings.CutPrefix(header, "bytes=")
	first, last, both := strings.Cut(text, "-")
	if !bytes || !both {
		return 0, 0, false
	}
	until = size
	if first == "" { // the last ones
		n, err := strconv.ParseUint(last, 10, 31)
		return size - min(int(n), size), size, err == nil && n > 0 && size > 0
	}
	n, err := strconv.ParseUint(first, 10, 31)
	if err != nil || int(n) >= size {
		return 0, 0, false
	}
	if last != "" {
		m, err := strconv.ParseUint(last, 10, 62)
		if err != nil || m < n {
			return 0, 0, false
		}
		until = int(min(m+1, uint64(size)))
	}
	return int(n), until, true
}
