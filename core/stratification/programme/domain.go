package programme

import (
	"math"

	"tilth/core/stratification/internal/stats"
)

// Stratum is a stratum of a sample, in which every place had the same chance.
type Stratum struct {
	Weight float64   // share of the area
	N      int       // points with a value
	In     []float64 // values of those in the domain
}

// Mean is an estimate of a mean.
type Mean struct {
	Value float64
	N     int // number of points that it is based on
	// Part is its variance with the degrees of freedom; nil where the points are too few for one.
	Part *stats.Part
}

// DomainMean estimates the mean of a domain, such as a field, from a stratified sample that was not planned for
// it: the ratio of the domain's estimated total to its estimated size,
//
//	ȳ_d = Σ W_h/n_h Σ_{i in d} y_i / Â    Â = Σ W_h n_hd/n_h
//	V = c Σ W_h²/(n_h (n_h-1)) Σ_i (z_i - z̄_h)² / Â²    z_i = y_i - ȳ_d in the domain, 0 outside
//
// (Cochran, "Sampling Techniques" (1977), section 5A.14; Särndal, Swensson and Wretman, "Model Assisted Survey
// Sampling" (1992), chapter 10). The residuals of few points are small because ȳ_d follows them. The factor
// c = (n_d - P)/(n_d - 1) compensates for that, P being the mean of the shares n_hd/n_h over the domain's points:
// within one stratum V is s_d²/n_d, and where the domain is everything, V is that of the stratified mean. The
// degrees of freedom are Satterthwaite's, from n_hd - n_hd/n_h by stratum (strata with one point of the domain
// count together), less 1 - P.
func DomainMean(strata []Stratum) (out Mean, ok bool) {
	size, total, shares := 0.0, 0.0, 0.0
	spread := true
	for _, s := range strata {
		n := float64(len(s.In))
		if n == 0 {
			continue
		}
		out.N += len(s.In)
		size += s.Weight * n / float64(s.N)
		shares += n * n / float64(s.N)
		spread = spread && s.N > 1
		for _, v := range s.In {
			total += s.Weight / float64(s.N) * v
		}
	}
	if out.N == 0 {
		return out, false
	}
	out.Value = total / size
	if out.N < 2 || !spread {
		return out, true
	}
	n := float64(out.N)
	shares /= n
	whole := stats.Sum(residuals(strata, out.Value)...)
	whole.Variance *= (n - shares) / (n - 1) / (size * size)
	whole.DF = math.Max(whole.DF-(1-shares), 1)
	out.Part = &whole
	return out, true
}

// residuals returns the parts of the variance of a domain's total of residuals.
func residuals(strata []Stratum, mean float64) (parts []stats.Part) {
	single := stats.Part{} // of strata with one point of the domain
	for _, s := range strata {
		n, in := float64(s.N), float64(len(s.In))
		if in == 0 {
			continue
		}
		sum, squares := 0.0, 0.0
		for _, v := range s.In {
			sum += v - mean
			squares += float64((v - mean) * (v - mean))
		}
		p := stats.Part{Variance: s.Weight * s.Weight / (n * (n - 1)) * math.Max(squares-sum*sum/n, 0), DF: in - in/n}
		if in == 1 {
			single.Variance += p.Variance
			single.DF += p.DF
			continue
		}
		parts = append(parts, p)
	}
	if single.DF > 0 {
		parts = append(parts, single)
	}
	return parts
}
