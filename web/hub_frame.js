// Runs in the frame that the page holds for downloads: starts their worker, which has this document's policy.
const hub = document.querySelector("meta[name=atelier-hub]").content;
const program = new URL("./hub_boot.js?v=BUILD_ID", import.meta.url).href;

// A worker from a file would have the policy that its host sends with that file, and most hosts send none.
const text = `import ${JSON.stringify(program)};`;
const script = URL.createObjectURL(new Blob([text], { type: "text/javascript" }));

/** Called by the page that holds the frame: a browser lets no other origin reach it. */
window.startWorker = () => new Worker(script, { type: "module", name: hub });
