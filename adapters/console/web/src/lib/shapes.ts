// What the map is sent about fields. Their colours, and which of them are shown, are expressions that its workers evaluate, so that a search
// or other colours resend no outline: resending 10,000 kept the page busy for half a second (docs/performance.md).
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

/** Returns an expression of the colour of each shape by its id; a shape that occurs twice has its first colour. */
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

/** Returns a filter for shapes with one of some ids. */
export function among(ids: number[]): FilterSpecification {
  return ids.length === 0 ? false : (['match', ['get', 'id'], [...new Set(ids)], true, false] as unknown as FilterSpecification)
}

/** Returns the filter of a piece: some ids, or all it has (null). Without ids it shows nothing, not even what only prepares the map. */
export function partOf(ids: number[], all: boolean): FilterSpecification | null {
  return all && ids.length > 0 ? null : among(ids)
}

const world = 512 // px around the earth at zoom 0
const letter = 6.5 // px of a letter on average
const longest = 108 // px, of a line of a name
const least = 12 // px, of a field whose name is shown

/** Returns the zoom from which a shape shows its name: the shape is then at least a quarter as large as the name is wide. A much wider
 * name would cover neighbouring fields, and leave unclear which field it belongs to. */
export function namedFrom({ name, geometry }: Pick<Shape, 'name' | 'geometry'>): number {
  const { size } = roomIn(geometry)
  const wanted = Math.max(least, Math.min(longest, name.length * letter) / 4)
  return size > 0 ? Math.min(17, Math.max(0, Math.ceil(Math.log2((wanted * 360) / (world * size))))) : 17
}

/** Returns the name of a shape, with its place and the zoom from which it is shown. */
export function named(shape: Shape): GeoJSON.Feature {
  const { id, name, caption, geometry } = shape
  const { place, area } = roomIn(geometry)
  return { type: 'Feature', geometry: { type: 'Point', coordinates: place }, properties: { id, name, caption, from: namedFrom(shape), area } }
}

export const labelled: ExpressionSpecification = ['>=', ['zoom'], ['get', 'from']]
