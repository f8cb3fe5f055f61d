const narrow = 720 // px, below which the panel is a sheet

/** What the panel covers of a map. */
export function besidePanel(width: number, height: number): { top: number; right: number; bottom: number; left: number } {
  const around = 32
  if (width <= narrow) return { top: around + 40, left: around, right: around, bottom: height * 0.46 + around }
  return { top: around, left: around + 20, bottom: around, right: Math.min(420, width * 0.42) + 12 + around }
}
