// Starts the worker's program: new Worker("worker_loader.js?v=…", { type: "module" }).
import init from "./worker.js?v=BUILD_ID";

/** The program of the worker that this one helps: the same to the last bit, and compiled already. */
const given = () =>
  new Promise((resolve) => {
    onmessage = ({ data }) => resolve(data);
    // What is sent to a worker before it listens is lost, so it asks.
    postMessage("program");
  });

const isHelper = self.name === "crew";
const program = isHelper ? given() : new URL("./worker_bg.wasm?v=BUILD_ID", import.meta.url);
await init({ module_or_path: program });
