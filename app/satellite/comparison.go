package satellite

import (
	"cmp"
	"context"
	"fmt"
	"iter"
	"slices"

	"tilth/app"
	"tilth/core/access"
	"tilth/core/geo"
	"tilth/core/phenology"
	"tilth/core/vegetation"
	"tilth/ports"
)

// The maximum numbers that a series is compared with: seasons of its field, and the nearest other fields.
const (
	maxSeasons = 60
	maxPeers   = 200
	maxLooked  = 5_000 // cultivations and orders of the season within the radius, from which those are chosen
)

// DefaultRadiusKm and MaxRadiusKm are the default and the maximum distance of the other fields that a field is compared with.
const (
	DefaultRadiusKm = 50
	MaxRadiusKm     = 1_000
)

// Compared is a profile alongside others of the caller's company.
type Compared struct {
	Order vegetation.OrderState
	Years phenology.Comparison // with the other seasons of its field
	// Seasons and Fields are the numbers of others that were available.
	Seasons, Fields int
	Peers           phenology.Comparison // with fields with the same crop in the same season
	// Reason states why there is no field to compare with; empty if there is one.
	Reason string
	// YearsReason and PeersReason state why no day could be compared; empty if one could.
	YearsReason, PeersReason string
}

// Reasons why there is no field to compare with.
const (
	reasonNoCrop  = "No cultivation says what grows on the field in this season."
	reasonNoPeers = "No other field within the radius has the same crop in this season and an active profile."
)

// Compare compares the profile of an order, in the reading it was made for, with other seasons of its field, and with the
// fields of the company within a radius that have the same crop in the same season. It also needs the permission to view
// cultivations. Faults: NotFound.
func (o *Profiles) Compare(ctx context.Context, who access.Principal, id int64, radiusKm float64) (Compared, error) {
	if err := o.Gate.Require(ctx, who, access.Cultivations.View); err != nil {
		return Compared{}, err
	}
	type material struct {
		Compared
		own            vegetation.Series
		seasons, peers []ports.OrderSeries
	}
	scope := who.Scope(false)
	found, err := app.Read(ports.Loosely(ctx), o.Deps, who, access.ProfileOrders.View, func(ctx context.Context, tx ports.Repos) (out material, err error) {
		if out.Order, err = tx.Orders.Get(ctx, scope, id); err != nil {
			return out, err
		}
		if out.own, err = tx.Orders.Series(ctx, scope, id, out.Order.Reading()); err != nil {
			return out, err
		}
		others, err := activeOrders(tx.Orders.Each(ctx, scope, activeOf(maxSeasons+1, ports.Filter{Name: "field", Value: out.Order.FieldID})), out.Order, nil)
		if err != nil {
			return out, err
		}
		if out.seasons, err = tx.Orders.SeriesOf(ctx, scope, others); err != nil {
			return out, err
		}
		near, reason, err := peersOf(ctx, tx, scope, out.Order, radiusKm)
		if err != nil {
			return out, err
		}
		out.Reason = reason
		out.peers, err = tx.Orders.SeriesOf(ctx, scope, near)
		return out, err
	})
	if err != nil {
		return Compared{}, err
	}
	out, line := found.Compared, phenology.FitSeries(found.own, phenology.Whittaker)
	seasons, peers := linesOf(found.seasons), linesOf(found.peers)
	out.Seasons, out.Fields = len(seasons), len(peers)
	out.Years, out.Peers = phenology.WithYears(line, seasons), phenology.WithFields(line, peers)
	out.YearsReason, out.PeersReason = whyNone(out.Years, out.Seasons, "other seasons of the field"), cmp.Or(out.Reason, whyNone(out.Peers, out.Fields, "other fields with the crop"))
	return out, nil
}

// whyNone returns the reason why no day of a series could be compared with n others; empty if one could.
func whyNone(c phenology.Comparison, n int, others string) string {
	switch {
	case len(c.Days) > 0:
		return ""
	case n < phenology.MinReferences:
		return fmt.Sprintf("A day is compared with at least %d %s; there are active profiles for %d. Fix: order profiles for more.", phenology.MinReferences, others, n)
	}
	return fmt.Sprintf("There is no observation day on which at least %d %s were seen.", phenology.MinReferences, others)
}

// activeOf selects the newest active orders.
func activeOf(limit int64, of ...ports.Filter) ports.Query {
	return ports.Query{
		Filters: append(of, ports.Filter{Name: "status", Value: string(vegetation.Active)}), Limit: limit, Order: []ports.Order{{Field: "id", Descending: true}},
	}
}

// activeOrders returns the orders other than the given one, in its reading; those that keep rejects are left out.
func activeOrders(all iter.Seq2[vegetation.OrderState, error], than vegetation.OrderState, keep func(vegetation.OrderState) bool) ([]vegetation.OrderState, error) {
	var out []vegetation.OrderState
	for order, err := range all {
		if err != nil {
			return nil, err
		}
		if order.ID != than.ID && (keep == nil || keep(order)) {
			out = append(out, order.As(than.Reading()))
		}
	}
	return out, nil
}

// peersOf returns the orders of the nearest fields that share a crop with an order's field in its season; otherwise the reason why there is none.
func peersOf(ctx context.Context, tx ports.Repos, scope access.Scope, order vegetation.OrderState, radiusKm float64) ([]vegetation.OrderState, string, error) {
	here, season := order.Boundary.Centroid(), ports.Filter{Name: "season", Value: order.SeasonID}
	box := ports.Filter{Name: "bbox", Value: geo.Around(here, radiusKm*1000)}
	crops, grown := map[int64]bool{}, map[int64][]int64{} // crops by field
	own, err := tx.Cultivations.OfFields(ctx, scope, []int64{order.FieldID})
	if err != nil {
		return nil, "", err
	}
	for _, c := range own {
		if c.Season.ID == order.SeasonID {
			crops[c.Crop.ID] = true
		}
	}
	if len(crops) == 0 {
		return nil, reasonNoCrop, nil
	}
	for c, err := range tx.Cultivations.Each(ctx, scope, ports.Query{Filters: []ports.Filter{season, box}, Limit: maxLooked}) {
		if err != nil {
			return nil, "", err
		}
		grown[c.Field.ID] = append(grown[c.Field.ID], c.Crop.ID)
	}
	away := func(o vegetation.OrderState) float64 { return geo.Distance(here, o.Boundary.Centroid()) }
	out, err := activeOrders(tx.Orders.Each(ctx, scope, activeOf(maxLooked, season, box)), order, func(o vegetation.OrderState) bool {
		return slices.ContainsFunc(grown[o.FieldID], func(crop int64) bool { return crops[crop] }) && away(o) <= radiusKm*1000
	})
	if err != nil || len(out) == 0 {
		return nil, reasonNoPeers, err
	}
	slices.SortFunc(out, func(a, b vegetation.OrderState) int {
		return cmp.Or(cmp.Compare(away(a), away(b)), cmp.Compare(a.ID, b.ID))
	})
	return out[:min(len(out), maxPeers)], "", nil
}

func linesOf(series []ports.OrderSeries) (out []phenology.Line) {
	for _, s := range series {
		if line := phenology.FitSeries(s.Series, phenology.Whittaker); line.Reason == "" {
			out = append(out, line)
		}
	}
	return out
}
