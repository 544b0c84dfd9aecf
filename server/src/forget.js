// Answers for a page's service worker where nothing of the page is to be kept: what an older page left at
// this address, which another program may serve by now, is removed.
const OURS = `atelier ${new URL("./", self.location).pathname} `;

self.addEventListener("install", () => self.skipWaiting());

self.addEventListener("activate", (event) => event.waitUntil(leave()));

async function leave() {
  for (const name of await caches.keys()) {
    if (name.startsWith(OURS)) await caches.delete(name);
  }
  await self.registration.unregister();
  // Only pages that an older worker answered are of this one: they are loaded again, from the server.
  for (const page of await self.clients.matchAll({ type: "window" })) {
    page.navigate(page.url).catch(() => {});
  }
}
