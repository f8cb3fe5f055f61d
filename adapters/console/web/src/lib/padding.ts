const narrow = 720 // px, up to which the panel is a sheet
const underLegend = 16 // px, above the legend and below it

/** Returns how much of a map the panel and a legend (of that height) cover; beyond: px of the map past each edge of the visible part. */
export function besidePanel(width: number, height: number, beyond = 0, legend = 0): { top: number; right: number; bottom: number; left: number } {
  const around = 32 + beyond
  const [seen, high] = [width - 2 * beyond, height - 2 * beyond]
  if (seen <= narrow) return { top: around + 40, left: around, right: around, bottom: high * 0.46 + around }
  return { top: around, left: around + 20, bottom: around + (legend > 0 ? legend + underLegend : 0), right: Math.min(420, seen * 0.42) + 12 + around }
}
