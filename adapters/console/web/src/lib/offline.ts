// What lets the console open without a network: its own files, kept by the browser, and a service worker that answers with them.

const kept = 'console'

/** Whether the browser allows work without a network, and the position: both need HTTPS, or this very machine. */
export const secure = isSecureContext && 'serviceWorker' in navigator

/** Keeps the files that this page was made of, and what else it may need. */
export async function keepFiles(more: string[]) {
  await navigator.serviceWorker.register('/sw.js')
  await navigator.serviceWorker.ready
  const loaded = performance.getEntriesByType('resource').map((r) => new URL(r.name))
  const files = new Set([...loaded.filter((u) => u.origin === location.origin && u.pathname.startsWith('/console/')).map((u) => u.pathname), ...more, '/'])
  const cache = await caches.open(kept)
  await cache.addAll([...files])
  for (const old of await cache.keys()) if (!files.has(new URL(old.url).pathname)) await cache.delete(old)
}
