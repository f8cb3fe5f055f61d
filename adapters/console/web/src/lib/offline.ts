// Lets the console open without a network: the browser keeps its files, and a service worker answers with them.

const kept = 'console'

/** Whether the browser allows offline work and access to the position: both need HTTPS, or a server on the same machine. */
export const secure = isSecureContext && 'serviceWorker' in navigator

/** Keeps the files that this page has loaded, and others that it may need. */
export async function keepFiles(more: string[]) {
  await navigator.serviceWorker.register('/sw.js')
  await navigator.serviceWorker.ready
  const loaded = performance.getEntriesByType('resource').map((r) => new URL(r.name))
  const files = new Set([...loaded.filter((u) => u.origin === location.origin && u.pathname.startsWith('/console/')).map((u) => u.pathname), ...more, '/'])
  const cache = await caches.open(kept)
  await cache.addAll([...files])
  for (const old of await cache.keys()) if (!files.has(new URL(old.url).pathname)) await cache.delete(old)
}
