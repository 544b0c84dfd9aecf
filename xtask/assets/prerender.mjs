// Puts the first picture into index.html, and the start page's pictures into files: node prerender.mjs FOLDER, where
// FOLDER holds the built page.
//
// The page's own program draws them, the first from the report that it ships, in a document without a browser. So
// what stands in the file is what the program will draw again, element by element. Two things a file
// cannot hold: values that are an element's state become its attributes, and inline styles, which the
// page's content security policy forbids, become rules of the style sheet.
import { mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { Buffer } from "node:buffer";
import { dirname } from "node:path";
import { parseHTML } from "linkedom";

// CSS pixels that the figures have in a window of 74rem or more, and in one 390 wide.
const DESK = 1120;
const TELEPHONE = 358;
const NARROW = "(max-width: 40rem)";

const [folder] = process.argv.slice(2);
const at = (name) => `${folder}/${name}`;
const html = await readFile(at("index.html"), "utf8");
const script = await readFile(at("page.js"), "utf8");
const wasm = await readFile(at("page_bg.wasm"));

/** The page as it stands when its program has drawn what it ships, and before anything else comes; and the program. */
async function drawn(width) {
  const { document, window } = parseHTML(html);
  const nothing = () => {};
  const define = (name, value) =>
    Object.defineProperty(globalThis, name, { value, configurable: true, writable: true });
  // Nothing answers: no worker, no storage, no preference.
  class Silent {
    addEventListener() {}
    observe() {}
    disconnect() {}
    postMessage() {}
    terminate() {}
  }
  class Window {
    static [Symbol.hasInstance](value) {
      return value === globalThis;
    }
  }
  const none = class {};
  for (const name of ["Element", "HTMLElement", "Node", "Text", "Comment", "HTMLTemplateElement"]) {
    define(name, window[name] ?? none);
  }
  for (const name of ["PointerEvent", "ShadowRoot"]) define(name, none);
  for (const name of ["Worker", "ResizeObserver"]) define(name, Silent);
  define("Window", Window);
  define("window", globalThis);
  define("self", globalThis);
  define("document", document);
  define("location", new URL("http://localhost/"));
  define("history", { replaceState: nothing, pushState: nothing });
  define("isSecureContext", true);
  define("navigator", {});
  define("localStorage", { getItem: () => null, setItem: nothing });
  define("matchMedia", () => ({ matches: false, addEventListener: nothing }));
  define("addEventListener", nothing);
  define("removeEventListener", nothing);
  define("setTimeout", () => 0);
  Object.defineProperty(document, "baseURI", { value: "http://localhost/" });
  Object.defineProperty(window.Element.prototype, "clientWidth", { get: () => width, configurable: true });
  // A program of its own for every width.
  const source = Buffer.from(`${script}\n// ${width}`).toString("base64");
  const program = await import(`data:text/javascript;base64,${source}`);
  await program.default({ module_or_path: wasm });
  await new Promise((resolve) => setImmediate(resolve));
  return { document, program };
}

const { document: desk, program } = await drawn(DESK);
const { document: telephone } = await drawn(TELEPHONE);
const app = desk.getElementById("app");
// Drawings differ; what is around them does not.
const around = (document) => [...document.querySelectorAll("#app :not(svg, svg *)")];
const elements = around(desk);
const narrow = around(telephone);
if (elements.length !== narrow.length) throw new Error("the page is made of other elements on a telephone");
if (!app.querySelector(".chart")) throw new Error("the page's program drew no figure");

// Inline styles, as rules.
const rules = new Map();
elements.forEach((element, i) => {
  const [wide, slim] = [element, narrow[i]].map((e) => e.getAttribute("style") ?? "");
  element.removeAttribute("style");
  if (!wide && !slim) return;
  const key = `${wide}|${slim}`;
  if (!rules.has(key)) rules.set(key, { name: `s${rules.size}`, wide, slim });
  element.setAttribute("data-drawn", rules.get(key).name);
});
const sheet = [...rules.values()].flatMap(({ name, wide, slim }) => {
  const of = (style) => `[data-drawn=${name}]{${style}}`;
  return wide === slim ? [of(wide)] : [of(wide), `@media ${NARROW}{${of(slim)}}`];
});

// State, as attributes.
for (const field of app.querySelectorAll("input, textarea, select")) {
  if (field.type === "radio") field.toggleAttribute("checked", field.checked === true);
  if (field.localName === "textarea") field.textContent = field.value ?? "";
  // Files chosen before the program is there would be lost.
  if (field.type === "file") field.setAttribute("disabled", "");
}

// The drawings for both widths, in the colours of the style sheet's roles: the file does not know whether
// it is looked at in the dark.
const style = await readFile(at("style.css"), "utf8");
const roles = new Map([...style.matchAll(/--([a-z]+)-light:\s*(#[0-9a-f]{6})/g)].map(([, role, hex]) => [hex, role]));
const coloured = (svg) =>
  // Where the room is another than it was drawn for, it stays at the top, as what comes will.
  svg.replace("<svg ", '<svg preserveAspectRatio="xMidYMin" ').replace(/"(#[0-9a-f]{6})"/g, (whole, hex) => (roles.has(hex) ? `"var(--${roles.get(hex)})"` : whole));
const slim = [...telephone.querySelectorAll(".chart")];
[...app.querySelectorAll(".chart")].forEach((chart, i) => {
  const [wide, narrow] = [chart, slim[i]].map((chart) => chart.querySelector(".canvas").innerHTML);
  const drawings = { "on-desk": wide, "on-telephone": narrow };
  if (!Object.values(drawings).every((svg) => svg.startsWith("<svg"))) throw new Error("a figure was not drawn");
  chart.innerHTML = Object.entries(drawings)
    .map(([where, svg]) => `<div class="${where}">${coloured(svg)}</div>`)
    .join("");
});

// The address that the picture is of.
const link = app.querySelector("nav a[aria-current]").getAttribute("href");
const picture = app.innerHTML.replaceAll("<!---->", "");
const place = "<!-- The picture, once it is built. -->";
if (html.split(place).length !== 2) throw new Error(`index.html has no one place for the picture: ${place}`);
const page = html
  .replace("<html ", () => `<html data-link="${link.replaceAll("&", "&amp;")}" `)
  .replace(place, () => `<div class="drawn">${picture}</div>`);
await writeFile(at("index.html"), page);
await writeFile(at("style.css"), `${style}\n${sheet.join("\n")}\n`);

// The start page's pictures.
const reports = await Promise.all(["start", "survey"].map((name) => readFile(at(`examples/${name}.atelier.json`))));
const pictures = program.start_pictures(...reports);
for (let i = 0; i < pictures.length; i += 2) {
  const file = at(pictures[i]);
  await mkdir(dirname(file), { recursive: true });
  await writeFile(file, pictures[i + 1]);
}
// Nobody else reads them: the program holds the first picture's.
for (const name of ["start.atelier", "smollm2"]) await rm(at(`examples/${name}.json`));
