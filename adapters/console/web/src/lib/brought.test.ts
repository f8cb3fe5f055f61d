import { beforeEach, expect, test, vi } from 'vitest'
import { forget, idsOf, keep, recall, spans, within, type Brought } from './brought'

const kept = new Map<string, string>()
beforeEach(() => {
  kept.clear()
  vi.stubGlobal('localStorage', {
    getItem: (key: string) => kept.get(key) ?? null, setItem: (key: string, value: string) => kept.set(key, value), removeItem: (key: string) => kept.delete(key),
  })
})

const at = Date.parse('2026-11-28T09:00:00Z')
const brought: Brought = { by: 7, at, last: 10, job: null, made: [[11, 13]] }

test('ids are kept as the spans in which they follow each other', () => {
  expect(spans([5, 3, 4, 9, 11, 10])).toEqual([[3, 5], [9, 11]])
  expect(spans([])).toEqual([])
  expect([2, 3, 5, 6, 9].filter((id) => within([[3, 5], [9, 11]], id))).toEqual([3, 5, 9])
})

test('an import is offered to whoever made it, in its farm, for a day', () => {
  keep(1, brought)
  expect(recall(1, 7, at + 60_000)).toEqual(brought)
  expect(recall(1, 8, at + 60_000)).toBeUndefined()
  expect(recall(2, 7, at + 60_000)).toBeUndefined()
  expect(recall(1, 7, at + 25 * 60 * 60_000)).toBeUndefined()
  expect(kept.size).toBe(0)
})

test('what was taken back is not offered again', () => {
  keep(1, brought)
  forget(1)
  expect(recall(1, 7, at)).toBeUndefined()
})

test('a browser that keeps nothing more does not stop an import', () => {
  vi.stubGlobal('localStorage', { setItem: () => { throw new Error('quota') } })
  expect(() => keep(1, brought)).not.toThrow()
})

test('an import across farms is kept with the farms that it made', () => {
  const across: Brought = { ...brought, across: true, farms: spans([4, 5, 9]) }
  keep(1, across)
  expect(idsOf(recall(1, 7, at)?.farms ?? [])).toEqual([4, 5, 9])
  expect(recall(1, 7, at)).toEqual(across)
})

test('what was kept before imports made farms is offered still', () => {
  kept.set('import 1', `{"by":7,"at":${at},"last":10,"job":null,"made":[[11,13]]}`)
  const old = recall(1, 7, at)
  expect([old?.made, old?.across, old?.farms]).toEqual([[[11, 13]], undefined, undefined])
})
