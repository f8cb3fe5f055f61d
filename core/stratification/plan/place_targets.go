package plan

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"tilth/core/geo"
	"tilth/core/list"
	"tilth/core/stratification/internal/pcg"
	"tilth/core/stratification/zoning"
)

// targeted places points at targets or, unless these are random, as near to them as they fit.
type targeted struct {
	*design
	eligible [][]int32
	land     [][]int32  // the cells that an even coverage covers; nil: those of the zones
	stage    string     // of its random numbers; empty: of samples
	zoneOf   []int      // of each cell of the frame that is eligible; -1 for others
	targets  [][]target // of each zone
	at       []int
	round    int // the number of calls of again so far
	// For balanced points: the reserves of each zone that are drawn with its samples, the next first.
	reserved []int
	spare    [][]int32
}

func newTargeted(d *design, eligible [][]int32) *targeted {
	t := &targeted{design: d, eligible: eligible, reserved: make([]int, len(eligible)), spare: make([][]int32, len(eligible)), zoneOf: slices.Repeat([]int{-1}, len(d.frame.Cells))}
	for zone, cells := range eligible {
		for _, cell := range cells {
			t.zoneOf[cell] = zone
		}
	}
	return t
}

// target is the place for a point, in the cell that holds it or (-1) in the nearest.
type target struct {
	at   geo.Position
	cell int32
}

func (t *targeted) restart() { clear(t.at) }

// again finds the targets of more points among the cells that are not taken. Random targets are all
// cells in a random order: the first that fit are a simple random sample, those after them an
// equally random reserve.
func (t *targeted) again(taken map[int32]bool, counts []int) {
	random := t.params.Placement.shuffled()
	if random && t.round > 0 {
		return
	}
	t.targets, t.at = make([][]target, len(counts)), make([]int, len(counts))
	for h, n := range counts {
		if n == 0 {
			continue
		}
		stage := fmt.Sprintf("plan/%d/%d", t.round, h+1)
		if random {
			stage = fmt.Sprintf("plan/order/%d", h+1)
		}
		stage += t.stage
		stream := pcg.New(t.params.Seed, stage)
		open := slices.DeleteFunc(slices.Clone(t.eligible[h]), func(cell int32) bool { return taken[cell] })
		switch n = min(n, len(open)); t.params.Placement {
		case Coverage:
			t.targets[h] = t.evenly(h, n)
			continue
		case SpatiallyBalanced:
			if t.round > 0 {
				for _, cell := range t.spare[h] {
					t.targets[h] = append(t.targets[h], target{t.centre(int(cell)), cell})
				}
				continue
			}
			open, t.spare[h] = t.balanced(open, n, t.reserved[h], stream)
		}
		for _, cell := range open {
			t.targets[h] = append(t.targets[h], target{t.centre(int(cell)), cell})
		}
		// In a random order, no part of the zone comes first where room is short.
		stream.Shuffle(len(open), func(i, j int) { t.targets[h][i], t.targets[h][j] = t.targets[h][j], t.targets[h][i] })
	}
	t.round++
}

// maxDrops bounds the units that are looked at to put reserves in order.
const maxDrops = 1_000_000

// balanced draws n samples and up to r reserves, so that the samples lie evenly, alone and together with the
// first reserve, the first two, and so on. The local pivotal method draws all of them, and then the samples
// from these, leaving out one reserve at a time from the last to the first. Every place has the same chance
// to be a sample. (Splitting a balanced sample in this way is hierarchical in the sense of the
// function hlpm2 of Grafström's and Lisic's R package BalancedSampling; the order serves as that of
// Stevens and Olsen, "Spatially Balanced Sampling of Natural Resources", Journal of the American
// Statistical Association 99 (2004) 262, section 3.)
func (t *targeted) balanced(open []int32, n, r int, stream *pcg.Stream) (samples, reserves []int32) {
	draw := func(cells []int32, n int) (drawn, left []int32) {
		units := pivotal(t.budget, t.places(cells), n, stream)
		for i, cell := range cells {
			if len(units) > 0 && units[0] == int32(i) {
				drawn, units = append(drawn, cell), units[1:]
				continue
			}
			left = append(left, cell)
		}
		return drawn, left
	}
	samples, _ = draw(open, min(n+r, len(open)))
	step := 1
	if spare := len(samples) - n; spare*len(samples) > maxDrops {
		step = spare // in no order
	}
	for len(samples) > n && t.budget.Err() == nil {
		var left []int32
		samples, left = draw(samples, len(samples)-step)
		reserves = append(left, reserves...)
	}
	return samples, reserves
}

