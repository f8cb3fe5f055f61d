import { expect, test } from 'vitest'
import { countries, countryKey } from './countries'

test('a country is known by its name in the language of the user, with its accents or without, and by its English one', () => {
  expect(['España', 'espana ', 'Países Bajos', 'Spain', 'united kingdom'].map((name) => countryKey(name, 'es'))).toEqual(['spain', 'spain', 'netherlands', 'spain', 'united_kingdom'])
  expect(['Bosnia y Herzegovina', 'Côte d’Ivoire', 'cote_divoire', 'Ciudad del Vaticano', 'Santa Lucía'].map((name) => countryKey(name, 'es'))).toEqual(['bosnia_and_herzegovina', 'cote_divoire', 'cote_divoire', 'holy_see', 'saint_lucia'])
  expect(countryKey('', 'es')).toBe('')
  expect(countries('es').find((c) => c.code === 'DE')?.name).toBe('Alemania')
  expect(countries('en').map((c) => c.name)).not.toContain('European Union')
})
