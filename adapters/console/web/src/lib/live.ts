// The events of the company as they happen: one stream per tab, while it is visible. Listeners that missed events read their data again.
import { api, ask } from '../api/client'

export interface Told {
  type: string // "reset": some were missed
  data: Record<string, unknown>
}

const types = [
  'vi_profile_completed', 'vi_profile_updated', 'vi_map_completed', 'zoning_map_completed', 'elevation_map_completed', 'soil_map_completed',
  'field_alert', 'field_split', 'fields_merged', 'assessment_submitted', 'assessment_signed', 'crop_verification_completed',
  'stratification_order_completed', 'stratification_order_failed', 'stratification_maps_ready', 'sample_plan_ready', 'reset',
] as const
export type EventType = (typeof types)[number]

const again = 30_000 // ms, at least, until a refused stream is requested again

class Live {
  private source: EventSource | undefined
  private timer: ReturnType<typeof setTimeout> | undefined
  private last = ''
  private wanted = false
  private listeners = new Set<(told: Told) => void>()
  private seen = () => this.tend()

  /** Sets whether a user is signed in who may receive events. */
  want(is: boolean) {
    if (!is) this.last = ''
    this.wanted = is
    document.removeEventListener('visibilitychange', this.seen)
    if (is) document.addEventListener('visibilitychange', this.seen)
    this.tend()
  }

  /** Calls act with every event of some types, and if events were missed, until the returned function is called. */
  on(of: EventType[], act: (told: Told) => void): () => void {
    const listener = (told: Told) => {
      if (told.type === 'reset' || of.includes(told.type as EventType)) act(told)
    }
    this.listeners.add(listener)
    return () => this.listeners.delete(listener)
  }

  /** Waits for the next event of any type, or for some milliseconds. */
  next(pause: number): Promise<void> {
    return new Promise((go) => {
      const done = () => {
        clearTimeout(timer)
        this.listeners.delete(done)
        go()
      }
      const timer = setTimeout(done, pause)
      this.listeners.add(done)
    })
  }

  private tend() {
    const wanted = this.wanted && document.visibilityState === 'visible'
    if (!wanted) {
      clearTimeout(this.timer)
      this.timer = undefined
      this.source?.close()
      this.source = undefined
    } else if (!this.source && !this.timer) {
      this.start()
    }
  }

  private start() {
    const source = new EventSource('/api/v1.2/events/' + (this.last ? '?last_event_id=' + encodeURIComponent(this.last) : ''))
    this.source = source
    for (const type of types) {
      source.addEventListener(type, (message: MessageEvent<string>) => {
        this.last = message.lastEventId
        const said = JSON.parse(message.data) as { data?: Record<string, unknown> }
        for (const listener of this.listeners) listener({ type, data: said.data ?? {} })
      })
    }
    source.onerror = () => {
      if (source.readyState !== EventSource.CLOSED) return // it reconnects by itself, with the last id
      this.source = undefined
      this.timer = setTimeout(() => {
        this.timer = undefined
        this.tend()
      }, again * (1 + Math.random()))
      void ask(api.GET('/api/v1.2/auth/me/')).catch(() => {}) // finds out if the session has ended
    }
  }
}

export const live = new Live()
