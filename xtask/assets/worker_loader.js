// Starts the worker's program: new Worker("worker_loader.js?v=…", { type: "module" }).
import init from "./worker.js?v=BUILD_ID";

await init({ module_or_path: new URL("./worker_bg.wasm?v=BUILD_ID", import.meta.url) });