func (t *targeted) places(cells []int32) [][2]int32 {
	return list.Map(cells, func(cell int32) [2]int32 { return [2]int32{t.frame.Cells[cell].Row, t.frame.Cells[cell].Col} })
}

// The effort of k-means for a coverage: at most coverageStarts starts and coverageWork distances.
const (
	coverageStarts = 20
	coverageWork   = 20_000_000
)

// evenly returns n centres as near as possible to all cells of a zone: k-means on the cells' places
// (Walvoort, Brus and de Gruijter, "An R package for spatial coverage sampling and random sampling
// from compact geographical strata by k-means", Computers & Geosciences 36 (2010) 1261).
func (t *targeted) evenly(h, n int) []target {
	if n == 0 {
		return nil
	}
	var places []geo.Position // from the frame's corner
	add := func(i int) {
		at := t.frame.Centre(i)
		places = append(places, geo.Position{X: at.X - t.frame.OriginX, Y: at.Y - t.frame.OriginY})
	}
	if t.land != nil {
		for _, cell := range t.land[h] {
			add(int(cell))
		}
	} else {
		for i, label := range t.zoning.Labels {
			if int(label) == h+1 {
				add(i)
			}
		}
	}
	starts := max(1, min(coverageStarts, coverageWork/(n*len(places))))
	return list.Map(zoning.GroupCentres(t.budget, places, n, starts, t.params.Seed), func(centre geo.Position) target {
		return target{geo.Position{X: centre.X + t.frame.OriginX, Y: centre.Y + t.frame.OriginY}, -1}
	})
}

// next passes cells for the next point of a zone to try, the best first, until one fits: the cell of the
// next target, or the cell nearest to it, and then those around it or, with random targets, the targets
// after it. Cells that are taken or unusable may be among them.
func (t *targeted) next(zone int, try func(cell int32) bool) bool {
	for t.at[zone] < len(t.targets[zone]) {
		goal := t.targets[zone][t.at[zone]]
		t.at[zone]++
		if goal.cell < 0 {
			t.outward(goal.at, zone, func(cell int32) bool { goal.cell = cell; return true })
		}
		if try(goal.cell) {
			return true
		}
		if !t.params.Placement.shuffled() {
			return t.outward(goal.at, zone, try)
		}
	}
	return false
}

// firstReach is the initial reach, in cells, of the search around a place.
const firstReach = 4

// outward passes the eligible cells of a zone to try, the nearest to a place first, and equally near
// ones in the order of the frame. It looks around the place in windows that double in size.
func (t *targeted) outward(at geo.Position, zone int, try func(cell int32) bool) bool {
	size := t.frame.CellSize
	row, col := int(math.Floor((t.frame.OriginY-at.Y)/size)), int(math.Floor((at.X-t.frame.OriginX)/size))
	type candidate struct {
		cell int32
		away float64
	}
	var found []candidate
	done := -1.0 // squared: the cells up to this distance have been passed
	for reach := firstReach; ; reach *= 2 {
		whole := row-reach <= 0 && col-reach <= 0 && row+reach >= t.frame.Rows && col+reach >= t.frame.Cols
		limit := math.Inf(1)
		if !whole {
			limit = float64(reach-1) * size * float64(reach-1) * size // the window holds all cells up to this distance
		}
		found = found[:0]
		looked := t.frame.InWindow(row, col, reach, func(i int) {
			if t.zoneOf[i] != zone {
				return
			}
			if d := t.away(at, int32(i)); d > done && d <= limit {
				found = append(found, candidate{int32(i), d})
			}
		})
		slices.SortFunc(found, func(a, b candidate) int { return cmp.Or(cmp.Compare(a.away, b.away), cmp.Compare(a.cell, b.cell)) })
		if t.budget.Spend(looked+len(found)) != nil {
			return false
		}
		for _, c := range found {
			if try(c.cell) {
				return true
			}
		}
		if whole || t.budget.Err() != nil {
			return false
		}
		done = limit
	}
}

// away returns the squared distance of a cell's centre from a place.
func (t *targeted) away(at geo.Position, cell int32) float64 {
	c := t.frame.Centre(int(cell))
	dx, dy := c.X-at.X, c.Y-at.Y
	return float64(dx*dx) + float64(dy*dy)
}
