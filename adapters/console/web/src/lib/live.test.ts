import { beforeEach, expect, test, vi } from 'vitest'
import { live } from './live'

class Source {
  static CLOSED = 2
  static made: Source[] = []
  readyState = 1
  onerror = () => {}
  private acts = new Map<string, (message: unknown) => void>()
  constructor(readonly url: string) {
    Source.made.push(this)
  }
  addEventListener(type: string, act: (message: unknown) => void) {
    this.acts.set(type, act)
  }
  close() {
    this.readyState = Source.CLOSED
  }
  send(type: string, id: string, data: object) {
    this.acts.get(type)?.({ lastEventId: id, data: JSON.stringify({ data }) })
  }
}

let shown: 'visible' | 'hidden' = 'visible'
let look = () => {}

beforeEach(() => {
  vi.useFakeTimers()
  live.want(false)
  Source.made = []
  shown = 'visible'
  vi.stubGlobal('EventSource', Source)
  vi.stubGlobal('fetch', () => Promise.reject(new Error('no network')))
  vi.stubGlobal('document', {
    get visibilityState() {
      return shown
    },
    addEventListener: (_: string, act: () => void) => (look = act),
    removeEventListener: () => (look = () => {}),
  })
})
vi.stubGlobal('document', { visibilityState: 'visible', addEventListener() {}, removeEventListener() {} })

test('one stream, which ends with the session', () => {
  live.want(true)
  live.want(true)
  expect(Source.made.map((s) => s.url)).toEqual(['/api/v1.2/events/'])
  live.want(false)
  expect(Source.made[0]?.readyState).toBe(Source.CLOSED)
})

test('a page that nobody looks at has none, and goes on with the last event that it saw', () => {
  live.want(true)
  Source.made[0]?.send('vi_profile_completed', '0041', {})
  shown = 'hidden'
  look()
  expect(Source.made[0]?.readyState).toBe(Source.CLOSED)
  shown = 'visible'
  look()
  expect(Source.made[1]?.url).toBe('/api/v1.2/events/?last_event_id=0041')
})

test('a stream that is refused is asked for later, and one that breaks comes back by itself', () => {
  live.want(true)
  const first = Source.made[0] as Source
  first.readyState = 0
  first.onerror()
  vi.advanceTimersByTime(120_000)
  expect(Source.made.length).toBe(1)
  first.readyState = Source.CLOSED
  first.onerror()
  expect(Source.made.length).toBe(1)
  vi.advanceTimersByTime(60_000)
  expect(Source.made.length).toBe(2)
})

test('listeners hear their types, and of events that were missed, until they leave', async () => {
  live.want(true)
  const heard: string[] = []
  const stop = live.on(['vi_map_completed'], ({ type, data }) => heard.push(type + String(data['field'])))
  Source.made[0]?.send('vi_map_completed', '1', { field: 7 })
  Source.made[0]?.send('vi_profile_completed', '2', { field: 7 })
  Source.made[0]?.send('reset', '3', {})
  stop()
  Source.made[0]?.send('vi_map_completed', '4', { field: 7 })
  expect(heard).toEqual(['vi_map_completed7', 'resetundefined'])
})

test('waiting ends with any event', async () => {
  live.want(true)
  let ended = false
  const waiting = live.next(5_000).then(() => (ended = true))
  Source.made[0]?.send('sample_plan_ready', '1', {})
  await waiting
  expect(ended).toBe(true)
})
