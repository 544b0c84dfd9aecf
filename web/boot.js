// Starts the page's program. The id in the URLs is the build's: see xtask/src/stamp.rs.

const isEmbedded = document.documentElement.classList.contains("embed");

const host = document.getElementById("app");
let hands, done;
try {
  const page = import("./page.js?v=BUILD_ID");
  hands = await import("./hands.js?v=BUILD_ID");
  done = hands.watch(host);
  await (await page).default({ module_or_path: new URL("./page_bg.wasm?v=BUILD_ID", import.meta.url) });
} catch (error) {
  document.documentElement.classList.add("failed");
  const place = document.getElementById("boot") ?? document.body;
  place.textContent =
    `The page could not start in this browser (${error}). ` +
    "It needs a current Firefox, Chrome, Edge or Safari with WebAssembly; reload to try again.";
  throw error;
}
hands.again(host, done);

// A page that was not stamped, as `trunk serve` makes it, changes under the reader's hands: none is kept. In another
// page's frame it is that page's guest, and leaves nothing behind.
if (/^[0-9a-f]{16}$/.test("BUILD_ID") && isSecureContext && navigator.serviceWorker && !isEmbedded) {
  const { keepOffline } = await import("./offline.js?v=BUILD_ID");
  keepOffline(document.getElementById("news"));
}
