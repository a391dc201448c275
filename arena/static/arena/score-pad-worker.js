/**
 * The score pad's service worker: at a table without a signal the pad can be opened again.
 *
 * It keeps the pad's page, as a stranger sees it, and the files that the page names, and reaches no other page. The
 * server comes first whenever it answers in time.
 */

const PAGE = new URL(self.registration.scope).pathname;
const STORE = "score-pad";
const PATIENCE_MS = 4000;
const FILES = / (?:href|src)="([^"?#]+\.(?:css|js|svg))"/g;

/** Keep page and files anew, each page with its own files; if one of them is not to be had, all stays as it was. */
async function renew() {
  const page = await fetch(PAGE, { credentials: "omit", cache: "no-cache" });
  if (!page.ok) throw new Error(`${PAGE}: ${page.status}`);
  const text = await page.clone().text();
  const files = Array.from(text.matchAll(FILES), ([, path]) => new URL(path, page.url).href);
  const store = await caches.open(STORE);
  await store.addAll(files);
  await store.put(PAGE, page);
  const kept = new Set([new URL(PAGE, location.href).href, ...files]);
  for (const { url } of await store.keys()) if (!kept.has(url)) await store.delete(url);
}

async function answer(request) {
  const kept = await caches.match(request, { cacheName: STORE, ignoreSearch: true, ignoreVary: true });
  if (!kept) return fetch(request);
  const late = new Promise((resolve) => setTimeout(resolve, PATIENCE_MS, kept));
  try {
    const fresh = await Promise.race([fetch(request), late]);
    return fresh.status >= 500 ? kept : fresh;
  } catch {
    return kept;
  }
}

self.addEventListener("install", (event) => {
  self.skipWaiting();
  event.waitUntil(renew());
});

self.addEventListener("fetch", (event) => {
  if (event.request.method !== "GET") return;
  event.respondWith(answer(event.request));
  if (event.request.mode === "navigate") event.waitUntil(renew().catch(() => {}));
});
