import { expect, test } from 'vitest'
import { cropColours, deviationColour, deviations, noneColour, otherColour, ramp, rampColour } from './colours'
import { csv } from './csv'
import { graticule, stepOf } from './fieldmap'
import { partsOf } from './health'
import { missing } from './assessment'
import { below, kindOf, membersOf, messages, titleAt, withMember } from './form'
import { assessedBy, boxOf, completeness, cropsOf, matching, stateOf, type Land } from './land'
import { besidePanel } from './padding'
import { boxAround, doubtOf, placesOf, type Taken } from './intake'
import { grouped, role, spoken, term, typeset, variety, within, words } from './words.svelte'
import { en } from '../texts/en'
import { es } from '../texts/es'

test('a spreadsheet reads text as text', () => {
  expect(csv([['=1+1', 'a,b', 'say "so"', 'two\nlines', -3, null]])).toBe(`'=1+1,"a,b","say ""so""","two\nlines",-3,\r\n`)
})

test('the ramp goes through its stops and ends at them', () => {
  for (const [value, colour] of ramp) expect(rampColour(value)).toBe(colour)
  expect(rampColour(-0.2)).toBe(ramp[0]?.[1])
  expect(rampColour(1.5)).toBe(ramp.at(-1)?.[1])
})

test('a field as it uses to be is neutral, and one that was not compared is none of the steps', () => {
  for (const ground of ['light', 'dark'] as const) {
    expect([2, 1.9, 0, -1, -1.1, -2, -7].map((score) => deviationColour(score, ground))).toEqual([0, 1, 2, 2, 3, 3, 4].map((i) => deviations[i]?.[ground]))
    expect(new Set([...deviations.map((d) => d[ground]), deviationColour(null, ground)]).size).toBe(6)
    expect(deviationColour(null, ground)).toBe(noneColour)
  }
})

test('the crops on most fields have a colour of their own', () => {
  const land = 'aaabbbccddeeffgghi'.split('').map((crop) => ({ crops: [crop] }) as Land)
  const colours = cropColours(land)
  expect(new Set([...'abcdefg'].map((c) => colours.get(c))).size).toBe(7)
  expect(colours.get('h')).toBe(otherColour)
  expect(colours.get('i')).toBe(otherColour)
})

test('the graticule has about six lines each way at any scale', () => {
  for (const span of [0.001, 0.37, 12, 180]) {
    const box: Parameters<typeof stepOf>[0] = [-span / 3, 0, (span * 2) / 3, span / 2]
    const lines = graticule(stepOf(box), box).features[0]?.geometry
    expect(lines?.type === 'MultiLineString' && lines.coordinates.length).toBeGreaterThanOrEqual(3)
    expect(lines?.type === 'MultiLineString' && lines.coordinates.length).toBeLessThanOrEqual(14)
  }
})

test('what is worst in a feature of a file is said of it, and its axes are shown swapped where they may be', () => {
  const square = { type: 'Polygon', coordinates: [[[41, -4], [41.1, -4], [41.1, -3.9], [41, -4]]] }
  const of = (more: object) => ({ verdict: 'create', warnings: [], overlaps: [], outline: square, ...more }) as unknown as Taken
  expect([
    of({}), of({ verdict: 'update' }), of({ verdict: 'skip' }), of({ warnings: [{ code: 'sliver' }] }), of({ warnings: [{ code: 'sliver' }], overlaps: [{ id: 1, name: 'a' }] }),
    of({ warnings: [{ code: 'likely_axis_swap' }], overlaps: [{ id: 1, name: 'a' }] }), of({ verdict: 'fail', warnings: [{ code: 'sliver' }] }),
  ].map(doubtOf)).toEqual(['ok', 'changed', 'same', 'doubtful', 'overlaps', 'swapped', 'refused'])
  expect(placesOf(of({ outline: undefined }))).toEqual([])
  expect(boxAround(placesOf(of({})))).toEqual([41, -4, 41.1, -3.9])
  expect(boxAround(placesOf(of({ warnings: [{ code: 'likely_axis_swap' }] })).slice(1))).toEqual([-4, 41, -3.9, 41.1])
  const far = { type: 'Polygon', coordinates: [[[41, 110], [41.1, 110], [41.1, 110.1], [41, 110]]] } // no place on earth unless it is swapped
  expect(boxAround(placesOf(of({ verdict: 'fail', outline: far })))).toEqual([110, 41, 110.1, 41.1])
  expect(boxAround([])).toBeUndefined()
})

