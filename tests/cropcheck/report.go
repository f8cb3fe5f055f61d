package cropcheck

import (
	"fmt"
	"slices"
	"strings"

	"tilth/core/cropcheck"
	"tilth/core/farm"
)

// measured is a cross-validation by one or two indices.
type measured struct {
	name     string
	all      []judged
	verified table
}

// page writes docs/crop-check.md.
func page(measures []measured, crops []farm.Crop) string {
	var b strings.Builder
	fmt.Fprintf(&b, `# Crop check

`+"`go test ./tests/cropcheck -update`"+` writes this page from the labelled series; the test fails if page and code
differ. The code is `+"`core/cropcheck`"+`; `+"`tilth crop-check`"+` runs it without a server.

## Method

1. **Smoothing.** The season's NDVI (and EVI, if available) by a Whittaker smoother on a daily grid, second
   differences, weights = coverage, λ = 500 days⁴, broken at gaps over 45 days. When λ was chosen, all values from
   50 to 1,500 gave the shares of the nearest and of the best two below within a hundredth.
2. **Distance.** The smoothed series and each reference curve, every 8 days over the days that both cover, by
   time-weighted dynamic time warping (Maus et al. 2016, 2019; logistic weight, steepness −0.1, midpoint 50 days),
   divided by the number of compared days of the curve.
3. **Verdict** on the *declared* crop: `+"`verified`"+` if one of its curves is the nearest, or the second nearest at a
   distance under %.2f times that of the nearest; otherwise `+"`failed`"+`. `+"`pending`"+`, with the reason, below %d accepted
   dates, with a gap of more than %d days in the declared curve's active part (NDVI above 20 %% of its amplitude), or
   without a curve of the crop or of the place.
4. **Confidence.** softmax(−distance / temperature): the probability that the declared crop is right if it is
   verified, wrong if it failed. It assumes that every class is equally likely beforehand and ignores how often
   declarations are true. Temperatures: %.4f by NDVI, %.4f by NDVI and EVI.

## Scope

Double-cropping systems, pasture and cerrado of **Mato Grosso, Brazil**, seen by **MODIS (MOD13Q1, 250 m, 16 days)**,
2000–2016: %d labelled one-year series, part of Camara et al. 2019 (PANGAEA 899706). **No claim is made for other
regions, crops or sensors**, including the 10 m Sentinel-2 series that Tilth itself computes.

%d folds share no place: cells of %g° stay whole, and a series is compared with curves built from the other folds.
Fallow_Cotton and Soy_Sunflower have only 12 samples each, so their rows say little.

`, cropcheck.MaxSecondRatio, cropcheck.MinObservations, cropcheck.MaxActiveGap,
		cropcheck.TemperatureNDVI, cropcheck.TemperatureNDVIEVI, len(measures[0].all), folds, cellDegrees)
	writeAccuracies(&b, measures)
	for _, m := range measures {
		writeTable(&b, "Confusion, by "+m.name, "Samples by class grown (rows) and nearest curve (columns).", confusion(m.all), false)
	}
	for _, m := range measures {
		writeTable(&b, "Verified declarations, by "+m.name,
			"Percentage of the samples of the class grown (rows) that are verified under each declaration (columns).", m.verified, true)
	}
	writeCrops(&b, measures, crops)
	for _, m := range measures {
		writeCalibration(&b, m)
	}
	return strings.TrimRight(b.String(), "\n") + "\n"
}

func writeAccuracies(b *strings.Builder, measures []measured) {
	b.WriteString("## Accuracy\n\n| | nearest is right | among the best two | true declaration verified | false declaration verified |\n| --- | --- | --- | --- | --- |\n")
	for _, m := range measures {
		right, wrong := m.verified.rates()
		fmt.Fprintf(b, "| %s | %s | %s | %s | %s |\n", m.name, percent(topShare(m.all, 1)), percent(topShare(m.all, 2)), percent(right), percent(wrong))
	}
	b.WriteString("\nA false declaration is each of the six other classes, for every sample, as if declared at random. A false declaration\n" +
		"of a similar system passes far more often; the tables below show which.\n")
}

func writeTable(b *strings.Builder, title, caption string, t table, share bool) {
	fmt.Fprintf(b, "\n## %s\n\n%s\n\n| grew | samples | %s |\n|%s\n", title, caption, strings.Join(t.classes, " | "), strings.Repeat(" --- |", len(t.classes)+2))
	for i, class := range t.classes {
		fmt.Fprintf(b, "| %s | %d |", class, t.total[i])
		for _, n := range t.counts[i] {
			if share {
				fmt.Fprintf(b, " %.0f |", 100*float64(n)/float64(t.total[i]))
			} else {
				fmt.Fprintf(b, " %d |", n)
			}
		}
		b.WriteString("\n")
	}
}

// writeCrops shows the rule for the crops of the catalog, each of which may have curves of
// several systems.
func writeCrops(b *strings.Builder, measures []measured, crops []farm.Crop) {
	fmt.Fprintf(b, "\n## Declared crops of the catalog\n\nA crop has the curves of every system it grows in, and any of them may match.\n\n| crop | curves |")
	for _, m := range measures {
		fmt.Fprintf(b, " true, verified: %s | false, verified: %s |", m.name, m.name)
	}
	fmt.Fprintf(b, "\n|%s\n", strings.Repeat(" --- |", 2+2*len(measures)))
	for _, c := range crops {
		if len(c.CurveClasses) == 0 {
			continue
		}
		fmt.Fprintf(b, "| %s | %s |", c.Name, strings.Join(c.CurveClasses, ", "))
		for _, m := range measures {
			right, wrong := cropRates(m.all, c.CurveClasses)
			fmt.Fprintf(b, " %s | %s |", percent(right), percent(wrong))
		}
		b.WriteString("\n")
	}
}

// cropRates returns the share of samples of a crop that is verified as it, and of the others.
func cropRates(all []judged, classes []string) (right, wrong float64) {
	var verified, total [2]float64
	for _, j := range all {
		side := 1
		if slices.Contains(classes, j.Class) {
			side = 0
		}
		total[side]++
		if j.check(classes...).Verdict == cropcheck.Verified {
			verified[side]++
		}
	}
	return verified[0] / total[0], verified[1] / total[1]
}

func writeCalibration(b *strings.Builder, m measured) {
	curve, gap := calibration(m.all)
	fmt.Fprintf(b, "\n## Calibration, by %s\n\nEvery pair of a sample and a class: how often the class was true at each probability.\nProbabilities use the temperature fitted on the other folds. Expected calibration error %.3f. The five\ntemperatures:", m.name, gap)
	for _, t := range temperatures(m.all) {
		fmt.Fprintf(b, " %.4f", t)
	}
	b.WriteString(".\n\n| probability | pairs | mean probability | share true |\n| --- | --- | --- | --- |\n")
	for i, c := range curve {
		if c.n > 0 {
			fmt.Fprintf(b, "| %.1f–%.1f | %d | %.2f | %.2f |\n", float64(i)/bins, float64(i+1)/bins, c.n, c.predicted, c.observed)
		}
	}
}
