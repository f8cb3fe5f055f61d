// The import of a file of outlines into a farm.
import { api, ask, bare, Refusal, type Schemas } from '../api/client'
import { within, type Brought } from './brought'
import { boxIn, kept, places, type Outline } from './outline'

export type Intake = Schemas['FieldImport']
export interface Mapping {
  name?: string
  external_id?: string
  farm?: string // undefined: all fields go to one farm
}

/** Sends a file; as a preview, nothing of it is stored. */
export function send(file: File, farm: number, mapping: Mapping, preview: boolean): Promise<Intake> {
  // In JSON, as the name of a property may contain a separator of the short notation, such as +.
  const said = JSON.stringify(mapping, (_, property) => (property === '' ? null : property))
  return ask(
    api.POST('/api/v1.2/field/import/', {
      params: { query: { farm_id: farm, preview, outlines: true, ...(said === '{}' ? {} : { mapping: said }) } },
      body: file as never,
      bodySerializer: (body: unknown) => body as BodyInit,
      headers: { 'Content-Type': 'application/octet-stream' },
    }),
  )
}

/** Polls the background job of an import until it has ended. Returns undefined if the page was left before. */
export async function wait(job: number, seen: (intake: Intake) => void, left: AbortSignal): Promise<Intake | undefined> {
  while (!left.aborted) {
    const intake = await ask(api.GET('/api/v1.2/field/import/{job_id}/', { params: { path: { job_id: String(job) } } }))
    seen(intake)
    if (intake.status === 'completed' || intake.status === 'failed') return intake
    await new Promise((go) => setTimeout(go, 1_000))
  }
  return undefined
}

const perRequest = 1_000 // fields

/** Writes ids into a URL as the API reads them, separated by commas. */
const commas = { array: { style: 'form', explode: false } } as const

/** Returns the id of the newest field of a farm, or of all farms if none is given; 0 if there is none. */
export async function lastField(farm: number | undefined): Promise<number> {
  const read = await ask(api.GET('/api/v1.2/field/', { params: { query: { farm, ordering: '-id', page: 1, page_size: 1 } } }))
  return (read.results[0] as Schemas['Field'] | undefined)?.id ?? 0
}

/** Returns the fields that a user created after a given one, in a farm or in any, latest first; only some if there are more than most. */
async function since(farm: number | undefined, last: number, by: number, most = Infinity): Promise<number[]> {
  const out: number[] = []
  for (let page = 1; out.length <= most; page++) {
    const read = await ask(api.GET('/api/v1.2/field/', { params: { query: { farm, created_by: by, ordering: '-id', page, page_size: perRequest } } }))
    const made = (read.results as Schemas['Field'][]).map((f) => f.id)
    out.push(...made.filter((id) => id > last))
    if (read.next === null || made.some((id) => id <= last)) break
  }
  return out
}

/** Returns the fields that a background import created. Its report does not name them, so these are the fields that its user created since
 * it began. If their number is not the one that the import reports, some have another origin, and none is returned. */
export async function madeSince(farm: number | undefined, last: number, by: number, count: number): Promise<number[]> {
  const out = await since(farm, last, by, count)
  return out.length === count ? out : []
}

/** Returns the fields created by an import into a farm that still exist. */
export async function stillThere(farm: number, brought: Brought): Promise<number[]> {
  return (await since(brought.across ? undefined : farm, brought.last, brought.by)).filter((id) => within(brought.made ?? [], id))
}

/** Deletes fields that were just created, and reports after each request which are left. */
export async function undo(fields: number[], left: (fields: number[]) => void = () => {}) {
  for (let rest = fields; rest.length > 0; left(rest)) {
    await bare(api.DELETE('/api/v1.2/field/', { params: { query: { id: rest.slice(0, perRequest) } }, querySerializer: commas }))
    rest = rest.slice(perRequest)
  }
}

/** Returns the farms that an import created: none for a preview, or for an import that has not ended. */
export const farmsMade = (intake: Pick<Intake, 'farms'>): number[] => intake.farms.flatMap((f) => (f.id === null ? [] : [f.id]))

/** Deletes farms that an import created, if they are unchanged and empty. A farm that others have edited or put something into stays.
 * Reports after each farm which are still to be checked, and returns how many stay. */
