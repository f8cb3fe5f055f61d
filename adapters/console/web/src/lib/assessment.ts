// An assessment: its sections, how complete they are, and its report.
import { api, ask, bare, Refusal, type Schemas } from '../api/client'
import { titleAt, type Form } from './form'
import { spoken, term, words } from './words.svelte'
import { world } from './world.svelte'

export type Assessment = Schemas['AssessmentWithAssessmentSections']
export type Completeness = Schemas['Completeness']

/** Members of the assessment itself, which the console shows as a section of its own. */
export const generalMembers = ['growing_area', 'average_temperature', 'climate_region', 'farm_country', 'submitted_data_quality'] as const

let schema: Promise<Form> | undefined

/** Reads the form of assessments, once. */
export function readForm(): Promise<Form> {
  schema ??= ask(api.GET('/api/v1.2/ghg/assessments/dynamic-schema/')).then(
    (form) => form as unknown as Form,
    (error: unknown) => {
      schema = undefined
      throw error
    },
  )
  return schema
}

const whole = (id: number) => ({ params: { path: { id: String(id) } } })

export function readAssessment(id: number): Promise<Assessment> {
  return ask(api.GET('/api/v1.2/ghg/assessments/{id}/', whole(id))) as Promise<Assessment>
}

/** Returns how complete an assessment is: recalculated for users who may edit it, as last calculated for those who may only view it. */
export function readCompleteness(id: number): Promise<Completeness> {
  return ask(world.may('assessment.edit') ? api.POST('/api/v1.2/ghg/assessments/{id}/completeness/', whole(id)) : api.GET('/api/v1.2/ghg/assessments/{id}/completeness/', whole(id)))
}

/** A section as it is stored, with its version, against which a change is checked. */
export interface Section {
  value: unknown
  version: string
}

/** Reads a section, or the members of the assessment itself. */
export async function readSection(id: number, section: string): Promise<Section> {
  const call =
    section === 'general'
      ? await api.GET('/api/v1.2/ghg/assessments/{id}/', whole(id))
      : await api.GET('/api/v1.2/ghg/assessments/{id}/sections/{section}/', { params: { path: { id: String(id), section } } })
  const answer = (await ask(Promise.resolve(call as never))) as Record<string, unknown>
  const version = call.response.headers.get('ETag') ?? ''
  if (section !== 'general') return { value: answer, version }
  return { value: Object.fromEntries(generalMembers.map((m) => [m, answer[m]]).filter(([, v]) => v !== null && v !== undefined)), version }
}

/** Stores a section, unless it has changed since it was read (412). */
export async function writeSection(id: number, section: string, value: unknown, form: Form, version: string): Promise<void> {
  const headers = { 'If-Match': version }
  if (section === 'general') {
    const given = (value ?? {}) as Record<string, unknown>
    const body = Object.fromEntries(generalMembers.map((m) => [m, given[m] ?? null]))
    await ask(api.PATCH('/api/v1.2/ghg/assessments/{id}/', { ...whole(id), body: body as never, headers }))
    return
  }
  const body = (value ?? (form.type === 'array' ? [] : {})) as never
  await bare(api.PUT('/api/v1.2/ghg/assessments/{id}/sections/{section}/', { params: { path: { id: String(id), section } }, body, headers }))
}

/** Declares that a section has nothing to enter, or withdraws that declaration. */
export async function declare(assessment: Assessment, section: string, none: boolean): Promise<void> {
  const said = { ...(assessment.section_declarations as Record<string, 'none' | null>) }
  if (none) said[section] = 'none'
  else delete said[section]
  await bare(api.PUT('/api/v1.2/ghg/assessments/{id}/declarations/', { ...whole(assessment.id), body: said as never }))
}

/** Fills in values from the records of the farm, and returns how many were filled in. */
export async function prefill(id: number): Promise<number> {
  const answer = await ask(api.POST('/api/v1.2/ghg/assessments/{id}/prefill/', { ...whole(id), body: { apply: true } }))
  return answer.proposals.filter((p) => p.applied).length
}

/** Returns a text on what is missing: the message of the API in English; in other languages the names of section and member. */
export function missing(form: Form | undefined, of: { path?: string; field?: string; message: string }): string {
  const path = of.path ?? of.field ?? ''
  if (words.language === 'en' || !form || path === '') return of.message
  const [section] = path.split(/[.[]/) as [string]
  const titles = [generalMembers.includes(section as (typeof generalMembers)[number]) ? undefined : (form.properties?.[section]?.title ?? spoken(section)), titleAt(form, path)]
  return titles.filter((title) => title !== undefined).map(term).join(': ')
}

export type Violation = { code: string; path: string; message: string }

/** Submits an assessment. If it cannot be submitted, the details of the Refusal hold the reasons. */
export function submit(id: number) {
  return ask(api.POST('/api/v1.2/ghg/assessments/{id}/submit/', whole(id)))
}

export function violationsOf(error: unknown): Violation[] {
  return error instanceof Refusal && Array.isArray(error.details['violations']) ? (error.details['violations'] as Violation[]) : []
}

export type Report = Schemas['AssessmentReport']

export function readReport(id: number): Promise<Report> {
  return ask(api.GET('/api/v1.2/ghg/assessments/{id}/impact-report/', whole(id))) as Promise<Report>
}
