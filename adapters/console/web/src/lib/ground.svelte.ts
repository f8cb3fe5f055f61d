// Whether what is drawn lies on a light or a dark ground, as the device asks for.
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
