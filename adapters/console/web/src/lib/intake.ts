// A file of outlines on its way into a farm.
import { api, ask, bare, type Schemas } from '../api/client'

export type Intake = Schemas['FieldImport']
export interface Mapping {
  name?: string
  external_id?: string
}

/** Sends a file; as a preview, nothing of it is stored. */
export function send(file: File, farm: number, mapping: Mapping, preview: boolean): Promise<Intake> {
  const map = Object.entries(mapping).flatMap(([member, property]) => (property === undefined ? [] : [`${member}:${property}`]))
  return ask(
    api.POST('/api/v1.2/field/import/', {
      params: { query: { farm_id: farm, preview, ...(map.length > 0 ? { map } : {}) } },
      body: file as never,
      bodySerializer: (body: unknown) => body as BodyInit,
      headers: { 'Content-Type': 'application/octet-stream' },
    }),
  )
}

/** Asks how far a file is that is imported in the background, until it is in. */
export async function wait(job: number, seen: (intake: Intake) => void, left: AbortSignal): Promise<Intake | undefined> {
  while (!left.aborted) {
    const intake = await ask(api.GET('/api/v1.2/field/import/{job_id}/', { params: { path: { job_id: String(job) } } }))
    seen(intake)
    if (intake.status === 'completed' || intake.status === 'failed') return intake
    await new Promise((go) => setTimeout(go, 1_000))
  }
  return undefined
}

/** Deletes fields that were just made. */
export async function undo(fields: number[]) {
  await bare(api.DELETE('/api/v1.2/field/', { params: { query: { id: fields } }, querySerializer: { array: { style: 'form', explode: false } } }))
}

/** Says what is wrong with a feature, in one line. */
export function complaint(errors: Record<string, unknown> | null): string {
  return Object.entries(errors ?? {})
    .map(([field, messages]) => `${field}: ${Array.isArray(messages) ? messages.join(' ') : JSON.stringify(messages)}`)
    .join('; ')
}
