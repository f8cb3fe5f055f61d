// The state of the parts of the server, as reported by /readyz.
export interface Part {
  name: string
  state: string
  well: boolean
}

/** Returns the parts named in an answer, unavailable ones first. A server that is not ready names them in the details of its error. */
export function partsOf(answer: unknown): Part[] {
  const { data, details } = answer as { data?: Record<string, unknown>; details?: Record<string, unknown> }
  return Object.entries(data ?? details ?? {})
    .flatMap(([name, state]) => (typeof state === 'string' ? [{ name, state, well: state === 'ready' }] : []))
    .sort((a, b) => Number(a.well) - Number(b.well) || a.name.localeCompare(b.name))
}
