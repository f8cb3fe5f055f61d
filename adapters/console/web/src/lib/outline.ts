// Outlines as people type or paste them: GeoJSON or well-known text, longitude first.
import type { Land } from './land'

export type Outline = Land['geometry']
export type Line = GeoJSON.LineString

const earth = 6_371_007 // m, radius of the sphere with the area of the ellipsoid

/** Reads a polygon, or a line, from GeoJSON (also within a feature or a collection of one) or from well-known text. */
export function readGeometry(text: string): Outline | Line | undefined {
  const trimmed = text.trim()
  return known(trimmed.startsWith('{') ? fromJSON(trimmed) : fromWKT(trimmed))
}

function fromJSON(text: string): unknown {
  let found: unknown
  try {
    found = JSON.parse(text)
  } catch {
    return undefined
  }
  const of = found as { type?: string; geometry?: unknown; features?: { geometry?: unknown }[] }
  if (of.type === 'Feature') return of.geometry
  if (of.type === 'FeatureCollection') return of.features?.length === 1 ? of.features[0]?.geometry : undefined
  return found
}

const words = { POLYGON: ['Polygon', 2], MULTIPOLYGON: ['MultiPolygon', 3], LINESTRING: ['LineString', 1] } as const

function fromWKT(text: string): unknown {
  const parts = /^(?:SRID=4326;)?\s*(POLYGON|MULTIPOLYGON|LINESTRING)\s*(\(.*\))$/is.exec(text)
  if (!parts) return undefined
  const [type] = words[(parts[1] as string).toUpperCase() as keyof typeof words]
  // "x y, x y" in well-known text is [x,y],[x,y] in JSON. Positions differ from lists in having no brackets.
  const json = (parts[2] as string).replace(/[^(),]+/g, (place) => (place.trim() === '' ? '' : '[' + place.trim().split(/\s+/).join(',') + ']')).replaceAll('(', '[').replaceAll(')', ']')
  try {
    return { type, coordinates: JSON.parse(json) as unknown }
  } catch {
    return undefined
  }
}

/** Returns the value if it has the structure of an outline or a line. Whether it is a valid one on the ground, the API decides. */
function known(of: unknown): Outline | Line | undefined {
  const geometry = of as { type?: string; coordinates?: unknown } | undefined
  const deep = Object.values(words).find(([type]) => type === geometry?.type)?.[1]
  return deep && nested(geometry?.coordinates, deep) ? (geometry as Outline | Line) : undefined
}

function nested(list: unknown, deep: number): boolean {
  if (!Array.isArray(list) || list.length === 0) return false
  if (deep > 0) return list.every((item) => nested(item, deep - 1))
  return list.length >= 2 && list.every((n) => typeof n === 'number' && Number.isFinite(n)) && Math.abs(list[0] as number) <= 180 && Math.abs(list[1] as number) <= 90
}

/** Returns the area of a polygon that is being drawn, in hectares, on a sphere. The API measures the finished one on the ellipsoid. */
export function roughArea(polygon: GeoJSON.Polygon): number {
  const ring = (r: GeoJSON.Position[]) => {
    let sum = 0
    for (let i = 0; i < r.length; i++) {
      const [x1, y1] = r[i] as [number, number]
      const [x2, y2] = r[(i + 1) % r.length] as [number, number]
      const east = ((x2 - x1 + 540) % 360) - 180 // the short way, even across the 180th meridian
      sum += (east * Math.PI) / 180 * (2 + Math.sin((y1 * Math.PI) / 180) + Math.sin((y2 * Math.PI) / 180))
    }
    return Math.abs((sum * earth * earth) / 2)
  }
  return polygon.coordinates.reduce((sum, r, i) => sum + (i === 0 ? ring(r) : -ring(r)), 0) / 10_000
}

/** The room for the name of an outline, in its largest part. place: the middle of the widest stretch at half the height (a name may cross
 * holes); size: the larger of that stretch and the height, in degrees of longitude; area: that of the part, in hectares. */
