// The page can be seen before its program is there. What a reader did to it by then is done again: words
// typed, the thing pressed last, the place of the cursor.

// The same in every browser: further down, one has buttons that another has not.
const FIELDS = ":is(header, .bar, .question, .columns) :is(button, input, select, textarea)";

const fieldsOf = (host) => [...host.querySelectorAll(FIELDS)];

/** Notes what is done to the fields of `host` from now on. */
export function watch(host) {
  const stop = new AbortController();
  const done = { stop, count: fieldsOf(host).length, changed: new Map(), pressed: -1, cursor: null };
  const note = ({ type, target }) => {
    const field = target.closest(FIELDS);
    const at = fieldsOf(host).indexOf(field);
    if (at < 0) return;
    if (type === "click" && field.localName === "button") done.pressed = at;
    if (type === "input" || type === "change") done.changed.set(at, field);
    done.cursor = { at, field };
  };
  for (const type of ["click", "input", "change", "focusin"]) {
    host.addEventListener(type, note, { signal: stop.signal });
  }
  // Whoever left a field has no cursor in it; a field that was taken away has not been left.
  const left = ({ target }) => queueMicrotask(() => target.isConnected && (done.cursor = null));
  host.addEventListener("focusout", left, { signal: stop.signal });
  return done;
}

/** Does it again to the fields that have taken the place of those. */
export function again(host, { stop, count, changed, pressed, cursor }) {
  stop.abort();
  const now = fieldsOf(host);
  if (now.length !== count) return;
  for (const [at, { value }] of changed) {
    const field = now[at];
    if (field.type === "radio") field.click();
    else {
      field.value = value;
      const type = field.localName === "select" ? "change" : "input";
      field.dispatchEvent(new Event(type, { bubbles: true }));
    }
  }
  if (cursor) {
    const { at, field } = cursor;
    now[at].focus({ preventScroll: true });
    if (field.selectionStart != null) now[at].setSelectionRange(field.selectionStart, field.selectionEnd);
  }
  if (pressed >= 0) now[pressed].click();
}
