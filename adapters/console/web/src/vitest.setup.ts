// What modules read of a browser when they are loaded.
import { vi } from 'vitest'

vi.stubGlobal('location', { pathname: '/', search: '', origin: 'http://localhost' })
vi.stubGlobal('addEventListener', () => {})
vi.stubGlobal('navigator', { language: 'en' })
vi.stubGlobal('localStorage', { getItem: () => null, setItem: () => {} })
