// What crops are called in the language of the user.
import { api, ask, type Schemas } from '../api/client'
import { words } from './words.svelte'

const capital = (text: string) => text.charAt(0).toUpperCase() + text.slice(1)

/** Returns the names of crops in a language, by their English names. */
export function cropNames(crops: Pick<Schemas['Crop'], 'name' | 'names'>[], language: string): Record<string, string> {
  return Object.fromEntries(crops.flatMap(({ name, names }) => (names?.[language] ? [[name, capital(names[language])]] : [])))
}

const known = new Set<string>()

/** Reads the names from the catalog, once per language. The English names come with every record. */
export async function readCropNames() {
  const { language } = words
  if (language === 'en' || known.has(language)) return
  known.add(language)
  try {
    words.add(cropNames((await ask(api.GET('/api/v1.2/crop/', { params: { query: { page: 'all' } } }))).results as Schemas['Crop'][], language))
  } catch {
    known.delete(language) // they stay in English
  }
}
