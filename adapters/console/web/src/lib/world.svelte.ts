// Who is signed in, and the farms and seasons that the top bar offers.
import { api, ask, bare, onSignedOut, Refusal, type Schemas } from '../api/client'
import { router, write } from './router.svelte'

type Me = Schemas['Me']
export type Farm = Schemas['Farm']
export type Season = Schemas['Season']

/** Whether this browser has a session, which only the server can read. Without one, no requests are made in vain. */
const signedIn = {
  get: () => localStorage.getItem('signedIn') !== null,
  set: (is: boolean) => (is ? localStorage.setItem('signedIn', 'yes') : localStorage.removeItem('signedIn')),
}

class World {
  me = $state<Me | null>(null)
  farms = $state.raw<Farm[]>([])
  seasons = $state.raw<Season[]>([])
  trouble = $state.raw<Refusal | null>(null)
  ready = $state(false)

  /** The season of the address, else the latest that has begun, else the last one. */
  season = $derived.by(() => {
    const named = this.seasons.find((s) => s.id === router.place.season)
    if (named || router.place.season) return named
    const today = new Date().toISOString().slice(0, 10)
    const byStart = [...this.seasons].sort((a, b) => b.start_date.localeCompare(a.start_date))
    return byStart.find((s) => s.start_date <= today) ?? byStart.at(-1)
  })
  farm = $derived(this.farms.find((f) => f.id === router.place.farm))

  may(slug: string): boolean {
    return this.me?.slugs.includes(slug) ?? false
  }

  async load() {
    this.trouble = null
    if (!signedIn.get()) {
      this.ready = true
      return
    }
    try {
      this.me = await ask(api.GET('/api/v1.2/auth/me/'))
      const whole = { params: { query: { page: 'all' as const } } }
      const [farms, seasons] = await Promise.all([
        this.may('farm.view') ? ask(api.GET('/api/v1.2/farm/', whole)) : undefined,
        this.may('season.view') ? ask(api.GET('/api/v1.2/season/', whole)) : undefined,
      ])
      this.farms = farms?.results ?? []
      this.seasons = seasons?.results ?? []
    } catch (refusal) {
      if (!(refusal instanceof Refusal)) throw refusal
      if (refusal.status !== 401) this.trouble = refusal
    } finally {
      this.ready = true
    }
  }

  /** Creates a farm, which the top bar offers from then on. */
  async addFarm(farm: Schemas['FarmWrite']): Promise<Farm> {
    const made = (await ask(api.POST('/api/v1.2/farm/', { body: farm }))) as Farm
    this.farms = [...this.farms, made]
    return made
  }

  /** Reads the farms again, after farms were created or deleted by other means. */
  async readFarms() {
    if (this.may('farm.view')) this.farms = (await ask(api.GET('/api/v1.2/farm/', { params: { query: { page: 'all' } } }))).results as Farm[]
  }

  /** Creates a season, likewise. */
  async addSeason(season: Schemas['SeasonWrite']): Promise<Season> {
    const made = (await ask(api.POST('/api/v1.2/season/', { body: season }))) as Season
    this.seasons = [...this.seasons, made]
    return made
  }

  async signIn(email: string, password: string) {
    await ask(api.POST('/api/v1.2/auth/session/', { body: { email, password } }))
    signedIn.set(true)
    await this.load()
  }

  /** Finishes a sign-in at the identity provider. */
  async arrive(state: string, code: string) {
    await ask(api.POST('/api/v1.2/auth/oidc/session/', { body: { state, code } }))
    signedIn.set(true)
    await this.load()
  }

  async signOut() {
    await bare(api.DELETE('/api/v1.2/auth/session/'))
    signedIn.set(false)
    this.me = null
    router.go('/sign-in')
  }
}

export const world = new World()

onSignedOut(() => {
  signedIn.set(false)
  world.me = null
  if (router.place.screen !== 'sign-in') {
    const here = location.pathname + location.search
    router.go(write({ screen: 'sign-in' }) + (here === '/' ? '' : '?next=' + encodeURIComponent(here)))
  }
})
