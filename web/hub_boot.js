// Starts the download worker's program.
import init from "./hub.js?v=BUILD_ID";

await init({ module_or_path: new URL("./hub_bg.wasm?v=BUILD_ID", import.meta.url) });
