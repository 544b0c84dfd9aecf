// Lets the browser keep the page for visits without a network, and says when a newer one has come.

// Milliseconds. On a first visit the model comes first.
const PATIENCE = 4000;
const BETWEEN_LOOKS = 3_600_000;

const idle = () =>
  new Promise((resolve) =>
    globalThis.requestIdleCallback ? requestIdleCallback(resolve, { timeout: PATIENCE }) : setTimeout(resolve, PATIENCE),
  );

/** `place` takes the sentence. */
export async function keepOffline(place) {
  const workers = navigator.serviceWorker;
  if (!workers.controller) {
    await new Promise((resolve) => setTimeout(resolve, PATIENCE));
    await idle();
  }
  let registration;
  try {
    registration = await workers.register(new URL("./service_worker.js", import.meta.url));
  } catch {
    // A browser that forbids it, or a host that has lost the file: the page works all the same.
    return;
  }
  const offer = (worker) => say(place, worker);
  const follow = (worker) =>
    worker.addEventListener("statechange", () => {
      // Without a controller it is the first: nothing newer than what is on the screen.
      if (worker.state === "installed" && workers.controller) offer(worker);
    });
  if (registration.waiting && workers.controller) offer(registration.waiting);
  if (registration.installing) follow(registration.installing);
  registration.addEventListener("updatefound", () => follow(registration.installing));

  let looked = Date.now();
  document.addEventListener("visibilitychange", () => {
    if (document.hidden || Date.now() - looked < BETWEEN_LOOKS) return;
    looked = Date.now();
    // Without a network there is nothing newer.
    registration.update().catch(() => {});
  });

  const { active } = await workers.ready;
  // Whoever asks to save data keeps the models they use, and no others.
  if (navigator.connection?.saveData) return;
  await idle();
  active?.postMessage("keep the models");
}

function say(place, worker) {
  if (place.childElementCount) return;
  const button = document.createElement("button");
  button.type = "button";
  button.textContent = "Reload";
  button.addEventListener("click", () => {
    // Another tab may have let it take over: then this one hears of no change any more.
    if (worker.state !== "installed") return location.reload();
    navigator.serviceWorker.addEventListener("controllerchange", () => location.reload(), { once: true });
    worker.postMessage("take over");
  });
  place.append("A new version of this page is here. ", button);
}
