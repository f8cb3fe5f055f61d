package cropcheck

import (
	"math"
	"slices"
	"time"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"

	"tilth/core/cropcheck"
)

const (
	minKnown  = 20   // minimum number of samples of a class for telling it apart from others
	shrinkage = 0.02 // of the covariance towards the sphere of the same trace (Ledoit and Wolf 2004, J. Multivariate Analysis 88: 365–411)
)

// course is the indices of a sample every 16 days, linear between the observations.
func course(s cropcheck.Sample) (out []float64) {
	o := s.Series.Observations
	for day := 0; day <= 352; day += cropcheck.BuildStep {
		date := s.Start.AddDate(0, 0, day)
		i := slices.IndexFunc(o, func(o cropcheck.Observation) bool { return o.Date.After(date) })
		i = max(1, i)
		if o[len(o)-1].Date.Compare(date) <= 0 {
			i = len(o) - 1
		}
		a, b := o[i-1], o[i]
		t := max(0, min(1, float64(date.Sub(a.Date)/time.Hour)/float64(b.Date.Sub(a.Date)/time.Hour)))
		out = append(out, a.NDVI+t*(b.NDVI-a.NDVI))
		if s.Series.HasEVI {
			out = append(out, a.EVI+t*(b.EVI-a.EVI))
		}
	}
	return out
}

// apart returns the share of the samples of another class that is rejected by a test that knows both classes and keeps
// cropcheck.CapShare of its own: the linear discriminant of the other folds (Fisher 1936, Annals of Eugenics 7:
// 179–188). No test that does not know the other class can be expected to reject more of it.
func apart(all []cropcheck.HeldOut, own, other string) float64 {
	var kept, rejected []float64 // scores of held-out samples: the higher, the more similar to the other class
	for fold := range cropcheck.FoldCount {
		var groups, heldOut [2][][]float64
		for _, h := range all {
			group := slices.Index([]string{own, other}, h.Sample.Class)
			switch {
			case group < 0:
			case h.Fold == fold:
				heldOut[group] = append(heldOut[group], course(h.Sample))
			default:
				groups[group] = append(groups[group], course(h.Sample))
			}
		}
		weights, middle := discriminant(groups)
		for _, v := range heldOut[0] {
			kept = append(kept, floats.Dot(weights, v)-middle)
		}
		for _, v := range heldOut[1] {
			rejected = append(rejected, floats.Dot(weights, v)-middle)
		}
	}
	slices.Sort(kept)
	bound := kept[min(int(math.Ceil(cropcheck.CapShare*float64(len(kept)+1))), len(kept))-1]
	return share(rejected, func(v float64) bool { return v > bound })
}

// discriminant returns the weights of the linear discriminant of two groups, and the score at the midpoint of their means.
func discriminant(groups [2][][]float64) (weights []float64, middle float64) {
	n := len(groups[0][0])
	var means [2][]float64
	var centred []float64
	for g, group := range groups {
		means[g] = make([]float64, n)
		for _, v := range group {
			floats.AddScaled(means[g], 1/float64(len(group)), v)
		}
		for _, v := range group {
			centred = append(centred, floats.SubTo(make([]float64, n), v, means[g])...)
		}
	}
	var covariance mat.SymDense
	stat.CovarianceMatrix(&covariance, mat.NewDense(len(centred)/n, n, centred), nil)
	level := shrinkage * mat.Trace(&covariance) / float64(n)
	covariance.ScaleSym(1-shrinkage, &covariance)
	for i := range n {
		covariance.SetSym(i, i, covariance.At(i, i)+level)
	}
	var factor mat.Cholesky
	if !factor.Factorize(&covariance) {
		panic("a shrunk covariance is positive definite")
	}
	var solved mat.VecDense
	if err := factor.SolveVecTo(&solved, mat.NewVecDense(n, floats.SubTo(make([]float64, n), means[1], means[0]))); err != nil {
		panic(err)
	}
	weights = solved.RawVector().Data
	return weights, (floats.Dot(weights, means[0]) + floats.Dot(weights, means[1])) / 2
}
