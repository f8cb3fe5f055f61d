// What a crew has on its device: the points of a plan with their samples, and its records until the server has them.
import { get, set, update } from 'idb-keyval'
import { api, ask, Refusal, type Schemas } from '../api/client'
import { readSamples, readSpots, readZones, type Sample, type Spot, type Zone } from './soil'
import { t } from './words.svelte'

export interface Stop extends Spot {
  field: string
  samples: { id: number; label: string; from: number; to: number; status: Sample['status'] }[]
}

/** A plan as it is kept on the device. */
export interface Pack {
  plan: number
  name: string
  crew: string // who records
  zones: Zone[]
  stops: Stop[]
}

/** What was recorded at a point. Samples that are not taken are missed. */
export interface Entry {
  plan: number
  point: string
  taken: number[]
  missed: number[]
  collected: Schemas['SampleCollection']
  notes: string
  photo?: { name: string; content: Blob }
  refused?: string
}

/** The part of an entry that identifies the samples that are done. */
type Sent = Pick<Entry, 'plan' | 'point' | 'taken' | 'missed'>

const packOf = (plan: number) => `crew ${plan}`
const entries = 'crew entries'

/** Reads a plan from the server and keeps it. What was sent in the meantime is applied to it, as the answer may be older. */
export async function fetchPack(plan: number, crew: string) {
  const since = waiting.delivered.length
  const read = await readPack(plan, crew)
  await set(packOf(plan), waiting.delivered.slice(since).reduce(withSent, read))
}

async function readPack(plan: number, crew: string): Promise<Pack> {
  const saved = (await ask(api.GET('/api/v1.2/soil/stratification/sample-plan/sample-plan-saved-maps/{id}/', { params: { path: { id: String(plan) } } }))) as Schemas['SavedPlan']
  const [zones, spots, samples] = await Promise.all([readZones(saved.stratification_map.map_uuid), readSpots(saved.map_uuid), readSamples(saved.map_uuid)])
  const round = Math.max(1, ...samples.map((s) => s.round))
  const stops = spots.flatMap((spot) => {
    const own = samples.filter((s) => s.point === spot.id && s.round === round).sort((a, b) => a.depth_from_cm - b.depth_from_cm)
    if (own.length === 0) return []
    return { ...(spot as Stop), samples: own.map((s) => ({ id: s.id, label: s.label, from: s.depth_from_cm, to: s.depth_to_cm, status: s.status })) }
  })
  return { plan, name: `${saved.aoi.name}: ${saved.name}`, crew, zones, stops }
}

export const keptPack = (plan: number): Promise<Pack | undefined> => get(packOf(plan))

/** Returns the state of a stop: undefined while a sample waits for the crew, missed if all samples were missed, done otherwise. */
export function stateOfStop(stop: Stop, recorded: Entry | undefined): 'done' | 'missed' | undefined {
  const statuses = stop.samples.map((s) => (recorded?.taken.includes(s.id) ? 'collected' : recorded?.missed.includes(s.id) ? 'missed' : s.status))
  if (statuses.includes('planned')) return undefined
  return statuses.every((s) => s === 'missed') ? 'missed' : 'done'
}

const earth = 6_371_008.8 // m, mean radius of WGS84
const rad = Math.PI / 180

/** Returns the distance in metres and the bearing in degrees (0 north, clockwise) from one place to another. */
export function wayTo(from: { lon: number; lat: number }, to: { lon: number; lat: number }): { metres: number; degrees: number } {
  const [a, b, d] = [from.lat * rad, to.lat * rad, (to.lon - from.lon) * rad]
  const h = Math.sin((b - a) / 2) ** 2 + Math.cos(a) * Math.cos(b) * Math.sin(d / 2) ** 2
  const bearing = Math.atan2(Math.sin(d) * Math.cos(b), Math.cos(a) * Math.sin(b) - Math.sin(a) * Math.cos(b) * Math.cos(d))
  return { metres: 2 * earth * Math.asin(Math.min(1, Math.sqrt(h))), degrees: (bearing / rad + 360) % 360 }
}

/** Returns a direction as a compass point in the language of the user. */
export function compass(degrees: number): string {
  return t('compass').split(' ')[Math.round(degrees / 45) % 8] as string
}

/** Sends what was recorded at a point. Each request is idempotent: it sets a state, and the same photo is stored once. */
async function send(entry: Entry) {
  for (const [ids, body] of [[entry.taken, { collected: entry.collected, notes: entry.notes }], [entry.missed, { status: 'missed' as const, notes: entry.notes }]] as const) {
    for (const id of ids) await ask(api.PATCH('/api/v1.2/soil/stratification/samples/{id}/', { params: { path: { id: String(id) } }, body }))
  }
  const upper = entry.taken[0] ?? entry.missed[0]
  if (!entry.photo || upper === undefined) return
  await ask(api.POST('/api/v1.2/soil/stratification/samples/{id}/photos/', {
    params: { path: { id: String(upper) }, query: { name: entry.photo.name } },
    body: entry.photo.content as never,
    bodySerializer: (body: unknown) => body as BodyInit,
    headers: { 'Content-Type': 'application/octet-stream' },
  }))
}

/** The entries that wait on this device until the server has them. */
class Waiting {
  all = $state.raw<Entry[]>([])
  sending = $state(false)
  /** What this page has sent, in that order. */
  delivered: Sent[] = []

  async load() {
    this.all = (await get<Entry[]>(entries)) ?? []
  }

  /** Keeps an entry, which replaces an earlier one of the same point. */
  async add(entry: Entry) {
    await this.change((all) => [...all.filter((e) => e.plan !== entry.plan || e.point !== entry.point), entry])
  }

  async drop(entry: Entry) {
    await this.change((all) => all.filter((e) => e.plan !== entry.plan || e.point !== entry.point))
  }

  private async change(how: (all: Entry[]) => Entry[]) {
    await update<Entry[]>(entries, (all) => how(all ?? []))
    await this.load()
  }

  /** Sends what waits, oldest first. What the server refuses is kept with the reason. Returns false if the server cannot take entries now. */
  async send(): Promise<boolean> {
    if (this.sending) return true
    this.sending = true
    try {
      for (const entry of this.all) {
        try {
          await send(entry)
        } catch (error) {
          if (!(error instanceof Refusal)) throw error
          if (error.status === 0 || error.status === 401 || error.status === 429 || error.status >= 500) return false
          await this.add({ ...entry, refused: error.message })
          continue
        }
        await this.sent(entry)
      }
      return true
    } finally {
      this.sending = false
    }
  }

  private async sent(entry: Entry) {
    const { plan, point, taken, missed } = entry
    this.delivered.push({ plan, point, taken, missed })
    await update<Pack | undefined>(packOf(plan), (pack) => pack && withSent(pack, entry))
    await this.drop(entry)
  }
}

function withSent(pack: Pack, sent: Sent): Pack {
  return sent.plan === pack.plan ? { ...pack, stops: pack.stops.map((s) => (s.id === sent.point ? after(s, sent) : s)) } : pack
}

/** Returns a stop with the statuses it has once the server has what was recorded there. */
export function after(stop: Stop, entry: Sent): Stop {
  const samples = stop.samples.map((s) => ({ ...s, status: entry.taken.includes(s.id) ? ('collected' as const) : entry.missed.includes(s.id) ? ('missed' as const) : s.status }))
  return { ...stop, samples }
}

export const waiting = new Waiting()
