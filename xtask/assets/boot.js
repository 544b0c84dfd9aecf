// Starts the page's program. The id in the URLs is the build's: see xtask/src/stamp.rs.
import init from "./page.js?v=BUILD_ID";

// What answers pointing at a drawing: the page asks for it when its first pictures stand.
globalThis.fetchCharts = () => import("./charts/echarts.js?v=BUILD_ID");

try {
  await init({ module_or_path: new URL("./page_bg.wasm?v=BUILD_ID", import.meta.url) });
} catch (error) {
  const place = document.getElementById("boot") ?? document.body;
  place.textContent =
    `The page could not start in this browser (${error}). ` +
    "It needs a current Firefox, Chrome, Edge or Safari with WebAssembly; reload to try again.";
  throw error;
}
