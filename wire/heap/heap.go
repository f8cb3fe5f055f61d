// Package heap decides how much garbage a server lets gather before it is collected, unless the environment (GOGC,
// GOMEMLIMIT) does. It is for a process with one server: a process has one collector.
package heap

import (
	"bytes"
	"os"
	"path"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
)

// What a server keeps is small, a tenth of what a busy second allocates, so that with Go's own rule, as much garbage as is kept, a
// fifth of the server's time went into collection.
const (
	startPercent = 400      // of what is kept, while a server is put together, which keeps nearly all that it allocates
	usualPercent = 100      // Go's own
	maxPercent   = 300      // of what is kept
	maxGarbage   = 96 << 20 // bytes: a server that keeps more than this has the usual rule
	memoryShare  = 8        // beyond the usual rule garbage has at most the memory divided by this
)

// Grow lets the heap of the process grow while a server is put together. The caller calls settled once that is done, for
// the time in which the server serves, and end when it has ended. Each change waits for the collection under way.
func Grow() (settled func() (end func())) {
	if os.Getenv("GOGC") != "" || os.Getenv("GOMEMLIMIT") != "" {
		return func() func() { return func() {} }
	}
	was := debug.SetGCPercent(startPercent)
	return func() func() {
		h := &heap{room: garbageRoom(memoryThere())}
		serving.Store(h)
		h.adjust()
		h.watch()
		return func() {
			serving.Store(nil)
			h.ended.Store(true)
			debug.SetGCPercent(was)
		}
	}
}

// serving is the heap of the process while it serves; a process has one collector.
var serving atomic.Pointer[heap]

// Lean makes garbage be collected as often as by Go's own rule until end is called: a long list makes more of it than everything
// else that a small server does, and must not make the server grow.
func Lean() (end func()) {
	h := serving.Load()
	if h == nil {
		return func() {}
	}
	h.leans.Add(1)
	h.adjust()
	return func() {
		h.leans.Add(-1)
		h.adjust()
	}
}

// heap sets after each collection how much garbage may gather until the next.
type heap struct {
	room  uint64
	leans atomic.Int64 // calls of Lean that have not ended
	ended atomic.Bool

	setting sync.Mutex
	percent int
}

// watch adjusts the heap after each collection: when the collection has found that an object is garbage.
func (h *heap) watch() {
	runtime.SetFinalizer(&struct{ of *heap }{h}, func(*struct{ of *heap }) {
		if !h.ended.Load() {
			h.adjust()
			h.watch()
		}
	})
}

func (h *heap) adjust() {
	h.setting.Lock()
	defer h.setting.Unlock()
	sample := []metrics.Sample{{Name: "/gc/heap/live:bytes"}}
	metrics.Read(sample)
	percent := garbagePercent(sample[0].Value.Uint64(), h.room)
	if h.leans.Load() > 0 {
		percent = usualPercent
	}
	if percent != h.percent {
		h.percent = percent
		debug.SetGCPercent(percent)
	}
}

// garbagePercent returns how much garbage may gather, in percent of what is kept, in steps of ten.
func garbagePercent(kept, room uint64) int {
	return int(min(max(room*10/max(kept, 1)*10, usualPercent), maxPercent))
}

// garbageRoom returns how many bytes of garbage may gather beyond the usual rule, given the memory; 0: unknown.
func garbageRoom(memory uint64) uint64 {
	if memory == 0 {
		return maxGarbage
	}
	return min(maxGarbage, memory/memoryShare)
}

// memoryThere returns the memory of the machine, or the part of it that the control groups of the process may have; 0: unknown.
func memoryThere() (limit uint64) {
	files := []string{"/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory/memory.limit_in_bytes"}
	if groups, err := os.ReadFile("/proc/self/cgroup"); err == nil {
		for line := range strings.Lines(string(groups)) {
			if group, ok := strings.CutPrefix(strings.TrimSpace(line), "0::"); ok {
				files = append(files, path.Join("/sys/fs/cgroup", group, "memory.max"))
			}
		}
	}
	note := func(text string, unit uint64) {
		if n, err := strconv.ParseUint(text, 10, 64); err == nil && n > 0 && (limit == 0 || n*unit < limit) {
			limit = n * unit
		}
	}
	for _, file := range files {
		if raw, err := os.ReadFile(file); err == nil {
			note(string(bytes.TrimSpace(raw)), 1) // "max" says nothing
		}
	}
	if raw, err := os.ReadFile("/proc/meminfo"); err == nil {
		if words := strings.Fields(string(raw)); len(words) > 1 && words[0] == "MemTotal:" {
			note(words[1], 1<<10)
		}
	}
	return limit
}
