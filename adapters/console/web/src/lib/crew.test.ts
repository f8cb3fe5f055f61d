import { beforeEach, expect, test, vi } from 'vitest'
import { fetchPack, keptPack, stateOfStop, waiting } from './crew.svelte'

const { device, server } = vi.hoisted(() => ({
  device: new Map<string, unknown>(),
  server: { status: 'planned', reading: [] as ((samples: unknown[]) => void)[] },
}))

vi.mock('idb-keyval', () => ({
  get: (key: string) => Promise.resolve(device.get(key)),
  set: (key: string, value: unknown) => Promise.resolve(void device.set(key, value)),
  update: (key: string, how: (old: unknown) => unknown) => Promise.resolve(void device.set(key, how(device.get(key)))),
}))
vi.mock('../api/client', () => ({
  Refusal: class extends Error {},
  ask: (call: unknown) => Promise.resolve(call),
  api: {
    GET: () => ({ id: 1, name: 'Plan', map_uuid: 'plan', aoi: { name: 'Area' }, stratification_map: { map_uuid: 'zones' } }),
    PATCH: () => void (server.status = 'collected'),
  },
}))
vi.mock('./soil', () => ({
  readZones: () => [],
  readSpots: () => [{ id: 'A1', zone: 1 }],
  readSamples: () => new Promise((read) => server.reading.push(read)),
}))

const sample = () => [{ id: 7, point: 'A1', round: 1, depth_from_cm: 0, depth_to_cm: 30, label: 'A1-1', status: server.status }]
const entry = { plan: 1, point: 'A1', taken: [7], missed: [], collected: { at: '2026-05-01T08:00:00Z', by: 'Crew' }, notes: '' }
const state = async () => stateOfStop((await keptPack(1))!.stops[0]!, undefined)

beforeEach(() => {
  device.clear()
  Object.assign(server, { status: 'planned', reading: [] })
})

test('a plan that was read before its samples were sent does not take back what was sent since', async () => {
  const first = fetchPack(1, 'Crew')
  await vi.waitFor(() => expect(server.reading.length).toBe(1))
  server.reading[0]!(sample())
  await first
  expect(await state()).toBeUndefined()

  const late = fetchPack(1, 'Crew')
  await vi.waitFor(() => expect(server.reading.length).toBe(2))
  const before = sample()
  await waiting.add(entry)
  expect(await waiting.send()).toBe(true)
  expect(await state()).toBe('done')
  server.reading[1]!(before)
  await late
  expect(await state()).toBe('done')
})
