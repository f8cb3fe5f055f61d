// The client with which the console calls the API: typed by its OpenAPI document, signed in by the session of the browser.
import createClient from 'openapi-fetch'
import type { components, paths } from './document'

export type Schemas = components['schemas']

export const api = createClient<paths>({ credentials: 'same-origin', baseUrl: location.origin })

/** The reason why a request was refused or did not get through. */
export class Refusal extends Error {
  constructor(
    readonly status: number, // 0: no answer
    readonly code: string,
    message: string,
    readonly details: Record<string, unknown>,
    readonly requestId: string,
  ) {
    super(message)
  }
}

interface Answered<D> {
  data?: D
  error?: unknown
  response: Response
}

/** The data of an answer. Its type may also have a form without the envelope, which the console never requests. */
type DataOf<A> = Extract<A, { data: unknown; status: string }> extends { data: infer D } ? D : never

/** Returns the data of an answer, or throws a Refusal. */
export async function ask<A>(call: Promise<Answered<A>>): Promise<DataOf<A>> {
  return ((await bare(call)) as { data: DataOf<A> }).data
}

/** Returns an answer that has no envelope, or throws a Refusal. */
export async function bare<D>(call: Promise<Answered<D>>): Promise<D> {
  let answer: Answered<D>
  try {
    answer = await call
  } catch {
    throw new Refusal(0, 'offline', '', {}, '')
  }
  if (answer.response.ok) return answer.data as D
  const said = (answer.error ?? {}) as Partial<Schemas['Error']>
  const refusal = new Refusal(
    answer.response.status,
    said.code ?? 'unknown',
    said.message ?? answer.response.statusText,
    (said.details ?? {}) as Record<string, unknown>,
    answer.response.headers.get('X-Request-ID') ?? '',
  )
  if (refusal.status === 401) signedOut()
  throw refusal
}

let signedOut = () => {}

/** Sets what is done when the session has ended. */
export function onSignedOut(act: () => void) {
  signedOut = act
}
