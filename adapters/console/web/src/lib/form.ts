// A form is built from the JSON Schema of the API (dynamic-schema/): what it asks for, in which order and in which units.

export interface Form {
  type?: string | string[]
  title?: string
  description?: string
  properties?: Record<string, Form>
  required?: string[]
  items?: Form
  enum?: (string | null)[]
  oneOf?: { const: string; title: string }[]
  default?: unknown
  minimum?: number
  maximum?: number
  maxLength?: number
  maxItems?: number
  format?: string
  readOnly?: boolean
  'x-order'?: number
  'x-unit'?: string
  'x-group'?: string
  'x-groups'?: { key: string; label: string; sections: string[] }[]
}

export type Kind = 'quantity' | 'object' | 'list' | 'choice' | 'yes-no' | 'number' | 'date' | 'text'

export function kindOf(form: Form): Kind {
  const type = Array.isArray(form.type) ? form.type[0] : form.type
  if (type === 'array') return 'list'
  if (type === 'object') return form.properties?.['value'] && form.properties['unit'] ? 'quantity' : 'object'
  if (type === 'boolean') return 'yes-no'
  if (type === 'number' || type === 'integer') return 'number'
  if (form.enum) return 'choice'
  return form.format === 'date' ? 'date' : 'text'
}

/** Returns the members of a form in order, without the id and read-only ones. */
export function membersOf(form: Form): [string, Form][] {
  return Object.entries(form.properties ?? {})
    .filter(([name, member]) => !member.readOnly && name !== 'id')
    .sort(([, a], [, b]) => (a['x-order'] ?? 0) - (b['x-order'] ?? 0))
}

/** Units that people write differently from the API. */
const signs: Record<string, string> = { celsius: '°C', fahrenheit: '°F' }

/** Returns the values that can be chosen, each with its title. */
export function choicesOf(form: Form): { value: string; title: string }[] {
  return (form.enum ?? []).filter((v) => v !== null).map((value) => ({ value, title: form.oneOf?.find((o) => o.const === value)?.title ?? signs[value] ?? value }))
}

/** Returns the title of the member at a path, such as crop_protection[].category; undefined if there is none. */
export function titleAt(form: Form, path: string): string | undefined {
  let at: Form | undefined = form
  for (const member of path.replace(/\[\d*\]/g, '').split('.')) at = (at?.items ?? at)?.properties?.[member]
  return at?.title
}

type Record_ = Record<string, unknown>

/** Returns an object with a member set; the value undefined removes the member. */
export function withMember(of: unknown, name: string, value: unknown): Record_ | undefined {
  const out: Record_ = { ...(of as Record_ | undefined) }
  if (value === undefined) delete out[name]
  else out[name] = value
  return Object.keys(out).length > 0 ? out : undefined
}

/** Returns the errors of a member from the nested messages of a refusal. */
export function below(errors: unknown, name: string | number): unknown {
  return errors && typeof errors === 'object' && !Array.isArray(errors) ? (errors as Record_)[name] : undefined
}

/** The messages of one input. */
export function messages(errors: unknown): string {
  return Array.isArray(errors) ? errors.filter((e) => typeof e === 'string').join(' ') : ''
}
