import { beforeEach, expect, test, vi } from 'vitest'
import type { Brought } from './brought'

/** What the API has: fields and farms, newest first. */
let fields: { id: number; farm_id: number; created_by: number }[]
let farms: Map<number, { id: number; field_count: number; created_at: string; updated_at: string; filled?: boolean }>
const asked: string[] = []

function answer(method: string, url: URL): { status: number; data?: unknown } {
  const query = url.searchParams
  if (method === 'DELETE') {
    const farm = farms.get(Number(url.pathname.split('/').at(-2)))
    if (!farm) return { status: 404 }
    if (query.get('empty') !== 'true' || farm.filled) return { status: 409 }
    farms.delete(farm.id)
    return { status: 204 }
  }
  if (method === 'POST') return { status: 200, data: {} }
  if (url.pathname.endsWith('/farm/')) return { status: 200, data: { results: query.get('id')?.split(',').flatMap((id) => farms.get(Number(id)) ?? []) } }
  const [farm, by, size] = ['farm', 'created_by', 'page_size'].map((name) => Number(query.get(name)))
  const all = fields.filter((f) => (!farm || f.farm_id === farm) && (!by || f.created_by === by))
  return { status: 200, data: { results: all.slice(0, size), next: all.length > (size ?? 0) ? 'more' : null } }
}

vi.stubGlobal('fetch', async (request: Request) => {
  const url = new URL(request.url)
  asked.push(`${request.method} ${url.pathname.replace('/api/v1.2', '')}${url.search}`)
  const { status, data } = answer(request.method, url)
  return new Response(status === 204 ? null : JSON.stringify({ status: 'success', message: '', data }), { status, headers: { 'Content-Type': 'application/json' } })
})
const { dropFarms, farmsMade, farmsNamed, lastField, madeSince, send, stillThere } = await import('./intake')

beforeEach(() => {
  asked.length = 0
  fields = [15, 14, 13, 12, 11, 10].map((id) => ({ id, farm_id: id % 2 === 0 ? 1 : 2, created_by: id === 14 ? 8 : 7 }))
  const [made, later] = ['2026-11-28T09:00:00Z', '2026-11-28T10:00:00Z']
  farms = new Map([
    { id: 2, field_count: 0, created_at: made, updated_at: made },
    { id: 3, field_count: 1, created_at: made, updated_at: made },
    { id: 4, field_count: 0, created_at: made, updated_at: later },
    { id: 5, field_count: 0, created_at: made, updated_at: made, filled: true },
    { id: 6, field_count: 0, created_at: made, updated_at: made },
  ].map((f) => [f.id, f]))
})

test('a file is sent with the properties that its members are taken from, whatever they are called', async () => {
  const sent = async (mapping: Parameters<typeof send>[2]) => {
    await send(new File(['{}'], 'fields.geojson'), 2, mapping, true)
    return new URL(asked.at(-1)?.split(' ')[1] ?? '', 'http://tilth').searchParams.get('mapping')
  }
  expect(await sent({})).toBeNull()
  expect(await sent({ name: 'A+B: "C"', external_id: '', farm: undefined })).toBe('{"name":"A+B: \\"C\\"","external_id":null}')
})

test('the fields of an import are looked for in its farm, or in all where it goes across farms', async () => {
  expect([await lastField(2), await lastField(1), await lastField(undefined)]).toEqual([15, 14, 15])
  expect(await madeSince(2, 11, 7, 2)).toEqual([15, 13])
  expect(await madeSince(undefined, 11, 7, 3)).toEqual([15, 13, 12])
  expect(await madeSince(undefined, 11, 7, 2)).toEqual([]) // one of them has another origin
  const brought: Brought = { by: 7, at: 0, last: 10, job: null, made: [[11, 15]] }
  expect(await stillThere(2, brought)).toEqual([15, 13, 11])
  expect(await stillThere(2, { ...brought, across: true })).toEqual([15, 13, 12, 11])
})

test('of the farms of an import those are deleted that nobody changed and that hold nothing', async () => {
  const left: number[][] = []
  expect(await dropFarms([2, 3, 4, 5, 6, 7], (rest) => left.push(rest))).toBe(3)
  expect([...farms.keys()]).toEqual([3, 4, 5])
  expect(left.at(-1)).toEqual([])
  expect(left).toHaveLength(6)
  expect(asked.filter((a) => a.startsWith('DELETE'))).toEqual([2, 5, 6].map((id) => `DELETE /farm/${id}/?empty=true`))
})

test('an import made the farms that have ids', () => {
  expect(farmsMade({ farms: [{ id: null, name: 'North' }, { id: 4, name: 'South' }] })).toEqual([4])
})

test('a file says what its farms are called, unless they are taken', () => {
  const properties = [{ name: 'farm', features: 9, samples: ['North', 'South'], members: [] }]
  const from = { properties: ['farm'], separator: null, values: null, default: null, asked: false }
  expect(farmsNamed({ proposed: { farm: from as never }, properties })).toEqual({ property: 'farm', names: ['North', 'South'] })
  expect(farmsNamed({ proposed: {}, properties })).toBeUndefined()
})
