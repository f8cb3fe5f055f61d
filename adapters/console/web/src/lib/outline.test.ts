import { describe, expect, it } from 'vitest'
import { covers, readGeometry, roomIn, roughArea, simple } from './outline'

const ring = [[-4.2243, 41.7794], [-4.2208, 41.7794], [-4.2208, 41.7822], [-4.2243, 41.7822], [-4.2243, 41.7794]]
const polygon: GeoJSON.Polygon = { type: 'Polygon', coordinates: [ring] }

describe('outlines that are typed', () => {
  it('are read from GeoJSON, bare, in a feature, and in a collection of one', () => {
    const feature = { type: 'Feature', properties: {}, geometry: polygon }
    for (const text of [polygon, feature, { type: 'FeatureCollection', features: [feature] }]) expect(readGeometry(' ' + JSON.stringify(text))).toEqual(polygon)
    expect(readGeometry(JSON.stringify({ type: 'FeatureCollection', features: [feature, feature] }))).toBeUndefined()
  })
  it('are read from well-known text', () => {
    expect(readGeometry('Polygon ((-4.2243 41.7794, -4.2208 41.7794, -4.2208 41.7822, -4.2243 41.7822, -4.2243 41.7794))')).toEqual(polygon)
    expect(readGeometry('MULTIPOLYGON(((0 0,1 0,1 1,0 0)),((2 2, 3 2, 3 3, 2 2)))')).toEqual({
      type: 'MultiPolygon', coordinates: [[[[0, 0], [1, 0], [1, 1], [0, 0]]], [[[2, 2], [3, 2], [3, 3], [2, 2]]]],
    })
    expect(readGeometry('LINESTRING (0 0, 1 1)')).toEqual({ type: 'LineString', coordinates: [[0, 0], [1, 1]] })
  })
  it('are nothing else', () => {
    for (const text of ['', '{', '{}', 'null', 'POINT (1 2)', 'POLYGON (1 2, 3 4)', 'POLYGON ((1 x, 2 3))', 'POLYGON ((200 1, 2 3))', 'POLYGON EMPTY', '{"type":"Polygon","coordinates":[[[1]]]}']) expect(readGeometry(text), text).toBeUndefined()
  })
  it('have an area while they are drawn', () => {
    expect(roughArea(polygon)).toBeGreaterThan(9)
    expect(roughArea(polygon)).toBeCloseTo(9.04, 1)
  })
  it('have it also where they lie over the 180th meridian', () => {
    const there = ring.map(([x, y]) => [(((x as number) + 184.2226 + 540) % 360) - 180, y as number])
    expect(Math.max(...there.map(([x]) => x as number)) - Math.min(...there.map(([x]) => x as number))).toBeGreaterThan(359)
    expect(roughArea({ type: 'Polygon', coordinates: [there] })).toBeCloseTo(9.04, 1)
  })
  it('are changed by hand where they are one ring', () => {
    expect(simple({ type: 'MultiPolygon', coordinates: [[ring]] })).toEqual(polygon)
    expect(simple({ type: 'MultiPolygon', coordinates: [[ring], [ring]] })).toBeUndefined()
  })
})

describe('the place of a name', () => {
  const box = (x: number, y: number, w: number, h: number) => [[x, y], [x + w, y], [x + w, y + h], [x, y + h], [x, y]]
  it('is the middle of a simple outline', () => {
    expect(roomIn({ type: 'Polygon', coordinates: [box(2, 4, 2, 2)] })).toMatchObject({ place: [3, 5], size: 2 / Math.cos((5 * Math.PI) / 180) })
  })
  it('is in the largest part, also over a hole', () => {
    expect(roomIn({ type: 'MultiPolygon', coordinates: [[box(0, 0, 1, 1)], [box(10, 0, 9, 2), box(11, 0.5, 2, 1)]] })).toMatchObject({ place: [14.5, 1], size: 9 })
  })
  it('is within an outline that bends', () => {
    const bend = [[0, 0], [10, 0], [10, 1], [1, 1], [1, 9], [10, 9], [10, 10], [0, 10], [0, 0]]
    expect(roomIn({ type: 'Polygon', coordinates: [bend] })).toMatchObject({ place: [0.5, 5], size: 10 / Math.cos((5 * Math.PI) / 180) })
  })
  it('is somewhere even for what has no height', () => {
    expect(roomIn({ type: 'Polygon', coordinates: [[[3, 1], [4, 1], [3, 1]]] })).toMatchObject({ place: [3, 1], size: 0 })
  })
})

describe('a place', () => {
  const hole = [[-4.2235, 41.7800], [-4.2215, 41.7800], [-4.2215, 41.7815], [-4.2235, 41.7815], [-4.2235, 41.7800]]
  it('is within an outline, and not in its hole or beside it', () => {
    const holed: GeoJSON.Polygon = { type: 'Polygon', coordinates: [ring, hole] }
    expect([covers(holed, -4.224, 41.78), covers(holed, -4.2225, 41.781), covers(holed, -4.23, 41.78), covers(holed, -4.224, 41.79)]).toEqual([true, false, false, false])
  })
  it('is within one part of several', () => {
    const far = ring.map(([x, y]) => [(x as number) + 1, y as number])
    const two: GeoJSON.MultiPolygon = { type: 'MultiPolygon', coordinates: [[ring], [far]] }
    expect([covers(two, -4.223, 41.78), covers(two, -3.223, 41.78), covers(two, -3.723, 41.78)]).toEqual([true, true, false])
  })
})
