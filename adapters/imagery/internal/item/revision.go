package item

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
)

// revise sets the revisions up to be computed on first use.
func (it *Item) revise() {
	it.revision = sync.OnceValue(func() string { return it.digest(false) })
	it.auxiliary = sync.OnceValue(func() string { return it.digest(true) })
}

// digest covers what decides an item's pixels and is not in its scene: the address, scale, offset,
// nodata and, where the catalog states them, size and checksum of each band's file, and the
// statement on the offset. It covers the auxiliary bands or the others. The part of an address after "?" may be a signature, which differs with
// every search, and is left out.
func (it *Item) digest(auxiliary bool) string {
	h := sha256.New()
	applied := "unstated"
	if it.applied != nil {
		applied = fmt.Sprint(*it.applied)
	}
	_, _ = fmt.Fprintf(h, "%q %s\n", it.Collection, applied) // writing to a hash never fails
	for _, band := range slices.Sorted(maps.Keys(it.Assets)) {
		if band.Auxiliary() != auxiliary {
			continue
		}
		a := it.Assets[band]
		address, _, _ := strings.Cut(a.Href, "?")
		_, _ = fmt.Fprintf(h, "%s %q %d %v %v %v %q\n", band, address, a.Band, a.Scale, a.Offset, a.NoData, a.state)
	}
	return hex.EncodeToString(h.Sum(nil)[:16])
}
