package synthetic

import (
	"math"
	"time"
)

// Curve is the growth of a crop over a season as a double logistic (Beck et al. 2006,
// Remote Sensing of Environment 100, 321–334):
//
//	NDVI(t) = base + (peak − base) · (1/(1+e^(−rise·(t−green))) + 1/(1+e^(fall·(t−ripe))) − 1)
//
// t is the day of the year (1 January is 1), green and ripe are the days of the steepest
// rise and fall, rise and fall are the steepnesses per day.
type Curve struct {
	Base  float64 `json:"base"`
	Peak  float64 `json:"peak"`
	Green float64 `json:"green"`
	Rise  float64 `json:"rise"`
	Ripe  float64 `json:"ripe"`
	Fall  float64 `json:"fall"`
}

// NDVI returns the value of the curve on the day of t.
func (c Curve) NDVI(t time.Time) float64 {
	day := float64(t.YearDay())
	up := 1 / (1 + math.Exp(-c.Rise*(day-c.Green)))
	down := 1 / (1 + math.Exp(c.Fall*(day-c.Ripe)))
	return c.Base + (c.Peak-c.Base)*(up+down-1)
}

// background is the growth between the parcels: dry pasture and tracks.
var background = Curve{Base: 0.20, Peak: 0.38, Green: 90, Rise: 0.04, Ripe: 170, Fall: 0.04}
