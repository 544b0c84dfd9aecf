// Starts the program of the models' panel, and of its download worker: it knows which of them it is.
import init from "./hub.js?v=BUILD_ID";

await init({ module_or_path: new URL("./hub_bg.wasm?v=BUILD_ID", import.meta.url) });
