// What an import brought into a farm, or into several by the names in its file. It is kept in this browser, so that the import can be
// undone after the page was left or reloaded, and a background import continues to be followed.

export interface Brought {
  by: number // the user
  at: number // when, in ms
  last: number // the newest field before the import: of the farm, or of all farms if it goes across farms
  job: number | null // of a background import
  made: Span[] | null // the fields that it created, except those undone; null: not known until the job has ended
  across?: boolean // its fields go to the farms named in the file; absent: all to that of the page
  farms?: Span[] // that it created, except those undone; absent: none
}
/** Consecutive ids, given by the first and the last. The ids of an import are nearly always one span. */
export type Span = [number, number]

const offered = 24 * 60 * 60 * 1_000 // ms after an import during which undoing it is offered
const key = (farm: number) => `import ${farm}`

/** Returns ids as spans. */
export function spans(ids: number[]): Span[] {
  const out: Span[] = []
  for (const id of [...ids].sort((a, b) => a - b)) {
    const last = out.at(-1)
    if (last && id === last[1] + 1) last[1] = id
    else out.push([id, id])
  }
  return out
}

/** Returns the ids of spans. */
export const idsOf = (of: Span[]): number[] => of.flatMap(([first, last]) => Array.from({ length: last - first + 1 }, (_, i) => first + i))

/** Reports whether an id is in spans. */
export const within = (of: Span[], id: number) => of.some(([first, last]) => first <= id && id <= last)

export function keep(farm: number, brought: Brought) {
  try {
    localStorage.setItem(key(farm), JSON.stringify(brought))
  } catch {
    // If the store is full, the import can be undone only until its page is left.
  }
}

export const forget = (farm: number) => localStorage.removeItem(key(farm))

/** Returns what a user last imported into a farm, as long as it can be undone. */
export function recall(farm: number, by: number, now = Date.now()): Brought | undefined {
  const text = localStorage.getItem(key(farm))
  if (text === null) return undefined
  const brought = JSON.parse(text) as Brought
  if (brought.by !== by) return undefined // imported by another user of this browser
  if (now - brought.at < offered) return brought
  forget(farm)
  return undefined
}
