// Keeps the files of this version, so that the page works without a network.
const NAME = 'wgsl-fuzz-VERSION_OF_FILES';
const FILES = LIST_OF_FILES;

addEventListener('install', (event) => {
  event.waitUntil(caches.open(NAME).then((cache) => cache.addAll(FILES)).then(() => skipWaiting()));
});
addEventListener('activate', (event) => {
  event.waitUntil(caches.keys()
    .then((names) => Promise.all(names.filter((name) => name.startsWith('wgsl-fuzz-') && name !== NAME).map((name) => caches.delete(name))))
    .then(() => clients.claim()));
});
addEventListener('fetch', (event) => {
  event.respondWith(caches.match(event.request, { cacheName: NAME, ignoreSearch: true }).then((found) => found ?? fetch(event.request)));
});
