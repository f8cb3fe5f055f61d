// The texts of the console, one catalogue per language, and how numbers, areas and dates are written.
import { en, type Text } from '../texts/en'
import { es } from '../texts/es'

export const languages = { en: 'English', es: 'Español' } as const
export type Language = keyof typeof languages
export type Units = 'metric' | 'imperial'

const catalogues: Record<Language, Record<Text, string>> = { en, es }
const hectaresOfAcre = 0.40468564224 // international acre, NIST Handbook 44, appendix C

function stored<T extends string>(name: string, known: readonly T[], otherwise: T): T {
  const value = localStorage.getItem(name) as T | null
  return value !== null && known.includes(value) ? value : otherwise
}

/** Returns the locale of numbers and dates: the browser's own variety of a language, such as en-GB, if it has one. */
export function variety(language: string, preferred: readonly string[]): string {
  return preferred.find((p) => p.split('-')[0] === language) ?? language
}

class Words {
  /** The terms of the API in the language of the user; empty if that is the language of the API. */
  terms = $state.raw<Record<string, string>>({})
  language = $state<Language>(stored('language', Object.keys(languages) as Language[], navigator.language.startsWith('es') ? 'es' : 'en'))
  units = $state<Units>(stored('units', ['metric', 'imperial'], 'metric'))

  /** The locale of numbers and dates. */
  get locale(): string {
    return variety(this.language, navigator.languages ?? [])
  }

  /** Loads the terms of the API in the language of the user, except for English, the language of the API. */
  async learn() {
    if (this.language === 'es') this.add((await import('../texts/es-terms')).terms)
  }
  add(terms: Record<string, string>) {
    this.terms = { ...terms, ...this.terms }
  }

  keep() {
    localStorage.setItem('language', this.language)
    localStorage.setItem('units', this.units)
    document.documentElement.lang = this.language
  }
}

export const words = new Words()

/** Returns a text, with {name} replaced. */
export function t(text: Text, values: Record<string, string | number> = {}): string {
  return catalogues[words.language][text].replace(/\{(\w+)\}/g, (whole, name: string) => String(values[name] ?? whole))
}

/** Returns an (English) term of the API in the language of the user, if the console knows the translation. */
export function term(text: string): string {
  return words.language === 'en' ? text : (words.terms[text] ?? text)
}

const formulas: Record<string, string> = { CO2e: 'CO₂e', CO2: 'CO₂', N2O: 'N₂O', CH4: 'CH₄', P2O5: 'P₂O₅', K2O: 'K₂O', m2: 'm²', m3: 'm³' }

/** Writes the formulas and units in a text with subscripts and superscripts. */
export function typeset(text: string): string {
  return text.replace(/\b(?:CO2e?|N2O|CH4|P2O5|K2O|m[23])\b/g, (plain) => formulas[plain] as string)
}

/** Number formats that were used before: creating one takes longer than formatting a thousand numbers. */
const forms = new Map<string, Intl.NumberFormat>()
const dayForms = new Map<string, Intl.DateTimeFormat>()

function form(name: string, options: Intl.NumberFormatOptions): Intl.NumberFormat {
  const key = `${words.language} ${name}`
  let found = forms.get(key)
  if (!found) forms.set(key, (found = new Intl.NumberFormat(words.locale, options)))
  return found
}

export function number(value: number, digits = 0): string {
  return form(String(digits), { minimumFractionDigits: digits, maximumFractionDigits: digits }).format(value)
}

/** Writes a difference, with a sign unless it is zero. */
export function signed(value: number, digits = 0): string {
  return form(`${digits} signed`, { minimumFractionDigits: digits, maximumFractionDigits: digits, signDisplay: 'exceptZero' }).format(value).replace('-', '−')
}

/** Writes a figure of a calculation with at most six significant digits. */
export function figure(value: number): string {
  return form('figure', { maximumSignificantDigits: 6 }).format(value)
}

const spelled: Record<string, string> = {
  n2o: 'N₂O', co2: 'CO₂', ch4: 'CH₄', co2e: 'CO₂e', n: 'N', ndvi: 'NDVI', sd: 'standard deviation', twi: 'wetness index', vi: 'vegetation index', aoi: 'area of interest', api: 'API', pct: '%', soc: 'SOC', m2: 'm²',
}

/** Writes an identifier of the API, such as soil_n2o_direct, in readable words. */
export function spoken(key: string): string {
  const text = key.split(/[_-]/).map((word) => spelled[word] ?? word).join(' ')
  return term(text.charAt(0).toUpperCase() + text.slice(1))
}

/** Writes a text for the middle of a sentence: beginning with a small letter, unless it begins with an acronym such as API. */
export function within(text: string): string {
  return /^.\p{Lu}/u.test(text) ? text : text.charAt(0).toLowerCase() + text.slice(1)
}

const roles = { owner: 'roleOwner', editor: 'roleEditor', viewer: 'roleViewer' } as const

/** Writes a role: the roles that every company starts with in the language of the user, its own roles as the company named them. */
export function role(name: string): string {
  return Object.hasOwn(roles, name) ? t(roles[name as keyof typeof roles]) : name
}

/** Writes the long numbers in a sentence as in the language of the user, except those that are part of a name, as in ISO 14064. */
export function grouped(text: string): string {
  return text.replace(/(?<![\w.,:/-])(?<!\b[A-Z]+ )\d{5,}(?![\w-]|[.,]\d)/g, (digits) => number(Number(digits)))
}

/** Writes an area given in hectares. */
export function area(hectares: number): string {
  return words.units === 'metric' ? number(hectares, 2) + ' ha' : number(hectares / hectaresOfAcre, 2) + ' ac'
}

/** Writes a day, which has no time zone. */
export function day(date: string, long = false): string {
  const key = `${words.language} ${long}`
  let found = dayForms.get(key)
  if (!found) dayForms.set(key, (found = new Intl.DateTimeFormat(words.locale, { day: 'numeric', month: 'short', timeZone: 'UTC', ...(long ? { year: 'numeric' } : {}) })))
  return found.format(new Date(date + 'T00:00:00Z'))
}

/** Writes an instant in a time zone (that of the farm), or in that of the browser if none is known. */
export function moment(instant: string, timeZone?: string): string {
  return new Intl.DateTimeFormat(words.locale, { dateStyle: 'medium', timeStyle: 'short', ...(timeZone ? { timeZone } : {}) }).format(new Date(instant))
}
