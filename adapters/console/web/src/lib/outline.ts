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
  // What well-known text writes as "x y, x y" JSON writes as [x,y],[x,y]. Places are told from lists by the absence of brackets.
  const json = (parts[2] as string).replace(/[^(),]+/g, (place) => (place.trim() === '' ? '' : '[' + place.trim().split(/\s+/).join(',') + ']')).replaceAll('(', '[').replaceAll(')', ']')
  try {
    return { type, coordinates: JSON.parse(json) as unknown }
  } catch {
    return undefined
  }
}

/** Returns what has the shape of an outline or of a line; whether it is one on the ground the interface says. */
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

/** Hectares within a polygon that is being drawn, on a sphere: the interface measures on the ellipsoid when it is done. */
export function roughArea(polygon: GeoJSON.Polygon): number {
  const ring = (r: GeoJSON.Position[]) => {
    let sum = 0
    for (let i = 0; i < r.length; i++) {
      const [x1, y1] = r[i] as [number, number]
      const [x2, y2] = r[(i + 1) % r.length] as [number, number]
      const east = ((x2 - x1 + 540) % 360) - 180 // the short way, also over the 180th meridian
      sum += (east * Math.PI) / 180 * (2 + Math.sin((y1 * Math.PI) / 180) + Math.sin((y2 * Math.PI) / 180))
    }
    return Math.abs((sum * earth * earth) / 2)
  }
  return polygon.coordinates.reduce((sum, r, i) => sum + (i === 0 ? ring(r) : -ring(r)), 0) / 10_000
}

const insides = new WeakMap<Outline, GeoJSON.Position>() // of what is drawn again and again

/** Returns a place inside an outline, for its name: the middle of the widest stretch at half the height of its largest part, whose holes
 * a name may cross. */
export function inside(of: Outline): GeoJSON.Position {
  let found = insides.get(of)
  if (!found) insides.set(of, (found = insideOf(of)))
  return found
}

function insideOf(of: Outline): GeoJSON.Position {
  const parts = of.type === 'Polygon' ? [of.coordinates] : of.coordinates
  const sized = parts.map((coordinates) => ({ coordinates, size: roughArea({ type: 'Polygon', coordinates }) }))
  const ring = sized.reduce((largest, p) => (p.size > largest.size ? p : largest)).coordinates[0] as GeoJSON.Position[]
  const heights = ring.map(([, y]) => y as number)
  const y = (Math.min(...heights) + Math.max(...heights)) / 2
  const edges = ring.map((from, i) => [from, ring[(i + 1) % ring.length]] as [[number, number], [number, number]])
  const crossed = edges
    .filter(([[, y1], [, y2]]) => y1 <= y !== y2 <= y)
    .map(([[x1, y1], [x2, y2]]) => x1 + ((y - y1) / (y2 - y1)) * (x2 - x1))
    .sort((a, b) => a - b)
  let [middle, width] = [ring[0]?.[0] as number, -1] // of an outline without any height
  for (let i = 0; i + 1 < crossed.length; i += 2) {
    const [west, east] = [crossed[i] as number, crossed[i + 1] as number]
    if (east - west > width) [middle, width] = [(west + east) / 2, east - west]
  }
  return [middle, y]
}

/** Returns the one ring that can be changed by hand; undefined where an outline has several parts, or holes. */
export function simple(of: Outline | Line): GeoJSON.Polygon | Line | undefined {
  if (of.type === 'LineString') return of
  const parts = of.type === 'Polygon' ? [of.coordinates] : of.coordinates
  return parts.length === 1 && parts[0]?.length === 1 ? { type: 'Polygon', coordinates: parts[0] } : undefined
}

/** Reports whether a place is within an outline, longitude first; holes are not. */
export function covers(of: Outline, x: number, y: number): boolean {
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
