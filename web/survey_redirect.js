// Surveys had a page of their own once: links to it lead to the one page, query and fragment kept.
const { search, hash } = location;
const names = hash.slice(1).split("&");
const view = names.includes("theory") || names.includes("survey") ? "" : "survey";
const kept = [view, hash.slice(1)].filter(Boolean).join("&");
location.replace(new URL(`./${search}#${kept}`, location.href.split(/[?#]/)[0]));
