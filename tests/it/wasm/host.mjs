// Runs the worker of a built page in Node.js: node host.mjs DIST.
//
// A line of standard input is a message to the worker, as JSON: the request's text, then paths of files.
// A line of standard output is a message from it. The files of DIST run unchanged, with what a dedicated
// worker in a browser without a GPU gives them.
import { readFileSync } from "node:fs";
import { register } from "node:module";
import { basename, resolve } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath, pathToFileURL } from "node:url";

const page = pathToFileURL(`${resolve(process.argv[2])}/`);

/** Bytes in memory, which can be read at once: Node's own blobs are only read later. */
class Bytes {
  constructor(parts = []) {
    this.parts = parts.flatMap((part) => part.parts ?? [part]);
    this.size = this.parts.reduce((size, part) => size + part.length, 0);
  }

  slice(start, end) {
    const cut = (part) => {
      const piece = part.subarray(Math.max(start, 0), Math.max(end, 0));
      start -= part.length;
      end -= part.length;
      return piece;
    };
    return new Bytes(this.parts.map(cut).filter((piece) => piece.length > 0));
  }

  now() {
    const all = new Uint8Array(this.size);
    this.parts.reduce((at, part) => (all.set(part, at), at + part.length), 0);
    return all.buffer;
  }

  async arrayBuffer() {
    return this.now();
  }
}

const file = (path) => Object.assign(new Bytes([readFileSync(path)]), { name: basename(path) });

class Scope {
  static [Symbol.hasInstance](value) {
    return value === globalThis;
  }
}

const scope = {
  self: globalThis,
  // The page gives its worker its own address as a name.
  name: page.href,
  navigator: { userAgent: "Node.js", hardwareConcurrency: 1 },
  WorkerGlobalScope: Scope,
  DedicatedWorkerGlobalScope: Scope,
  Blob: Bytes,
  FileReaderSync: class {
    readAsArrayBuffer(bytes) {
      return bytes.now();
    }
  },
  fetch: async (address) => {
    const path = fileURLToPath(address);
    const type = path.endsWith(".wasm") ? "application/wasm" : "application/octet-stream";
    return new Response(readFileSync(path), { headers: { "content-type": type } });
  },
  postMessage: (text) => {
    patience.refresh();
    process.stdout.write(`${text}\n`);
  },
};
for (const [name, value] of Object.entries(scope)) {
  Object.defineProperty(globalThis, name, { value, configurable: true, writable: true });
}

// Without a package.json, Node.js takes a .js file for no module.
const hook = 'export const load = (url, context, next) => next(url, { ...context, format: "module" });';
register(`data:text/javascript,${encodeURIComponent(hook)}`);

// What a browser would show in its console ends the run here, and so does a worker that says nothing for long.
const end = (why) => {
  console.error(why);
  process.exit(1);
};
for (const fault of ["uncaughtException", "unhandledRejection"]) process.on(fault, end);
const patience = setTimeout(() => end("The worker said nothing for five minutes."), 300_000);
await import(new URL("worker_loader.js", page));

const requests = createInterface({ input: process.stdin });
requests.on("close", () => process.exit());
requests.on("line", (line) => {
  const [request, ...paths] = JSON.parse(line);
  globalThis.onmessage({ data: [request, ...paths.map(file)] });
});
