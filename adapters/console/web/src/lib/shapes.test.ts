import { describe, expect, it, test } from 'vitest'
import { among, coloured, labelled, named, namedFrom, partOf, type Shape } from './shapes'

const wideAs = (side: number): Shape['geometry'] => ({ type: 'Polygon', coordinates: [[[0, 0], [side, 0], [side, side / 9], [0, side / 9], [0, 0]]] })

describe('what the map is told of fields', () => {
  it('is one branch for each colour, in which an id stands once', () => {
    const shapes = [{ id: 1, colour: 'a' }, { id: -2, colour: 'b' }, { id: 3, colour: 'a' }, { id: -2, colour: 'a' }]
    expect(coloured(shapes)).toEqual(['match', ['get', 'id'], [1, 3], 'a', [-2], 'b', ['rgba', 0, 0, 0, 0]])
    expect(coloured([])).toEqual(['rgba', 0, 0, 0, 0]) // a match without a branch is invalid
  })
  it('lets through some, each once, or none', () => {
    expect(among([3, -1, 3])).toEqual(['match', ['get', 'id'], [3, -1], true, false])
    expect(among([])).toBe(false)
  })
})

describe('a name', () => {
  const from = (name: string, side: number) => namedFrom({ name, geometry: wideAs(side) })
  it('is written from the zoom at which its field is a quarter of its width', () => {
    const wide = (zoom: number) => (512 * 2 ** zoom * 0.005) / 360 // px of the field
    const zoom = from('North pivot', 0.005)
    expect(wide(zoom)).toBeGreaterThanOrEqual((11 * 6.5) / 4)
    expect(wide(zoom - 1)).toBeLessThan((11 * 6.5) / 4)
    expect(from('A', 0.005)).toBeLessThan(zoom) // a short name sooner
    expect(from('North pivot', 0.02)).toBe(zoom - 2)
  })
  it('is written somewhere even of what has no width, and at once of what is wider than the world', () => {
    expect(from('North pivot', 0)).toBe(17)
    expect(from('North pivot', 180)).toBe(0)
  })
  it('is compared with the zoom by the map, which has it with the field', () => {
    expect(labelled).toEqual(['>=', ['zoom'], ['get', 'from']])
    const { properties } = named({ id: 7, name: 'A', caption: 'b', colour: '', geometry: wideAs(0.005) })
    expect(properties).toMatchObject({ id: 7, name: 'A', caption: 'b', from: from('A', 0.005) })
  })
})

test('where no field is shown, nothing is: what makes the map ready lay on the map of an empty company', () => {
  expect(partOf([], true)).toBe(false)
  expect(partOf([], false)).toBe(false)
  expect(partOf([1, 2], true)).toBeNull()
  expect(partOf([1], false)).toEqual(['match', ['get', 'id'], [1], true, false])
})