export async function dropFarms(farms: number[], left: (farms: number[]) => void = () => {}): Promise<number> {
  let stay = 0
  for (let rest = farms; rest.length > 0; ) {
    const some = rest.slice(0, perRequest)
    const read = await ask(api.GET('/api/v1.2/farm/', { params: { query: { id: some, page: 'all' } }, querySerializer: commas }))
    const there = new Map((read.results as Schemas['Farm'][]).map((f) => [f.id, f]))
    for (const id of some) {
      const farm = there.get(id)
      if (farm && !(untouched(farm) && (await dropEmpty(id)))) stay++
      rest = rest.slice(1)
      left(rest)
    }
  }
  return stay
}

const untouched = (farm: Schemas['Farm']) => farm.field_count === 0 && farm.updated_at === farm.created_at

/** Deletes a farm if it is still empty, and reports whether it no longer exists. */
async function dropEmpty(farm: number): Promise<boolean> {
  try {
    await bare(api.DELETE('/api/v1.2/farm/{id}/', { params: { path: { id: String(farm) }, query: { empty: true } } }))
  } catch (error) {
    if (!(error instanceof Refusal) || ![404, 409].includes(error.status)) throw error
    return error.status === 404
  }
  return true
}

/** Returns which property of a file names farms, and up to three of the names, while all fields go to one farm; undefined if none does. */
export function farmsNamed(intake: Pick<Intake, 'proposed' | 'properties'>): { property: string; names: string[] } | undefined {
  const property = intake.proposed?.farm?.properties[0]
  return property === undefined ? undefined : { property, names: intake.properties.find((p) => p.name === property)?.samples ?? [] }
}

export type Taken = Intake['features'][number]
/** What needs checking in a feature, worst first; ok: nothing does. */
export const doubts = ['refused', 'swapped', 'overlaps', 'doubtful', 'changed', 'same', 'ok'] as const
export type Doubt = (typeof doubts)[number]

export function doubtOf(f: Pick<Taken, 'verdict' | 'warnings' | 'overlaps'>): Doubt {
  if (f.verdict === 'fail') return 'refused'
  if (f.warnings.some((w) => w.code === 'likely_axis_swap')) return 'swapped'
  if (f.overlaps.length > 0) return 'overlaps'
  if (f.warnings.length > 0) return 'doubtful'
  return f.verdict === 'update' ? 'changed' : f.verdict === 'skip' ? 'same' : 'ok'
}

/** Whether a feature needs checking before the import. */
export const serious = (f: Taken) => ['refused', 'swapped', 'overlaps', 'doubtful'].includes(doubtOf(f))

export const nameOf = (f: Taken) => f.name || String(f.index + 1)

/** Returns what a feature shows on the map: its outline and, if its axes may be swapped, the outline with the axes exchanged. */
export const placesOf = kept((f: Taken): Outline[] => {
  const outline = f.outline as unknown as Outline | undefined
  if (!outline) return []
  const turned = swapped(outline)
  if (!earthly(outline)) return earthly(turned) ? [turned] : []
  return doubtOf(f) === 'swapped' && earthly(turned) ? [outline, turned] : [outline]
})

const earthly = (of: Outline) => places(of).every(([x, y]) => Math.abs(x as number) <= 180 && Math.abs(y as number) <= 90)

function swapped(of: Outline): Outline {
  const ring = (r: GeoJSON.Position[]) => r.map(([x, y]) => [y as number, x as number])
  return of.type === 'Polygon' ? { type: of.type, coordinates: of.coordinates.map(ring) } : { type: of.type, coordinates: of.coordinates.map((p) => p.map(ring)) }
}

/** The box around outlines; undefined if there are none. */
export function boxAround(all: Outline[]): [number, number, number, number] | undefined {
  const box: [number, number, number, number] = [180, 90, -180, -90]
  for (const [west, south, east, north] of all.map(boxIn)) {
    box[0] = Math.min(box[0], west)
    box[1] = Math.min(box[1], south)
    box[2] = Math.max(box[2], east)
    box[3] = Math.max(box[3], north)
  }
  return box[0] > box[2] ? undefined : box
}

/** Returns the errors of a feature in one line. */
export function complaint(errors: Record<string, unknown> | null): string {
  return Object.entries(errors ?? {})
    .map(([field, messages]) => `${field}: ${Array.isArray(messages) ? messages.join(' ') : JSON.stringify(messages)}`)
    .join('; ')
}
