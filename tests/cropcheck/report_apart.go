package cropcheck

import (
	"fmt"
	"slices"
	"strings"

	"tilth/core/cropcheck"
)

// lookAlikes explains what the tables of look-alikes show, and which bounds were tried against them.
const lookAlikes = `
Between kinds a class without a curve is mostly rejected; the exceptions are millet after soybean, where it is sparse, and
pasture, whose courses pass as each other's. Within a kind it is mostly not: the fields of a class differ from each other
as much as from those of the next class. A pasture resembles cerrado, soybean before sunflower or millet resembles soybean
before maize. The answer names the look-alike in ` + "`resembles`" + `: read it as "like this, of the classes that have curves".

- **Cerrado and pasture by NDVI** are not told apart even by a discriminant that knows both: it rejects a third of the other
  class or less. With EVI it rejects nearly all.
- **The crops, and crops from cerrado and pasture,** are told apart in 93 % or more of the series where both classes are
  known: curves of both, such as a company's own, help. A cap knows one class, and not in which direction another differs.

Other bounds, tried once with the same folds, at losses of 4 to 6 %, on the five classes with enough samples alone.
A class left out is rejected, on average, in 31 to 34 % of the series by NDVI and in 41 to 44 % by both indices by the
Mahalanobis distance with a shrunk covariance of each class; in 28 to 31 % and 36 to 39 % by the distance to the nearest,
third, fifth or tenth labelled series of the class; in 37 % and 36 % by the third nearest with the level taken off; in 28 %
and 33 % by that of rates of change. Of a kind left out they reject more crops by NDVI (rates of change 96 %, Mahalanobis
91 to 94 %), but less cerrado and pasture (79 %, and 34 to 41 %). None reaches 95 % of every kind, and none is better than
the caps for both kinds.
`

// writeLookAlikes shows which classes pass as which when their own curve is left out, and which of them any test could
// tell apart.
func writeLookAlikes(b *strings.Builder, m measured) {
	classes := m.all[0].Curves.Classes()
	fmt.Fprintf(b, "\n## Look-alikes, by %s\n\nWhat the held-out series of a class resemble when its own curve is left out, in percent; the last column is without the\n"+
		"curves of its whole kind (crops, or cerrado and pasture).\n\n| grew | %s | %s | %s without its kind |\n|%s\n",
		m.name, strings.Join(classes, " | "), cropcheck.ResemblesNone, cropcheck.ResemblesNone, strings.Repeat(" --- |", len(classes)+3))
	for _, grew := range classes {
		own := slices.DeleteFunc(slices.Clone(m.all), func(h cropcheck.HeldOut) bool { return h.Sample.Class != grew })
		fmt.Fprintf(b, "| %s |", grew)
		for _, other := range append(slices.Clone(classes), cropcheck.ResemblesNone) {
			if other == grew {
				b.WriteString(" |")
				continue
			}
			fmt.Fprintf(b, " %.0f |", 100*share(own, func(h cropcheck.HeldOut) bool { return h.Unseen() == other }))
		}
		fmt.Fprintf(b, " %.0f |\n", 100*share(own, withoutKind))
	}
	known := slices.DeleteFunc(slices.Clone(classes), func(class string) bool {
		return share(m.all, func(h cropcheck.HeldOut) bool { return h.Sample.Class == class })*float64(len(m.all)) < minKnown
	})
	fmt.Fprintf(b, "\nThe percentage of each class (columns) that a discriminant of the class in the row rejects *if both are known*.\n\n| of | %s |\n|%s\n",
		strings.Join(known, " | "), strings.Repeat(" --- |", len(known)+1))
	for _, own := range known {
		fmt.Fprintf(b, "| %s |", own)
		for _, other := range known {
			if own == other {
				b.WriteString(" |")
			} else {
				fmt.Fprintf(b, " %.0f |", 100*apart(m.all, own, other))
			}
		}
		b.WriteString("\n")
	}
}

// withoutKind reports whether a series resembles none of the classes of the other kind.
func withoutKind(h cropcheck.HeldOut) bool {
	others := slices.DeleteFunc(slices.Clone(h.Ranking), func(r cropcheck.Ranked) bool { return natural(r.Class) == natural(h.Sample.Class) })
	return cropcheck.Resembles(others) == cropcheck.ResemblesNone
}
