// Whether drawings have a light or a dark ground, as set on the device.
import type { Ground } from './colours'

class Seen {
  now = $state<Ground>('light')

  constructor() {
    const dark = matchMedia('(prefers-color-scheme: dark)')
    const see = () => (this.now = dark.matches ? 'dark' : 'light')
    dark.addEventListener('change', see)
    see()
  }
}

export const ground = new Seen()
