// What the map is told of fields. Colours, and which of them are shown, are expressions that its workers evaluate: a search or another
// colour sends no outline again, which for 10,000 of them kept the page busy for half a second (docs/performance.md).
import type { ExpressionSpecification, FilterSpecification } from 'maplibre-gl'
import { roomIn, type Outline } from './outline'

export interface Shape {
  id: number
  name: string
  caption: string
  colour: string
  geometry: Outline
}

const nothing: ExpressionSpecification = ['rgba', 0, 0, 0, 0]

/** The colour of each shape, by its id; one that comes twice has the first. */
export function coloured(shapes: Pick<Shape, 'id' | 'colour'>[]): ExpressionSpecification {
  const ids = new Map<string, number[]>()
  const seen = new Set<number>()
  for (const { id, colour } of shapes) {
    if (seen.has(id)) continue
    seen.add(id)
    const same = ids.get(colour)
    if (same) same.push(id)
    else ids.set(colour, [id])
  }
  if (ids.size === 0) return nothing
  return ['match', ['get', 'id'], ...[...ids].flatMap(([colour, of]) => [of, colour]), nothing] as unknown as ExpressionSpecification
}

/** Lets through what has one of some ids. */
export function among(ids: number[]): FilterSpecification {
  return ids.length === 0 ? false : (['match', ['get', 'id'], [...new Set(ids)], true, false] as unknown as FilterSpecification)
}

/** What is shown of a piece: some ids, or all that is there (null). With none nothing is, also not what only makes the map ready. */
export function partOf(ids: number[], all: boolean): FilterSpecification | null {
  return all && ids.length > 0 ? null : among(ids)
}

const world = 512 // px around the earth at zoom 0
const letter = 6.5 // px of a letter on average
const longest = 108 // px of a line of a name
const least = 12 // px of a field that has a name

/** The zoom from which a shape has its name: that at which it is at least a quarter as large as the name is wide. A name that is far
 * wider hides the fields beside it, and says of none which it is of. */
export function namedFrom({ name, geometry }: Pick<Shape, 'name' | 'geometry'>): number {
  const { size } = roomIn(geometry)
  const wanted = Math.max(least, Math.min(longest, name.length * letter) / 4)
  return size > 0 ? Math.min(17, Math.max(0, Math.ceil(Math.log2((wanted * 360) / (world * size))))) : 17
}

/** The name of a shape, where it goes, and from which zoom. */
export function named(shape: Shape): GeoJSON.Feature {
  const { id, name, caption, geometry } = shape
  const { place, area } = roomIn(geometry)
  return { type: 'Feature', geometry: { type: 'Point', coordinates: place }, properties: { id, name, caption, from: namedFrom(shape), area } }
}

export const labelled: ExpressionSpecification = ['>=', ['zoom'], ['get', 'from']]