test('what lies under the legend of a wide screen is no place for fields, and on a phone it is the sheet', () => {
  const [bare, told] = [besidePanel(1280, 850), besidePanel(1280, 850, 0, 120)]
  expect(told.bottom - bare.bottom).toBeGreaterThan(120)
  expect({ ...told, bottom: 0 }).toEqual({ ...bare, bottom: 0 })
  expect(besidePanel(375, 700, 0, 120)).toEqual(besidePanel(375, 700))
  expect(besidePanel(1280 + 200, 850 + 200, 100, 120).bottom).toBe(told.bottom + 100)
})

test('a box is around all fields', () => {
  expect(boxOf([])).toBeNull()
  expect(boxOf([{ bbox: [1, 2, 3, 4] }, { bbox: [-1, 3, 2, 9] }])).toEqual([-1, 2, 3, 9])
})

test('states of orders', () => {
  expect([stateOf(undefined), stateOf('active'), stateOf('pending'), stateOf('failed'), stateOf('cancelled')]).toEqual(['none', 'active', 'pending', 'orderFailed', 'orderFailed'])
})

test('a form knows its kinds and its order', () => {
  const quantity = { type: 'object', properties: { value: { type: 'number' }, unit: { enum: ['t'] } } }
  const kinds = [quantity, { type: 'object' }, { type: 'array' }, { type: ['boolean', 'null'] }, { type: 'integer' }, { type: 'string', enum: ['a'] }, { type: 'string', format: 'date' }, { type: 'string' }]
  expect(kinds.map(kindOf)).toEqual(['quantity', 'object', 'list', 'yes-no', 'number', 'choice', 'date', 'text'])
  const form = { properties: { b: { 'x-order': 2 }, id: { 'x-order': -1 }, a: { 'x-order': 1 }, c: { 'x-order': 0, readOnly: true } } }
  expect(membersOf(form).map(([name]) => name)).toEqual(['a', 'b'])
  expect(withMember({ a: 1, b: 2 }, 'b', undefined)).toEqual({ a: 1 })
  expect(withMember({ a: 1 }, 'a', undefined)).toBeUndefined()
  expect(messages(below(below({ rate: { value: ['Too much.', 'Really.'] } }, 'rate'), 'value'))).toBe('Too much. Really.')
})

test('every text is in every language, with the same values', () => {
  const values = (text: string) => [...text.matchAll(/\{\w+\}/g)].map(String).sort()
  for (const key of Object.keys(en) as (keyof typeof en)[]) {
    expect(es[key], key).not.toBe('')
    expect(values(es[key]), key).toEqual(values(en[key]))
  }
})

test('fields are found by name and crop', () => {
  const land = [{ name: 'North', crops: ['wheat'] }, { name: 'South', crops: ['maize', 'beans'] }, { name: 'Northwest', crops: [] }] as unknown as Land[]
  expect(matching(land, 'NORTH', '').map((f) => f.name)).toEqual(['North', 'Northwest'])
  expect(matching(land, '', 'beans').map((f) => f.name)).toEqual(['South'])
  expect(matching(land, 'n', 'beans')).toEqual([])
  expect(cropsOf(land)).toEqual(['beans', 'maize', 'wheat'])
})

