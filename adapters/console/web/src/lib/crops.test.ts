import { expect, test } from 'vitest'
import { cropNames } from './crops'

test('crops have the names of a language, and begin with a capital as the English ones do', () => {
  const crops: { name: string; names: Record<string, string> | null }[] = [{ name: 'Buckwheat', names: { es: 'trigo sarraceno', fr: 'sarrasin' } }, { name: 'Emmer', names: { fr: 'amidonnier' } }, { name: 'Oca', names: null }]
  expect(cropNames(crops, 'es')).toEqual({ Buckwheat: 'Trigo sarraceno' })
})
