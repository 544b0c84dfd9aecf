// The program's second file, which views behind the first one need: see xtask/src/split.

const address = new URL("./page_later.wasm?v=BUILD_ID", import.meta.url);
// A page that was not stamped, as `trunk serve` makes it, is not cut either.
const isCut = /^[0-9a-f]{16}$/.test("BUILD_ID");

let coming;
let come;
let isThere = false;
let first;
let start;
const started = new Promise((resolve) => (start = resolve));

/** The first file's exports are what the second one imports. */
globalThis.keepFirst = (exports) => {
  first = exports;
  start();
};

/** Fetches it ahead of time. */
globalThis.fetchLater = () => {
  if (!isCut) return Promise.resolve();
  coming ??= ahead();
  coming.catch(() => (coming = undefined));
  return coming;
};

async function ahead() {
  const response = await fetch(address);
  if (!response.ok) throw new Error(`${response.status} ${response.statusText}`);
  come = await WebAssembly.compile(await response.arrayBuffer());
  await started;
  if (!isThere) loadLater();
}

/** Called by the program, which cannot wait, when it needs what was cut off before it has come. */
globalThis.loadLater = () => {
  come ??= new WebAssembly.Module(atOnce());
  // A file of another build does not link.
  new WebAssembly.Instance(come, { first });
  isThere = true;
};

function atOnce() {
  const request = new XMLHttpRequest();
  request.open("GET", address, false);
  // The only kind of answer that holds bytes and may be waited for.
  request.overrideMimeType("text/plain; charset=x-user-defined");
  request.send();
  if (request.status !== 200) throw new Error(`${request.status} ${request.statusText}`);
  return Uint8Array.from(request.responseText, (byte) => byte.charCodeAt(0));
}
