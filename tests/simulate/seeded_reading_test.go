package simulate

import (
	"github.com/stretchr/testify/require"

	"tilth/app/satellite"
	"tilth/core/access"
	"tilth/core/vegetation"
	"tilth/ports"
)

// deriving is profiles of a planned world that are read through indices other than their own: each series is computed
// once after it is requested, in the background, and costs nothing.
type deriving struct {
	*planned
	asked map[asked]bool // what was requested of active orders
}

// asked is an order with an index other than its own.
type asked struct {
	order int64
	index vegetation.IndexCode
}

// look reads a profile through an index, and judges the answer.
func (d *deriving) look() {
	of := d.fields[d.plan.IntN(len(d.fields))]
	index := []vegetation.IndexCode{vegetation.NDVI, vegetation.EVI, vegetation.NDRE}[d.plan.IntN(3)]
	if of.id == 0 {
		return
	}
	got, err := d.profiles.RetrieveReading(d.t.Context(), d.owner, false, of.id, vegetation.Choice{Index: index}, 0)
	if err != nil {
		return // the caller will ask again
	}
	other := index != vegetation.NDVI
	switch {
	case of.status != vegetation.Active:
		require.Empty(d.t, got.Series.Observations)
		require.NotEqual(d.t, vegetation.Active, got.Order.Status)
	case !other || got.Order.Status == vegetation.Active:
		require.Equal(d.t, index, got.Series.Index)
		require.NotEmpty(d.t, got.Series.Observations, "a series is lost")
	default:
		require.Empty(d.t, got.Series.Observations)
	}
	if other && of.status == vegetation.Active {
		d.asked[asked{of.id, index}] = true
	}
}

// judge checks that what was requested is stored, or has the one job that computes it.
func (d *deriving) judge() {
	jobs := map[string]int{}
	for _, job := range d.Jobs {
		if job.Kind == satellite.IndexJob {
			jobs[job.Key]++
			require.Equal(d.t, 1, jobs[job.Key], "a series is computed once")
		}
	}
	for of := range d.asked {
		now := d.derivation(of)
		switch now.Status {
		case vegetation.Active:
			require.NotEmpty(d.t, d.series(of, now.Reading).Observations, "a series is lost")
		case vegetation.Processing:
			require.True(d.t, d.waits(satellite.IndexJob, of.order), "an open series has a job")
		}
	}
}

func (d *deriving) judgeEnd() {
	for of := range d.asked {
		require.NotEqual(d.t, vegetation.Processing, d.derivation(of).Status, "a series is forgotten")
	}
}

func (d *deriving) derivation(of asked) (out vegetation.Derivation) {
	d.Put(func(tx ports.Repos) error {
		order, err := tx.Orders.Get(d.t.Context(), access.Own(1), of.order)
		require.NoError(d.t, err)
		found := false
		out, found, err = tx.Orders.Derivation(d.t.Context(), access.Own(1), of.order, vegetation.Choice{Index: of.index}.Of(order))
		require.True(d.t, found, "what was asked for is forgotten")
		return err
	})
	return out
}

func (d *deriving) series(of asked, reading vegetation.Reading) (out vegetation.Series) {
	d.Put(func(tx ports.Repos) (err error) {
		out, err = tx.Orders.Series(d.t.Context(), access.Own(1), of.order, reading)
		return err
	})
	return out
}
