package zoning

import (
	"cmp"
	"context"
	"slices"

	"tilth/core/effort"
	"tilth/core/stratification/internal/stats"
)

// number renumbers the zones in use 1 to k by the ascending mean of the first layer of the highest weight,
// so that a colour means the same in every map, and returns k. values are the layer's values at cells.
// Every zone has one of the cells.
func number(labels, cells []int32, values []float64) (k int) {
	upper := slices.Max(labels)
	sum, count := make([]float64, upper+1), make([]float64, upper+1)
	for n, i := range cells {
		sum[labels[i]] += values[n]
		count[labels[i]]++
	}
	var order []int32
	for label, cells := range count {
		if cells > 0 {
			order = append(order, int32(label))
		}
	}
	slices.SortStableFunc(order, func(a, b int32) int { return cmp.Compare(sum[a]/count[a], sum[b]/count[b]) })
	rank := make([]int32, upper+1)
	for h, label := range order {
		rank[label] = int32(h + 1)
	}
	for i, label := range labels {
		labels[i] = rank[label]
	}
	return len(order)
}

// projectSteps is the number of steps that measuring and projecting a vertex costs.
const projectSteps = 16

// draw makes the zones of a map's labels: outlines, areas and figures. Its error is that of the budget.
func (z *zoner) draw(c *Candidate) error {
	f := z.frame
	k := int(slices.Max(c.Labels))
	outlines := z.outliner.Outlines(z.budget, c.Labels, k)
	if err := z.budget.Spend(effort.Interval); err != nil {
		return err
	}
	c.Zones = make([]Zone, k)
	total := 0.0
	for h := range c.Zones {
		zone := &c.Zones[h]
		zone.Number = h + 1
		zone.Outline = outlines[h]
		for _, ring := range zone.Outline.Rings() {
			if err := z.budget.Spend(projectSteps * len(ring)); err != nil {
				return err
			}
		}
		zone.AreaHa = f.Hectares(zone.Outline)
		var err error
		if zone.Geometry, err = f.RoundedOutline(z.budget, zone.Outline); err != nil {
			return err
		}
		total += zone.AreaHa
	}
	_, first := z.board.Components(c.Labels)
	for _, i := range first {
		c.Zones[c.Labels[i]-1].Parts++
	}
	for _, label := range c.Labels {
		c.Zones[label-1].Cells++
	}
	for h := range c.Zones {
		c.Zones[h].Share = c.Zones[h].AreaHa / total
	}
	z.describe(c)
	return z.budget.Spend(effort.Interval)
}

// describe sets the means and deviations of the layers in each zone, and the variance left in it.
func (z *zoner) describe(c *Candidate) {
	members := make([][]int32, len(c.Zones)) // rows of the points
	all := make([]int32, z.data.points.N)
	for n, i := range z.data.cells {
		members[c.Labels[i]-1] = append(members[c.Labels[i]-1], int32(n))
		all[n] = int32(n)
	}
	whole := z.data.points.Variances(all, z.data.layers)
	own := make([]float64, 0, len(all))
	for h := range c.Zones {
		zone := &c.Zones[h]
		zone.RV = z.data.points.Variances(members[h], z.data.layers) / whole
		for _, values := range z.data.values {
			if z.budget.Spend(len(members[h])) != nil {
				return
			}
			own = own[:0]
			for _, n := range members[h] {
				own = append(own, values[n])
			}
			mean, sd := stats.MeanAndSD(own)
			zone.Means, zone.SDs = append(zone.Means, mean), append(zone.SDs, sd)
		}
	}
}

// judge sets the figures by which the number of zones is recommended.
func (z *zoner) judge(c *Candidate) {
	for _, zone := range c.Zones {
		c.RV += float64(zone.Share * zone.RV)
	}
	c.VarianceLeft = 1 - z.params.Rho2 + float64(z.params.Rho2*c.RV)
	c.Precision = z.params.samples(c.VarianceLeft)
	c.SamplesNeeded = max(c.Precision, z.params.MinSamplesPerZone*len(c.Zones))
}

// diagnose sets the figures that state how well the cleaned maps separate the layers, without coordinates.
func (z *zoner) diagnose(ctx context.Context, candidates []Candidate) error {
	if len(candidates) == 0 {
		return nil
	}
	points := z.data.points.Leading(z.data.layers)
	groupings, ks := make([][]int32, len(candidates)), make([]int, len(candidates))
	for g := range candidates {
		c := &candidates[g]
		ks[g] = len(c.Zones)
		groupings[g] = make([]int32, points.N)
		for n, i := range z.data.cells {
			groupings[g][n] = c.Labels[i] - 1
		}
		c.Diagnostics.CalinskiHarabasz = calinskiHarabasz(z.budget, points, groupings[g], ks[g])
		c.Diagnostics.DaviesBouldin = daviesBouldin(z.budget, points, groupings[g], ks[g])
	}
	if err := z.budget.Err(); err != nil {
		return err
	}
	figures, err := silhouettes(ctx, points, groupings, ks, z.work.Workers)
	for g := range candidates {
		candidates[g].Diagnostics.Silhouette = figures[g]
	}
	return err
}
