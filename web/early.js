// What has to be known before the first paint. The file holds the picture of the plain address, in the
// system's colours.
const root = document.documentElement;
try {
  const kept = localStorage.getItem("atelier-theme");
  if (kept === "light" || kept === "dark") root.dataset.theme = kept;
  // As src/app/shell/offer.rs keeps it.
  if (localStorage.getItem("atelier-offer")) root.classList.add("known");
} catch {
  // Where storage is forbidden, nothing was kept.
}
const { hash, search } = location;
const plain = ["", "#", "#main", root.dataset.link].includes(hash);
if (!plain || /[?&](report|models?)=/.test(search)) root.classList.add("elsewhere");
