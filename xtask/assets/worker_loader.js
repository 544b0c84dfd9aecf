// Starts the worker's program.
import init from "./worker.js?v=BUILD_ID";

// A worker that was started from a blob has no other way to know where its files lie.
globalThis.beside = new URL(".", import.meta.url).href;

await init({ module_or_path: new URL("./worker_bg.wasm?v=BUILD_ID", import.meta.url) });
