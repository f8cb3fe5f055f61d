// What the farm map and the table of fields show: outlines, crops, and the latest index of each field.
import { api, ask, bare, type Schemas } from '../api/client'
import { turn } from './turn'

export interface Land {
  id: number
  uuid: string
  name: string
  farm: number
  farmName: string
  area: number // hectares
  warnings: number
  crops: string[]
  state: State
  reason: string | null
  index: string
  value: number | null
  date: string | null
  geometry: GeoJSON.MultiPolygon | GeoJSON.Polygon
  bbox: [number, number, number, number]
}

export type State = 'active' | 'processing' | 'pending' | 'orderFailed' | 'none'

/** The state of an order in the words of the console. */
export function stateOf(status: string | undefined): State {
  if (status === 'active' || status === 'processing' || status === 'pending') return status
  return status === undefined ? 'none' : 'orderFailed'
}

const perPage = 10_000

type Latest = { field_id: number; value: number | null; date: string | null; index_code: string; status: string }

/** Reads all pages of the latest values of a season. */
async function latestOf(season: number): Promise<Map<number, Latest>> {
  const out = new Map<number, Latest>()
  for (let after: string | undefined; ; ) {
    const page = await bare(
      api.GET('/api/v1.2/ogc/collections/profiles/items/', { params: { query: { season_id: season, limit: perPage, after } } }),
    )
    for (const feature of page.features) {
      const latest = feature.properties as unknown as Latest
      out.set(latest.field_id, latest)
    }
    const last = page.features.at(-1)?.id
    if (page.features.length < perPage || last === undefined) return out
    after = String(last)
  }
}

const outlines = new Map<number, { of: string; outline: Land['geometry'] }>() // as last read

/** Returns the outline of a field: the same object as before if the field has not changed since, so that the map recognises it. */
function outlineOf(f: Schemas['Field']): Land['geometry'] {
  const before = outlines.get(f.id)
  if (before?.of === f.updated_at) return before.outline
  const outline = f.boundary as unknown as Land['geometry']
  outlines.set(f.id, { of: f.updated_at, outline })
  return outline
}

/** Reads every field of a farm, or of all farms, with its state in a season. */
export async function readLand(farm: number | undefined, season: number | undefined, may: (slug: string) => boolean): Promise<Land[]> {
  const query = { page: 'all' as const, ...(farm ? { farm } : {}) }
  const [fields, cultivations, latest, orders] = await Promise.all([
    ask(api.GET('/api/v1.2/field/', { params: { query } })),
    season && may('cultivation.view')
      ? ask(api.GET('/api/v1.2/cultivation/', { params: { query: { page: 'all', season } } }))
      : undefined,
    season && may('vi-profile.view') ? latestOf(season) : new Map<number, Latest>(),
    season && may('vi-profile.view')
      ? ask(api.GET('/api/v1.2/profiles/vegetation-index-profile/orders/', { params: { query: { season } } }))
      : [],
  ])
  await turn() // thousands of fields are read in one task, and shown in others
  const crops = new Map<number, string[]>()
  for (const c of cultivations?.results ?? []) crops.set(c.field_id, [...(crops.get(c.field_id) ?? []), c.crop.name])
  const states = new Map<number, Schemas['ProfileOrder']>()
  for (const order of orders) if (states.get(order.field)?.status !== 'active') states.set(order.field, order)
  const land = (fields.results as Schemas['Field'][]).flatMap((f) => {
    if (!f.boundary || !f.bbox) return []
    const value = latest.get(f.id)
    return {
      id: f.id, uuid: f.uuid, name: f.name, farm: f.farm_id, farmName: f.farm.name, area: f.area_ha ?? 0, warnings: f.warnings.length,
      crops: crops.get(f.id) ?? [], state: stateOf(states.get(f.id)?.status), reason: states.get(f.id)?.reason ?? null,
      index: value?.index_code ?? 'NDVI', value: value?.value ?? null, date: value?.date ?? null,
      geometry: outlineOf(f), bbox: f.bbox as Land['bbox'],
    }
  })
  await turn()
  return land
}

/** Returns the fields whose name contains a text and on which a crop grows; an empty text or crop matches any. */
export function matching(land: Land[], text: string, crop: string): Land[] {
  const sought = text.toLowerCase()
  return land.filter((f) => f.name.toLowerCase().includes(sought) && (crop === '' || f.crops.includes(crop)))
}

/** Returns the crops of fields by name, each once. */
export function cropsOf(land: Land[]): string[] {
  return [...new Set(land.flatMap((f) => f.crops))].sort((a, b) => a.localeCompare(b))
}

type Assessed = Pick<Schemas['AssessmentRecord'], 'resource_type' | 'resource_id' | 'completeness_percentage'>

/** Reads the completeness of the assessments of a year, by the farm or field that they assess. */
export async function readAssessed(farm: number | undefined, year: number): Promise<Map<string, number>> {
  const query = { assessment_year: year, page: 'all' as const, ...(farm ? { farm } : {}) }
  const read = (await ask(api.GET('/api/v1.2/ghg/assessments/', { params: { query } }))) as Assessed[] | { results: Assessed[] }
  return assessedBy(Array.isArray(read) ? read : read.results)
}

/** Returns the completeness of assessments by what they assess, as each field looks up its own among thousands. */
export function assessedBy(all: Assessed[]): Map<string, number> {
  const out = new Map<string, number>()
  for (const a of all) {
    const key = `${a.resource_type} ${a.resource_id}`
    if (!out.has(key)) out.set(key, a.completeness_percentage)
  }
  return out
}

/** Returns the completeness of the assessment of a field, in percent, or of its farm if it has none; null if there is neither. */
export function completeness(field: Pick<Land, 'id' | 'farm'>, assessed: Map<string, number>): number | null {
  return assessed.get(`field ${field.id}`) ?? assessed.get(`farm ${field.farm}`) ?? null
}

export type Standing = Schemas['ProfileStanding']
export const seasonsNeeded = 3 // other seasons of a field, for a comparison

/** Reads how the season of each field compares with its other seasons, by the id of the field. */
export async function readStandings(farm: number | undefined, season: number): Promise<Map<number, Standing>> {
  const query = { season, page: 'all' as const, ...(farm ? { farm } : {}) }
  const read = (await ask(api.GET('/api/v1.2/profiles/vegetation-index-profile/comparisons/', { params: { query } }))).results as Standing[]
  return new Map(read.map((s) => [s.field, s]))
}

/** The box around all fields; null if there are none. */
export function boxOf(land: Pick<Land, 'bbox'>[]): Land['bbox'] | null {
  if (land.length === 0) return null
  const box: Land['bbox'] = [180, 90, -180, -90]
  for (const { bbox } of land) {
    box[0] = Math.min(box[0], bbox[0])
    box[1] = Math.min(box[1], bbox[1])
    box[2] = Math.max(box[2], bbox[2])
    box[3] = Math.max(box[3], bbox[3])
  }
  return box
}
