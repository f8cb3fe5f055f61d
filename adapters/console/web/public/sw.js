// Answers with the files that the console keeps on this device (src/lib/offline.ts), where the server cannot be reached. It holds
// no data of a company: those are in the pages' own store.
const screens = '/'

self.addEventListener('install', () => self.skipWaiting())
self.addEventListener('activate', (event) => event.waitUntil(self.clients.claim()))
self.addEventListener('fetch', (event) => {
  const { request } = event
  const { origin, pathname } = new URL(request.url)
  if (request.method !== 'GET' || origin !== location.origin) return
  if (request.mode === 'navigate') {
    event.respondWith(fetch(request).catch(async () => (await caches.match(screens)) ?? Response.error()))
  } else if (pathname.startsWith('/console/')) {
    // The digest of a file's content is in its name, so that what is kept is right.
    event.respondWith(caches.match(request).then((kept) => kept ?? fetch(request)))
  }
})
