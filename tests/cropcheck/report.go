package cropcheck

import (
	"fmt"
	"slices"
	"strings"

	"tilth/core/cropcheck"
	"tilth/core/farm"
)

// measured is a cross-validation with one or two indices.
type measured struct {
	name     string
	all      []cropcheck.HeldOut
	withEVI  bool
	verified table
	figures  cropcheck.Figures
	unseen   []rejection
	curves   cropcheck.Set // of all samples
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
3. **Cap.** A class has two bounds, for NDVI and for NDVI and EVI: on the distance, and on the *shape distance*, which is
   the same distance after the mean of series and curve is taken off. Fields of one class differ in level more than in
   course: a cap on the distance alone is so wide for Cerrado that %.0f %% of the series of Soy_Corn lie within it by NDVI.
   The cap keeps %.0f %% of the labelled series of the class, each compared with the curve of the other folds (split
   conformal prediction: Shafer and Vovk 2008, A tutorial on conformal prediction, JMLR 9: 371–421). A class of fewer
   than %d labelled series has no cap.
4. **Resembles.** The nearest class whose cap the series lies within, or `+"`none`"+`.
5. **Verdict** on the *declared* crop. `+"`failed`"+` (`+"`beyond_cap`"+`) if the series lies beyond the caps of all its classes. Else, of the
   classes whose caps the series lies within: `+"`verified`"+` if a declared one is the nearest, or the second nearest at a
   distance under %.2f times that of the nearest; otherwise `+"`failed`"+`. `+"`pending`"+`, with the reason, below %d accepted
   dates, with a gap of more than %d days in the declared curve's active part (NDVI above 20 %% of its amplitude),
   without a curve of the crop or of the place, where a verdict would have a confidence under %.1f, or where it would be
   `+"`verified`"+` by a curve without a cap.
6. **Confidence.** softmax(−distance / temperature): the probability that the declared crop is right if it is
   verified, wrong if it failed. It assumes that every class is equally likely beforehand and ignores how often
   declarations are true. Temperatures: %.4f by NDVI, %.4f by NDVI and EVI. Beyond the cap the confidence is the share
   of labelled series that the cap keeps, or the softmax where that is higher.

## Scope

Double-cropping systems, pasture and cerrado of **Mato Grosso, Brazil**, seen by **MODIS (MOD13Q1, 250 m, 16 days)**,
2000–2016: %d labelled one-year series, part of Camara et al. 2019 (PANGAEA 899706). **No claim is made for other
regions, crops or sensors**, including the 10 m Sentinel-2 series that Tilth itself computes.

%d folds share no place: cells of %g° stay whole, and a series is compared with curves built from the other folds.
Fallow_Cotton and Soy_Sunflower have only 12 samples each, so their rows say little.

`, 100*withinDistance(measures[0].all, "Soy_Corn", "Cerrado"), 100*cropcheck.CapShare, cropcheck.MinCapped, cropcheck.MaxSecondRatio, cropcheck.MinObservations, cropcheck.MaxActiveGap, cropcheck.MinConfidence,
		cropcheck.TemperatureNDVI, cropcheck.TemperatureNDVIEVI, len(measures[0].all), cropcheck.FoldCount, measures[0].figures.BlockDegrees)
	writeAccuracies(&b, measures)
	writeUnseen(&b, measures)
	b.WriteString(lookAlikes)
	for _, m := range measures {
		writeLookAlikes(&b, m)
	}
	for _, m := range measures {
		writeCaps(&b, m)
	}
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
	return strings.TrimRight(b.String(), "\n") + "\n\n" + whatNext + "\n"
}

const whatNext = "Next: [verify the declared crops of a company](assessments.md#crop-verification), or [curves of your own](own-data.md#curves-of-your-region)."

func writeAccuracies(b *strings.Builder, measures []measured) {
	b.WriteString("## Accuracy\n\n| | nearest is right | among the best two | true declaration verified | true, pending | true, beyond the cap | false declaration verified |\n| --- | --- | --- | --- | --- | --- | --- |\n")
	for _, m := range measures {
		right, wrong := m.verified.rates()
		fmt.Fprintf(b, "| %s | %s | %s | %s | %s | %s | %s |\n", m.name, percent(topShare(m.all, 1)), percent(topShare(m.all, 2)),
			percent(right), percent(undecided(m.all)), percent(loss(m.all)), percent(wrong))
	}
	b.WriteString("\nA false declaration is each of the six other classes, for every sample, as if declared at random. A false declaration\n" +
		"of a similar system passes far more often; the tables below show which.\n")
}

// undecided returns the share of true declarations that are pending.
func undecided(all []cropcheck.HeldOut) float64 {
	return share(all, func(h cropcheck.HeldOut) bool { return h.Check(h.Sample.Class).Verdict == cropcheck.Pending })
}

// loss returns the share of true declarations whose series lies beyond the cap.
func loss(all []cropcheck.HeldOut) float64 {
	return share(all, func(h cropcheck.HeldOut) bool { return h.Check(h.Sample.Class).Reason == cropcheck.ReasonBeyond })
}

// withinDistance returns the share of the held-out series of one class that the cap of another keeps, judged by the distance alone.
func withinDistance(all []cropcheck.HeldOut, class, other string) float64 {
	own := slices.DeleteFunc(slices.Clone(all), func(h cropcheck.HeldOut) bool { return h.Sample.Class != class })
	return share(own, func(h cropcheck.HeldOut) bool {
		return slices.ContainsFunc(h.Ranking, func(r cropcheck.Ranked) bool { return r.Class == other && r.Distance <= r.Cap.Distance })
	})
}

// writeUnseen shows the results for series whose class has no curve.
func writeUnseen(b *strings.Builder, measures []measured) {
	b.WriteString("\n## None of these\n\nSeries whose class has no curve: the share that resembles none, and the share that is verified as any crop of the\n" +
		"catalog. The series of East Africa are monthly composites of Sentinel-2, 2016–2017, each month where it stands in the\n" +
		"year. Crops of Mato Grosso are also shown as if they had grown later in the year. Water, bare ground and evergreen\n" +
		"canopy are flat years with a weak season. The bounds are set by the labelled classes alone; that there are two of them,\n" +
		"and which, was decided on this table, among a dozen statistics (variance-scaled residuals, Mahalanobis distance, nearest\n" +
		"neighbours, amplitude, rates of change), so another sensor or region may do worse.\n\n" +
		"Within Mato Grosso a kind without curves is partly taken for the other one, by NDVI more than by both indices; the\n" +
		"look-alikes below say which.\n\n| series | number |")
	for _, m := range measures {
		fmt.Fprintf(b, " none: %s | verified: %s |", m.name, m.name)
	}
	fmt.Fprintf(b, "\n|%s\n", strings.Repeat(" --- |", 2+2*len(measures)))
	for i, first := range measures[0].unseen {
		fmt.Fprintf(b, "| %s | %d |", first.name, first.n)
		for _, m := range measures {
			fmt.Fprintf(b, " %s | %s |", percent(m.unseen[i].none), percent(m.unseen[i].verified))
		}
		b.WriteString("\n")
	}
	for _, origin := range []string{"East Africa", "Mato Grosso", "Made up"} {
		fmt.Fprintf(b, "| **%s, all** | %d |", origin, rejected(measures[0].unseen, origin).n)
		for _, m := range measures {
			all := rejected(m.unseen, origin)
			fmt.Fprintf(b, " %s | %s |", percent(all.none), percent(all.verified))
		}
		b.WriteString("\n")
	}
}

// rejected sums up the unseen series of an origin, except the kinds.
func rejected(all []rejection, origin string) rejection {
	var sum rejection
	for _, r := range all[len(kinds):] {
		if !strings.HasPrefix(r.name, origin) {
			continue
		}
		sum.n += r.n
		sum.none += r.none * float64(r.n)
		sum.verified += r.verified * float64(r.n)
	}
	sum.none, sum.verified = sum.none/float64(sum.n), sum.verified/float64(sum.n)
	return sum
}

// writeCaps shows the caps and their effect on held-out series.
func writeCaps(b *strings.Builder, m measured) {
	fmt.Fprintf(b, "\n## Caps, by %s\n\nThe caps of the built-in curves; and of the held-out series of the class how many are verified, pending and beyond the\n"+
		"cap under their own name, and how many resemble none when their own curve is left out (look-alikes remain).\n\n"+
		"| class | max distance | max shape | samples | verified | pending | beyond the cap | none without its curve |\n|%s\n", m.name, strings.Repeat(" --- |", 8))
	for i, f := range m.figures.Classes {
		c := m.curves.Curves[i].CapNDVI
		if m.withEVI {
			c = m.curves.Curves[i].CapBoth
		}
		fmt.Fprintf(b, "| %s | %.4f | %.4f | %d | %d | %d | %d | %d |\n", f.Class, c.Distance, c.Shape, f.Samples, f.Verified, f.Pending, f.Beyond, f.Rejected)
	}
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

// cropRates returns the share of samples of a crop that is verified as the crop, and that of the other samples.
func cropRates(all []cropcheck.HeldOut, classes []string) (right, wrong float64) {
	var verified, total [2]float64
	for _, j := range all {
		side := 1
		if slices.Contains(classes, j.Sample.Class) {
			side = 0
		}
		total[side]++
		if j.Check(classes...).Verdict == cropcheck.Verified {
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
