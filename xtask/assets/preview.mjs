// Draws the picture that others show beside a link: node preview.mjs INDEX STYLE OUT, all of a page whose first
// picture stands in it. It is that picture's first figure, in the light colours, under the page's own words.
import { readFile, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { initWasm, Resvg } from "@resvg/resvg-wasm";
import { parseHTML } from "linkedom";

// What the places where links are shown ask for.
const [WIDTH, HEIGHT] = [1200, 630];
const MARGIN = 64;
// Fonts travel with the build: every machine draws the same.
const FAMILY = "Source Sans 3";
const FONTS = ["400Regular/SourceSans3_400Regular.ttf", "600SemiBold/SourceSans3_600SemiBold.ttf"];

const [index, style, out] = process.argv.slice(2);
const { document } = parseHTML(await readFile(index, "utf8"));
const sheet = await readFile(style, "utf8");

const roles = new Map([...sheet.matchAll(/--([a-z]+)-light:\s*(#[0-9a-f]{6})/g)].map(([, role, hex]) => [role, hex]));
const colour = (role) => {
  if (!roles.has(role)) throw new Error(`style.css has no colour for ${role}`);
  return roles.get(role);
};

const figure = document.querySelector("#figure-votes");
const svg = figure?.querySelector(".on-desk svg");
if (!svg) throw new Error("index.html holds no first figure");
const [width, height] = ["width", "height"].map((name) => Number(svg.getAttribute(name)));
const drawing = svg.innerHTML.replace(/var\(--([a-z]+)\)/g, (_, role) => colour(role));

const escape = (text) => text.replace(/[&<>]/g, (c) => ({ "&": "&amp;", "<": "&lt;", ">": "&gt;" })[c]);
const words = (css) => escape(document.querySelector(css).textContent.trim());

const room = WIDTH - 2 * MARGIN;
const top = 236;
const scale = Math.min(room / width, (HEIGHT - top - 40) / height);
const picture = `<svg xmlns="http://www.w3.org/2000/svg" width="${WIDTH}" height="${HEIGHT}" font-family="${FAMILY}">
<rect width="100%" height="100%" fill="${colour("paper")}"/>
<g fill="${colour("ink")}">
<text x="${MARGIN}" y="86" font-size="30" font-weight="600">${words("header .name")}</text>
<text x="${MARGIN}" y="150" font-size="50" font-weight="600">${words("header h1")}</text>
<text x="${MARGIN}" y="200" font-size="22">${words("#figure-votes h3")}</text>
</g>
<g transform="translate(${(WIDTH - scale * width) / 2} ${top}) scale(${scale})">${drawing}</g>
</svg>`;

const own = createRequire(import.meta.url);
const folder = "@expo-google-fonts/source-sans-3";
await initWasm(await readFile(own.resolve("@resvg/resvg-wasm/index_bg.wasm")));
const fontBuffers = await Promise.all(FONTS.map((font) => readFile(own.resolve(`${folder}/${font}`))));
const font = { fontBuffers, defaultFontFamily: FAMILY, sansSerifFamily: FAMILY, serifFamily: FAMILY };
const png = new Resvg(picture, { font }).render().asPng();
await writeFile(out, png);
