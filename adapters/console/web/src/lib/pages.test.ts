import { expect, test } from 'vitest'
import { Refusal } from '../api/client'
import { Pages } from './pages.svelte'

/** A list whose answers are given by hand, in any order. */
function answered() {
  const waiting: { page: number; give: (items: number[]) => void; refuse: (error: Error) => void }[] = []
  const pages = new Pages<number>(({ page }) => new Promise((give, refuse) => waiting.push({ page, give, refuse })))
  return { pages, waiting }
}

test('an answer to an earlier question does not join the list that was asked for after it', async () => {
  const { pages, waiting } = answered()
  const [all, failed] = [pages.first(), pages.first()]
  waiting[1]?.give([])
  await failed
  waiting[0]?.give([1, 2])
  await all
  expect(pages.items).toEqual([])
  expect(pages.loaded).toBe(true)

  const [late, good] = [pages.first(), pages.first()]
  waiting[3]?.give([3])
  await good
  waiting[2]?.refuse(new Error('gone'))
  await late
  expect(pages.items).toEqual([3])
  expect(pages.trouble).toBeUndefined()
})

test('more that is asked for twice is added once', async () => {
  const { pages, waiting } = answered()
  const first = pages.first()
  waiting[0]?.give(Array.from({ length: 50 }, (_, n) => n))
  await first
  const [once, twice] = [pages.next(), pages.next()]
  expect(waiting.map(({ page }) => page)).toEqual([1, 2, 2])
  waiting[1]?.give([50])
  waiting[2]?.give([50])
  await Promise.all([once, twice])
  expect(pages.items.length).toBe(51)
})

test('a list that ends with a full page has no more, and no trouble', async () => {
  const { pages, waiting } = answered()
  const first = pages.first()
  waiting[0]?.give(Array.from({ length: 50 }, (_, n) => n))
  await first
  const more = pages.next()
  waiting[1]?.refuse(new Refusal(404, 'not_found', 'That page is past the end of the list.', {}, ''))
  await more
  expect(pages.trouble).toBeUndefined()
  expect([pages.whole, pages.items.length]).toEqual([true, 50])
})
