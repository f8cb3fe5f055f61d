import { expect, test } from 'vitest'
import { layersOf } from './basemap'

const ink = (name: string) => '#' + name

test('an archive of shapes is drawn with the layers that it has, water above land', () => {
  const drawn = layersOf({ pixels: false, layers: ['water', 'earth', 'pois'] }, ink, false)
  expect(drawn.map((l) => [l.type, (l as { 'source-layer': string })['source-layer']])).toEqual([['fill', 'earth'], ['fill', 'water'], ['line', 'water']])
  expect(drawn[1]?.paint).toEqual({ 'fill-color': '#water' })
  expect(new Set(drawn.map((l) => l.id)).size).toBe(drawn.length)
})

test('pictures are darker where the console is dark', () => {
  const paints = [false, true].map((dark) => layersOf({ pixels: true, layers: [] }, ink, dark)[0]?.paint)
  expect(paints).toMatchObject([{ 'raster-brightness-max': 1 }, { 'raster-brightness-max': 0.45 }])
})
