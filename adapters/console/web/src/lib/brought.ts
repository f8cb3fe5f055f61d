// What an import brought into a farm, or into several by the names in its file, kept in this browser: so that it can be taken back after
// the page was left or loaded anew, and one in the background is followed on.

export interface Brought {
  by: number // the user
  at: number // when, in ms
  last: number // the field of the farm, or of all where it goes across farms, that was made last before it
  job: number | null // of an import in the background
  made: Span[] | null // the fields that it made and that were not taken back; null: not known before the job has ended
  across?: boolean // its fields lie in the farms of the file; absent: all in that of the page
  farms?: Span[] // that it made and that were not taken back; absent: none
}
/** Ids that follow each other, the first and the last: those of an import are nearly all one span. */
export type Span = [number, number]

const offered = 24 * 60 * 60 * 1_000 // ms after an import in which it is offered to take it back
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
    // Without room for it the import can be taken back as long as its page stays.
  }
}

export const forget = (farm: number) => localStorage.removeItem(key(farm))

/** Returns what a user brought into a farm last, while it can be taken back. */
export function recall(farm: number, by: number, now = Date.now()): Brought | undefined {
  const text = localStorage.getItem(key(farm))
  if (text === null) return undefined
  const brought = JSON.parse(text) as Brought
  if (brought.by !== by) return undefined // of somebody else at this browser
  if (now - brought.at < offered) return brought
  forget(farm)
  return undefined
}
