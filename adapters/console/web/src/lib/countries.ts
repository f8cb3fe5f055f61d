// Countries by the names that people give them.

const letters = [...'ABCDEFGHIJKLMNOPQRSTUVWXYZ']
const fold = (text: string) => text.normalize('NFD').replace(/\p{Diacritic}/gu, '').trim().toLowerCase()

/** The countries of the earth (ISO 3166-1) in a language, by name. */
export function countries(language: string): { code: string; name: string }[] {
  const names = new Intl.DisplayNames(language, { type: 'region', fallback: 'none' })
  const apart = ['EU', 'EZ', 'QO', 'UN', 'XA', 'XB', 'ZZ'] // regions that are not countries
  return letters.flatMap((a) => letters.map((b) => a + b))
    .flatMap((code) => { const name = apart.includes(code) ? undefined : names.of(code); return name ? [{ code, name }] : [] })
    .sort((a, b) => a.name.localeCompare(b.name, language))
}

/** Keys of countries for which browsers use another name. */
const otherwise: Record<string, string> = {
  cape_verde: 'cabo_verde', congo_kinshasa: 'democratic_republic_of_the_congo', congo_brazzaville: 'republic_of_the_congo', vatican_city: 'holy_see',
  hong_kong_sar_china: 'hong_kong', macao_sar_china: 'macao', palestinian_territories: 'palestine',
}

/** Returns the key of the API for a country, such as united_kingdom, from its name in a language. If the text is no such name, the key
 * is made of the text itself, which may be the English name or the key. */
export function countryKey(entered: string, language: string): string {
  const code = countries(language).find((c) => fold(c.name) === fold(entered))?.code
  const english = code === undefined ? entered : (new Intl.DisplayNames('en', { type: 'region' }).of(code) ?? entered)
  const key = fold(english).replace(/\(.*\)|['’.]/g, '').replace('&', 'and').trim().replaceAll(/[\s-]+/g, '_')
  return otherwise[key] ?? key.replace(/^st_/, 'saint_')
}
