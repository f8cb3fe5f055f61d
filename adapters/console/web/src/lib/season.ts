// A field in a season: its record, the order of its profile, and the order of its pictures.
import { api, ask, type Schemas } from '../api/client'
import { live } from './live'

export type Field = Schemas['Field']
export type Profile = Schemas['Profile']
export type Pictures = Schemas['Map']

const profiles = '/api/v1.2/profiles/vegetation-index-profile/orders/' as const
const maps = '/api/v1.2/maps/vegetation-index-map/orders/' as const

/** Returns the order of a list that counts: one that did not fail before one that failed, then the newest. */
function counting<O extends { status: string; order_id: number }>(orders: O[]): O | undefined {
  return [...orders].sort((a, b) => Number(a.status === 'failed') - Number(b.status === 'failed') || b.order_id - a.order_id)[0]
}

/** Reads the profile of a field in a season; undefined if none was ordered. */
export async function readProfile(field: number, season: number): Promise<Profile | undefined> {
  const order = counting(await ask(api.GET(profiles, { params: { query: { field, season } } })))
  if (!order) return undefined
  const query = { detail: true, smoothed: true, phenology: true }
  return ask(api.GET('/api/v1.2/profiles/vegetation-index-profile/orders/{id}/', { params: { path: { id: String(order.order_id) }, query } }))
}

/** Reads the pictures of a field in a season; undefined if none were ordered. */
export async function readPictures(field: number, season: number): Promise<Pictures | undefined> {
  const order = counting(await ask(api.GET(maps, { params: { query: { field, season } } })))
  if (!order) return undefined
  return ask(api.GET('/api/v1.2/maps/vegetation-index-map/orders/{id}/', { params: { path: { id: String(order.order_id) } } }))
}

/** Reads an order until it is settled: again after each event, and otherwise at growing intervals. */
export async function follow<O extends { status: string } | undefined>(read: () => Promise<O>, seen: (o: O) => void, left: AbortSignal) {
  for (let pause = 500; !left.aborted; pause = Math.min(5_000, pause * 1.4)) {
    const order = await read()
    if (left.aborted) return
    seen(order)
    if (order?.status !== 'processing') return
    await live.next(pause)
  }
}
