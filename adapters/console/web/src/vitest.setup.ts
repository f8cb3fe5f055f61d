// The parts of a browser that modules read when they are loaded.
import { vi } from 'vitest'

vi.stubGlobal('location', { pathname: '/', search: '', origin: 'http://localhost' })
vi.stubGlobal('addEventListener', () => {})
vi.stubGlobal('navigator', { language: 'en' })
vi.stubGlobal('localStorage', { getItem: () => null, setItem: () => {} })
