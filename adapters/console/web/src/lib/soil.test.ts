import { expect, test } from 'vitest'
import { after, compass, stateOfStop, wayTo, type Entry, type Stop } from './crew.svelte'
import { boxAround, depthsOf, zoneColour } from './soil'

test.each([
  ['0-30', [{ from: 0, to: 30 }]],
  [' 0 – 30; 30-60 ', [{ from: 0, to: 30 }, { from: 30, to: 60 }]],
  ['0-15,15-30,', [{ from: 0, to: 15 }, { from: 15, to: 30 }]],
  ['', null],
  ['30', null],
  ['30-0', null],
  ['0-30, deep', null],
])('the depths %s are read', (text, depths) => {
  expect(depthsOf(text)).toEqual(depths)
})

test('zones have colours of their own, in order', () => {
  for (const k of [1, 2, 5, 8]) expect(new Set(Array.from({ length: k }, (_, i) => zoneColour(i + 1, k))).size).toBe(k)
})

test('a box is around all parts', () => {
  const polygon = { type: 'Polygon', coordinates: [[[1, 2], [3, 2], [3, 5], [1, 2]]] } as GeoJSON.Polygon
  const multi = { type: 'MultiPolygon', coordinates: [[[[-4, 1], [0, 1], [0, 3], [-4, 1]]]] } as GeoJSON.MultiPolygon
  expect(boxAround([{ geometry: polygon }, { geometry: multi }])).toEqual([-4, 1, 3, 5])
  expect(boxAround([])).toBeNull()
})

test('a crew is led to its point', () => {
  const here = { lon: -4.2, lat: 41.7 }
  // A minute of latitude on a sphere of the mean radius is 1,853.25 m.
  const north = wayTo(here, { lon: -4.2, lat: 41.7 + 1 / 60 })
  expect(north.metres).toBeCloseTo(1853.25, 1)
  expect(compass(north.degrees)).toBe('N')
  expect(compass(wayTo(here, { lon: -4.201, lat: 41.7 }).degrees)).toBe('W')
  expect(compass(wayTo(here, { lon: -4.199, lat: 41.69925 }).degrees)).toBe('SE')
  expect(wayTo(here, here).metres).toBe(0)
})

test('a point is done when none of its samples waits', () => {
  const stop: Stop = {
    id: 'Z1-01', zone: 1, role: 'sample', lon: 0, lat: 0, field: 'F',
    samples: [{ id: 1, label: 'a', from: 0, to: 30, status: 'planned' }, { id: 2, label: 'b', from: 30, to: 60, status: 'planned' }],
  }
  const entry: Entry = { plan: 4, point: 'Z1-01', taken: [1], missed: [2], collected: {}, notes: '' }
  expect(stateOfStop(stop, undefined)).toBeUndefined()
  expect(stateOfStop(stop, entry)).toBe('done')
  expect(stateOfStop(stop, { ...entry, taken: [], missed: [1, 2] })).toBe('missed')
  expect(stateOfStop(stop, { ...entry, missed: [] })).toBeUndefined()
  expect(after(stop, entry).samples.map((s) => s.status)).toEqual(['collected', 'missed'])
  expect(stateOfStop(after(stop, entry), undefined)).toBe('done')
})