test('a field without an assessment is part of that of its farm', () => {
  const assessed = assessedBy([{ resource_type: 'farm', resource_id: 7, completeness_percentage: 40 }, { resource_type: 'field', resource_id: 1, completeness_percentage: 100 }])
  expect(completeness({ id: 1, farm: 7 }, assessed)).toBe(100)
  expect(completeness({ id: 2, farm: 7 }, assessed)).toBe(40)
  expect(completeness({ id: 7, farm: 8 }, assessed)).toBeNull()
})

test('the parts of a server that is ready, and of one that is not', () => {
  expect(partsOf({ status: 'success', data: { database: 'ready', broker: 'unavailable', degraded: ['broker'] } })).toEqual([
    { name: 'broker', state: 'unavailable', well: false }, { name: 'database', state: 'ready', well: true },
  ])
  expect(partsOf({ status: 'error', code: 'not_ready', details: { database: 'unavailable' } })).toEqual([{ name: 'database', state: 'unavailable', well: false }])
  expect(partsOf({})).toEqual([])
})

test('long numbers of a sentence are grouped as the language does, and names and years are not', () => {
  words.language = 'en'
  expect(grouped('An area above 0 and at most 1000000 ha.')).toBe('An area above 0 and at most 1,000,000 ha.')
  expect(grouped('From 2025-01-01, as ISO 14064 and EPSG:32630 have it, 12345.5, a 2024 or 1,000,000.')).toBe('From 2025-01-01, as ISO 14064 and EPSG:32630 have it, 12345.5, a 2024 or 1,000,000.')
  words.language = 'es'
  expect(grouped('At most 1000000 ha.')).toBe('At most 1.000.000 ha.')
  words.language = 'en'
})

test('roles that every company has are spoken of in the language of the user, and its own ones as it named them', () => {
  words.language = 'es'
  expect(['owner', 'viewer', 'Field crew', 'toString'].map(role)).toEqual(['Propietario', 'Lector', 'Field crew', 'toString'])
  words.language = 'en'
  expect(role('owner')).toBe('Owner')
})

test('what the interface calls things is read in the language of the user', async () => {
  words.language = 'es'
  await words.learn()
  expect(['Crop', 'Tropical dry asia insular', 'Germany', 'Of the rate: plus and minus per cent, at 95 %. Without it the figure is taken as exact.'].map(term)).toEqual([
    'Cultivo', 'Tropical seca, Asia insular', 'Alemania', 'De la dosis: más y menos en tanto por ciento, al 95 %. Sin ella la cifra se toma como exacta.',
  ])
  expect(spoken('soil_n2o_direct')).toBe('N₂O del suelo, directo')
  expect(term('A word that is new')).toBe('A word that is new')

  const form = { properties: { irrigation: { title: 'Irrigation', items: { properties: { method: { title: 'Method' } } } }, farm_country: { title: 'Country' } } }
  expect(titleAt(form, 'irrigation[0].method')).toBe('Method')
  expect(titleAt(form, 'irrigation[].nothing.of')).toBeUndefined()
  expect(missing(form, { path: 'irrigation[].method', message: 'Irrigation: enter method.' })).toBe('Riego: Método')
  expect(missing(form, { field: 'farm_country', message: 'Enter country.' })).toBe('País')
  words.language = 'en'
  expect(missing(form, { path: 'irrigation[].method', message: 'Irrigation: enter method.' })).toBe('Irrigation: enter method.')
  expect([spoken('vi-profile'), spoken('ndvi_sd')]).toEqual(['Vegetation index profile', 'NDVI standard deviation'])
  expect(['API key', 'Clave de API', 'Área'].map(within)).toEqual(['API key', 'clave de API', 'área'])
})

test('formulas are printed as formulas, and numbers in the variety of the language that the browser has', () => {
  expect(typeset('kg CO2e/kg product, P2O5, t/m3, m2, H2O2e')).toBe('kg CO₂e/kg product, P₂O₅, t/m³, m², H2O2e')
  expect(variety('en', ['de', 'en-GB', 'en'])).toBe('en-GB')
  expect(variety('es', ['en-US'])).toBe('es')
})
