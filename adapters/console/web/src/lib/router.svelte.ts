// Every state of a screen has an address; this reads and writes it.

export interface Place {
  screen: 'map' | 'field' | 'fields' | 'add' | 'draw' | 'assessments' | 'assessment' | 'dashboard' | 'sampling' | 'area' | 'crew' | 'settings' | 'sign-in' | 'setup' | 'nowhere'
  farm?: number
  season?: number
  field?: number
  assessment?: number
  area?: number // of interest
  plan?: number // of samples, for a crew
  tab?: string // of settings; a section of an assessment, or its report
}

/** Reads an address: /farm/12/season/3/field/87, each part but the last may be left out. */
export function read(path: string): Place {
  const words = path.split('/').filter(Boolean)
  const place: Place = { screen: 'map' }
  while (words.length > 0) {
    const word = words.shift() as string
    if (word === 'farm' || word === 'season' || word === 'field' || word === 'assessment') {
      const id = Number(words.shift())
      if (!Number.isSafeInteger(id) || id < 1) return { screen: 'nowhere' }
      place[word] = id
      if (word === 'field') place.screen = 'field'
      if (word === 'assessment') {
        place.screen = 'assessment'
        place.tab = words.shift() ?? 'general'
      }
    } else if ((word === 'sign-in' || word === 'setup' || plain.includes(word as Place['screen'])) && words.length === 0) {
      place.screen = word as Place['screen']
    } else if (word === 'sampling' && words.length > 0) {
      place.screen = 'area'
      place.area = Number(words.shift())
      if (!Number.isSafeInteger(place.area) || place.area < 1 || words.length > 0) return { screen: 'nowhere' }
    } else if (word === 'crew' && words.length === 1) {
      place.screen = 'crew'
      place.plan = Number(words.shift())
      if (!Number.isSafeInteger(place.plan) || place.plan < 1) return { screen: 'nowhere' }
    } else if (word === 'settings') {
      place.screen = 'settings'
      place.tab = words.shift() ?? 'account'
      if (words.length > 0) return { screen: 'nowhere' }
    } else {
      return { screen: 'nowhere' }
    }
  }
  return place
}

/** Screens that are named by one word after farm and season. */
const plain: Place['screen'][] = ['fields', 'add', 'draw', 'assessments', 'sampling', 'dashboard']

/** Writes the address of a place; read() returns the place. */
export function write(place: Place): string {
  if (place.screen === 'sign-in' || place.screen === 'setup') return '/' + place.screen
  const parts: string[] = []
  if (place.farm) parts.push('farm', String(place.farm))
  if (place.season) parts.push('season', String(place.season))
  if (place.screen === 'field' && place.field) parts.push('field', String(place.field))
  if (plain.includes(place.screen)) parts.push(place.screen)
  if (place.screen === 'assessment' && place.assessment) parts.push('assessment', String(place.assessment), place.tab ?? 'general')
  if (place.screen === 'area' && place.area) parts.push('sampling', String(place.area))
  if (place.screen === 'crew' && place.plan) parts.push('crew', String(place.plan))
  if (place.screen === 'settings') parts.push('settings', place.tab ?? 'account')
  return '/' + parts.join('/')
}

class Router {
  path = $state(location.pathname)
  query = $state(new URLSearchParams(location.search))
  place = $derived(read(this.path))

  constructor() {
    addEventListener('popstate', () => this.see())
  }

  see() {
    this.path = location.pathname
    this.query = new URLSearchParams(location.search)
  }

  /** Goes to an address; the back button returns. */
  go(address: string) {
    if (address !== location.pathname + location.search) history.pushState(null, '', address)
    this.see()
  }

  /** Changes a parameter of the address in place, without a history entry. */
  set(name: string, value: string | null) {
    const query = new URLSearchParams(location.search)
    if (value === null || value === '') query.delete(name)
    else query.set(name, value)
    const text = query.toString()
    history.replaceState(null, '', location.pathname + (text ? '?' + text : ''))
    this.query = query
  }
}

export const router = new Router()

/** A link within the console: a click without a modifier key goes there without loading the page. */
export function link(node: HTMLAnchorElement) {
  const follow = (event: MouseEvent) => {
    if (event.defaultPrevented || event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return
    event.preventDefault()
    router.go(node.pathname + node.search)
  }
  node.addEventListener('click', follow)
  return { destroy: () => node.removeEventListener('click', follow) }
}
