// Colours of data. They are never used alone: a label, a number or a legend shows the same information.
import type { Doubt } from './intake'
import type { Land, State } from './land'

/** The ramp of the API for canopy indices, 0 to 1 (style/ of a map has the same stops). */
export const ramp: [number, string][] = [
  [0, '#fbefc2'], [0.1, '#dde49c'], [0.2, '#bdd37a'], [0.3, '#a1c15f'], [0.4, '#85ad4a'], [0.5, '#6d993b'],
  [0.6, '#578532'], [0.7, '#41702c'], [0.8, '#2e5d28'], [0.9, '#1c4926'], [1, '#0a3723'],
]

/** Colours of Okabe and Ito (2008), which people with any colour vision can tell apart. Further crops have otherColour. */
const categories = ['#E69F00', '#56B4E9', '#009E73', '#F0E442', '#0072B2', '#D55E00', '#CC79A7']
/** Returns the colour of one of several items; a label tells which item it is. */
export function colourOf(place: number): string {
  return categories[place % categories.length] as string
}
export const otherColour = '#8d8a80'
export const noneColour = '#cfcbbf'

const states: Record<State, string> = { active: '#009E73', processing: '#56B4E9', pending: '#F0E442', orderFailed: '#D55E00', none: noneColour }

export function stateColour(state: State): string {
  return states[state]
}

/** Classes of a share in percent, from the top, each with its lower bound. */
export const shares = [{ from: 100, colour: '#009E73' }, { from: 50, colour: '#56B4E9' }, { from: 0, colour: '#E69F00' }] as const

export function shareColour(percent: number): string {
  return shares.find((s) => percent >= s.from)?.colour ?? noneColour
}

/** Classes of the deviation of a field from its other seasons, in standard deviations, from the top, each with its lower bound. The
 * middle is neutral and close to the ground, light or dark, so that unusual values stand out. Purple and orange of ColorBrewer (Harrower
 * and Brewer 2003), which people with any colour vision can tell apart; on a dark ground the extremes are the light ones. */
export const deviations = [
  { from: 2, light: '#542788', dark: '#cdbdf7' }, { from: 1, light: '#998ec3', dark: '#8573bd' }, { from: -1, light: '#f7f7f7', dark: '#454840' },
  { from: -2, light: '#f1a340', dark: '#b3702a' }, { from: -Infinity, light: '#b35806', dark: '#ffc27a' },
] as const
export type Ground = 'light' | 'dark'

export function deviationColour(score: number | null, ground: Ground): string {
  return score === null ? noneColour : (deviations.find((d) => score >= d.from)?.[ground] ?? noneColour)
}

const doubtColours: Record<Doubt, string> = {
  refused: '#D55E00', swapped: '#CC79A7', overlaps: '#E69F00', doubtful: '#F0E442', changed: '#56B4E9', same: noneColour, ok: '#009E73',
}

/** Returns the colour of what needs checking in a feature of a file; serious problems are also hatched. */
export function doubtColour(doubt: Doubt): string {
  return doubtColours[doubt]
}

/** Returns the colour of each crop: the crops on the most fields have a colour of their own. */
export function cropColours(land: Land[]): Map<string, string> {
  const count = new Map<string, number>()
  for (const f of land) for (const crop of f.crops.slice(0, 1)) count.set(crop, (count.get(crop) ?? 0) + 1)
  const byCount = [...count].sort((a, b) => b[1] - a[1] || a[0].localeCompare(b[0]))
  return new Map(byCount.map(([crop], i) => [crop, categories[i] ?? otherColour]))
}

/** Returns the colour of a value of an index on the ramp. */
export function rampColour(value: number): string {
  const v = Math.min(1, Math.max(0, value))
  const i = Math.min(ramp.length - 2, Math.floor(v * 10))
  const [low, from] = ramp[i] as [number, string]
  const [, to] = ramp[i + 1] as [number, string]
  const share = (v - low) * 10
  const part = (at: number) => {
    const a = parseInt(from.slice(at, at + 2), 16)
    return Math.round(a + (parseInt(to.slice(at, at + 2), 16) - a) * share).toString(16).padStart(2, '0')
  }
  return '#' + part(1) + part(3) + part(5)
}