export interface Room {
  place: GeoJSON.Position
  size: number
  area: number
}

/** Returns a function that caches the result of work for each object, as long as the object exists. */
export function kept<K extends object, T>(work: (of: K) => T): (of: K) => T {
  const found = new WeakMap<K, { is: T }>()
  return (of) => {
    let one = found.get(of)
    if (!one) found.set(of, (one = { is: work(of) }))
    return one.is
  }
}

export const roomIn = kept(findRoom)

function findRoom(of: Outline): Room {
  const parts = of.type === 'Polygon' ? [of.coordinates] : of.coordinates
  const sized = parts.map((coordinates) => ({ coordinates, size: roughArea({ type: 'Polygon', coordinates }) }))
  const largest = sized.reduce((most, p) => (p.size > most.size ? p : most))
  const ring = largest.coordinates[0] as GeoJSON.Position[]
  const heights = ring.map(([, y]) => y as number)
  const [south, north] = heights.reduce(([low, high], h) => [Math.min(low, h), Math.max(high, h)], [90, -90])
  const y = (south + north) / 2
  const edges = ring.map((from, i) => [from, ring[(i + 1) % ring.length]] as [[number, number], [number, number]])
  const crossed = edges
    .filter(([[, y1], [, y2]]) => y1 <= y !== y2 <= y)
    .map(([[x1, y1], [x2, y2]]) => x1 + ((y - y1) / (y2 - y1)) * (x2 - x1))
    .sort((a, b) => a - b)
  let [middle, width] = [ring[0]?.[0] as number, -1] // for an outline without height
  for (let i = 0; i + 1 < crossed.length; i += 2) {
    const [west, east] = [crossed[i] as number, crossed[i + 1] as number]
    if (east - west > width) [middle, width] = [(west + east) / 2, east - west]
  }
  return { place: [middle, y], size: Math.max(0, width, (north - south) / Math.cos((y * Math.PI) / 180)), area: largest.size }
}

/** Returns the line or the single ring, which can be changed by hand; undefined if an outline has several parts, or holes. */
export function simple(of: Outline | Line): GeoJSON.Polygon | Line | undefined {
  if (of.type === 'LineString') return of
  const parts = of.type === 'Polygon' ? [of.coordinates] : of.coordinates
  return parts.length === 1 && parts[0]?.length === 1 ? { type: 'Polygon', coordinates: parts[0] } : undefined
}

/** The box around an outline. */
export const boxIn = kept((of: Outline): [west: number, south: number, east: number, north: number] => {
  const box: [number, number, number, number] = [180, 90, -180, -90]
  for (const [x, y] of places(of) as [number, number][]) {
    box[0] = Math.min(box[0], x)
    box[1] = Math.min(box[1], y)
    box[2] = Math.max(box[2], x)
    box[3] = Math.max(box[3], y)
  }
  return box
})

/** Returns all positions of an outline, in order. */
export function places(of: Outline): GeoJSON.Position[] {
  return of.type === 'Polygon' ? of.coordinates.flat() : of.coordinates.flat(2)
}

/** Reports whether a place, longitude first, is within an outline and not in a hole. */
export function covers(of: Outline, x: number, y: number): boolean {
  const [west, south, east, north] = boxIn(of)
  if (x < west || x > east || y < south || y > north) return false
  const rings = of.type === 'Polygon' ? [of.coordinates] : of.coordinates
  return rings.some((polygon) => polygon.reduce((within, ring) => within !== winds(ring, x, y), false))
}

/** Reports whether a ray from a place to the east crosses a ring an odd number of times. */
function winds(ring: GeoJSON.Position[], x: number, y: number): boolean {
  let odd = false
  for (let i = 1; i < ring.length; i++) {
    const [[x1, y1], [x2, y2]] = [ring[i - 1], ring[i]] as [[number, number], [number, number]]
    if (y1 > y !== y2 > y && x < x1 + ((y - y1) * (x2 - x1)) / (y2 - y1)) odd = !odd
  }
  return odd
}
