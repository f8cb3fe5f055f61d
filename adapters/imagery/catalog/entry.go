package catalog

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"maps"
	"os"
	"slices"
	"sync"
	"time"

	"tilth/adapters/imagery/internal/item"
)

// filesAfter is the age from which what is known of an item's files is looked at again:
// many fields of one archive are often searched within a second.
const filesAfter = 2 * time.Second

// entry is an item of the index, with the state of its files.
type entry struct {
	*item.Item

	mu     sync.Mutex
	state  string
	looked time.Time
}

// revision adds the state of the files to what the item says of itself: a file of a folder
// may be replaced without a word in its item.
func (e *entry) revision(root *os.Root, stated string, now time.Time) string {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.state != "" && now.Sub(e.looked).Abs() < filesAfter {
		return e.state
	}
	h := sha256.New()
	_, _ = fmt.Fprintln(h, stated) // a hash takes everything
	for _, band := range slices.Sorted(maps.Keys(e.Assets)) {
		info, err := look(root, e.Assets[band].Href)
		if err != nil {
			_, _ = fmt.Fprintln(h, band, "absent")
			continue
		}
		_, _ = fmt.Fprintln(h, band, info.Size(), info.ModTime().UnixNano())
	}
	e.state, e.looked = hex.EncodeToString(h.Sum(nil)[:16]), now
	return e.state
}
