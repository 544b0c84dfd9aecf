// Holds one build of the page, so that it opens and runs without a network. The build's id and the names
// of its files are written by xtask/src/stamp.rs; an empty name is the page itself.
const BUILD = "BUILD_ID";
const SHELL = SHELL_FILES;
const MODELS = MODEL_FILES;

const HERE = new URL("./", self.location);
// One host may hold several pages, each with a worker of its own and the same store.
const OURS = `atelier ${HERE.pathname} `;
const CACHE = OURS + BUILD;

const address = (name) => new URL(`${name}?v=${BUILD}`, HERE).href;

self.addEventListener("install", (event) => {
  event.waitUntil(keepAll(SHELL));
});

self.addEventListener("activate", (event) => {
  event.waitUntil(takeOver());
});

self.addEventListener("message", (event) => {
  if (event.data === "take over") self.skipWaiting();
  // What does not come now comes when it is used.
  if (event.data === "keep the models") event.waitUntil(keepAll(MODELS).catch(() => {}));
});

self.addEventListener("fetch", (event) => {
  const { request } = event;
  const url = new URL(request.url);
  const isOurs = url.origin === HERE.origin && url.pathname.startsWith(HERE.pathname);
  // A part of a file is the host's to cut.
  if (!isOurs || request.method !== "GET" || request.headers.has("range")) return;
  const name = url.pathname.slice(HERE.pathname.length);
  if (request.mode === "navigate") {
    const page = name === "index.html" ? "" : name;
    if (SHELL.includes(page)) event.respondWith(fromShell(page, request));
    return;
  }
  // Everything else, a reader's reports among it, is between the page and its host.
  // (The manifest's icons are asked for without a build.)
  if (url.search && url.searchParams.get("v") !== BUILD) return;
  if (SHELL.includes(name)) event.respondWith(fromShell(name, request));
  else if (MODELS.includes(name)) event.respondWith(used(name));
});

/** What a browser has thrown away to make room is fetched again. */
async function fromShell(name, request) {
  return (await kept(name)) ?? fetch(request);
}

/** From the host. Models are much, and seldom change with the build: the browser asks whether they have. */
const fresh = (name) =>
  MODELS.includes(name) ? fetch(new URL(name, HERE), { cache: "no-cache" }) : fetch(address(name));

/** A model is kept from its first use on. */
async function used(name) {
  const old = await kept(name);
  if (old) return old;
  const response = await fresh(name);
  if (response.ok) {
    const copy = response.clone();
    // Where there is no room, it is used and not kept.
    caches.open(CACHE).then((cache) => cache.put(address(name), copy)).catch(() => {});
  }
  return response;
}

/** Where the store does not open, nothing is kept: the host answers. */
async function kept(name) {
  try {
    const cache = await caches.open(CACHE);
    return await cache.match(address(name));
  } catch {
    return undefined;
  }
}

/** One after the other: whoever uses the page meanwhile comes first. */
async function keepAll(names) {
  const cache = await caches.open(CACHE);
  for (const name of names) {
    if (await cache.match(address(name))) continue;
    const response = await fresh(name);
    if (!response.ok) throw new Error(`${name} is answered with ${response.status}`);
    if (name === "" && !(await response.clone().text()).includes(BUILD)) {
      throw new Error("the host has another build by now");
    }
    // A page that came by a detour may not answer for its address.
    const { body, headers } = response;
    await cache.put(address(name), response.redirected ? new Response(body, { headers }) : response);
  }
}

async function takeOver() {
  for (const name of await caches.keys()) {
    if (name.startsWith(OURS) && name !== CACHE) await caches.delete(name);
  }
  await self.clients.claim();
}
