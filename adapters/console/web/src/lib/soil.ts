// Soil sampling: areas of interest, their orders, zones, plans and samples.
import { api, ask, bare, type Schemas } from '../api/client'
import { live } from './live'
import { boxOf, type Land } from './land'

export type Area = Schemas['AOI']
export type Order = Schemas['StratificationOrder']
export type Candidate = Schemas['MapCandidate']
export type Plan = Schemas['Plan']
export type SavedPlan = Schemas['SavedPlan']
export type Sample = Schemas['Sample']
export type Box = Land['bbox']

const soil = '/api/v1.2/soil' as const
const strata = '/api/v1.2/soil/stratification' as const

/** A zone of a map, as it is drawn. */
export interface Zone {
  zone: number
  area: number // hectares
  geometry: Land['geometry']
}

/** A point of a plan. */
export interface Spot {
  id: string
  zone: number
  role: string
  lon: number
  lat: number
  edge?: number // metres to the edge of its zone
  state?: 'done' | 'missed'
}

export async function readAreas(): Promise<Area[]> {
  return ask(api.GET(`${soil}/aois/`, { params: { query: { page: 'all' } } }))
}

/** Reads the order of an area that counts: the newest one that did not fail, else the newest. */
export async function readOrder(area: number): Promise<Order | undefined> {
  const orders = (await ask(api.GET(`${strata}/data-processing/orders/`, { params: { query: { aoi: area, page: 'all' } } }))).filter((o) => o.map_type === 'STR')
  return orders.sort((a, b) => Number(a.status === 'failed') - Number(b.status === 'failed') || b.id - a.id)[0]
}

/** Starts a job for candidate maps and waits for its end. Returns undefined if the page was left before. */
export async function findZones(body: Schemas['MapsWrite'], left: AbortSignal): Promise<Schemas['MapsJob'] | undefined> {
  let job = await ask(api.POST(`${strata}/maps/generate/`, { body }))
  for (let pause = 300; job.status === 'queued' || job.status === 'running'; pause = Math.min(3_000, pause * 1.4)) {
    await live.next(pause)
    if (left.aborted) return undefined
    job = await ask(api.GET(`${strata}/maps/jobs/{id}/`, { params: { path: { id: String(job.job_id) } } }))
  }
  return job
}

/** Reads the outlines of the zones of a map, candidate or saved. */
export async function readZones(map: string): Promise<Zone[]> {
  const drawn = (await bare(api.GET(`${strata}/maps/{map_uuid}/export/`, { params: { path: { map_uuid: map }, query: { format: 'geojson' } } }))) as unknown as GeoJSON.FeatureCollection
  return drawn.features.map((f) => ({ zone: Number(f.properties?.['zone']), area: Number(f.properties?.['area_ha']), geometry: f.geometry as Land['geometry'] }))
}

/** Reads the points of a plan in the order in which they are visited. */
export async function readSpots(plan: string): Promise<Spot[]> {
  const drawn = (await bare(api.GET(`${strata}/sample-plan/{map_uuid}/export/`, { params: { path: { map_uuid: plan }, query: { format: 'geojson' } } }))) as unknown as GeoJSON.FeatureCollection
  return drawn.features.map((f) => f.properties as unknown as Spot)
}

export async function readSamples(plan: string): Promise<Sample[]> {
  return ask(api.GET(`${strata}/samples/`, { params: { query: { plan_uuid: plan, page: 'all' } } }))
}

/** A plan on the screen, candidate or saved. */
export interface Shown {
  uuid: string
  saved: boolean
  about: Plan['metadata']
  warnings: Plan['warnings']
  spots: Spot[]
}

export function shownPlan(plan: Plan): Shown {
  const spots = plan.points.flatMap((p) => (p.lon === null || p.lat === null ? [] : { id: p.id, zone: p.zone, role: p.role, lon: p.lon, lat: p.lat, edge: p.distance_to_edge }))
  return { uuid: plan.map_uuid, saved: plan.saved, about: plan.metadata, warnings: plan.warnings, spots }
}

export async function shownSaved(plan: SavedPlan): Promise<Shown> {
  return { uuid: plan.map_uuid, saved: true, about: plan.response.metadata, warnings: plan.warnings, spots: await readSpots(plan.map_uuid) }
}

/** YlGnBu with nine classes (Harrower and Brewer 2003), as in the pictures of the API. */
const zoneRamp = ['#ffffd9', '#edf8b1', '#c7e9b4', '#7fcdbb', '#41b6c4', '#1d91c0', '#225ea8', '#253494', '#081d58']

/** Returns the colour of one of k zones, ordered by their first layer. The darkest colour is not used, as points lie on the zones. */
export function zoneColour(zone: number, k: number): string {
  const high = zoneRamp.length - 2
  const low = k > high ? 0 : 1
  const step = k < 2 ? Math.trunc((high - low) / 2) : Math.trunc(((zone - 1) * (high - low) + (k - 1) / 2) / (k - 1))
  return zoneRamp[low + step] as string
}

/** The box around shapes. */
export function boxAround(shapes: { geometry: Land['geometry'] }[]): Box | null {
  const boxes = shapes.map(({ geometry }) => {
    const box: Box = [180, 90, -180, -90]
    for (const [x, y] of geometry.coordinates.flat(geometry.type === 'Polygon' ? 1 : 2) as [number, number][]) {
      box[0] = Math.min(box[0], x)
      box[1] = Math.min(box[1], y)
      box[2] = Math.max(box[2], x)
      box[3] = Math.max(box[3], y)
    }
    return { bbox: box }
  })
  return boxOf(boxes)
}

/** Reads depths as people write them: 0-30, 30-60. Returns null if they cannot be read. */
export function depthsOf(text: string): { from: number; to: number }[] | null {
  const out = text.split(/[,;]/).filter((part) => part.trim() !== '').map((part) => /^\s*(\d+)\s*[-–]\s*(\d+)\s*$/.exec(part))
  if (out.length === 0 || out.some((m) => m === null || Number(m[1]) >= Number(m[2]))) return null
  return out.map((m) => ({ from: Number(m?.[1]), to: Number(m?.[2]) }))
}
