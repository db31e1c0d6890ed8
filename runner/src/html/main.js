// Assembles the page. `page.choice` is the content of the address; everything else is derived from it.

function refresh(page) {
  arrange(page);
  drawChips(page);
  drawRows(page);
}

// Changes the list: the filter, statuses, the change, the group or the adapter.
function narrow(page, changes) {
  Object.assign(page.choice, changes);
  page.toggled.clear();
  document.getElementById("list").scrollTop = 0;
  showControls(page);
  refresh(page);
  reveal(page);
  writeAddress(page, false);
}

// Chooses a case in one of its columns: shows it and puts it into the address.
async function choose(page, row, at, { isStep = false, pixel = null } = {}) {
  const { choice, model } = page;
  const isOther = choice.case !== row.name;
  Object.assign(choice, { case: row.name, pixel, view: "" });
  choice.column = model.columns.length > 1 ? model.columns[at].name : null;
  page.shownColumn = at;
  reveal(page);
  drawRows(page);
  writeAddress(page, isStep && isOther);
  if (isStep) showPane("case");
  await showDetail(page, row, at);
}

// Shows the case in the address, whose group opens; without one, the first regression or failed case. Without any, or
// where the list alone fills the window, the overview.
async function followAddress(page) {
  page.choice = readAddress(page.model);
  page.toggled.clear();
  showControls(page);
  refresh(page);
  const { model, choice } = page;
  const row = choice.case === null ? null : model.rows.find((it) => it.name === choice.case);
  if (row) {
    const named = model.columns.findIndex((column, at) => column.name === choice.column && row.cells[at]);
    const at = named >= 0 ? named : mainColumn(model, row, page.columns);
    openGroupOf(page, row);
    showPane("case");
    await choose(page, row, at, { pixel: choice.pixel });
    return;
  }
  const isSingle = model.rows.length === 1;
  showPane(choice.view || choice.case !== null || isSingle ? "case" : "list");
  const isHidden = isOnePane() && !isSingle;
  const first = isHidden || choice.view ? null : firstLineToShow(page);
  if (first && choice.case === null) await choose(page, first.row, first.at);
  else showOverview(page, choice.case === null ? null : `There is no case ${choice.case} in this page.`);
}

// The first line that a person wants to see: a regression or another change, else a failed case.
function firstLineToShow({ groups, lines, model }) {
  const ofCases = lines.filter((line) => line.row);
  if (model.rows.length === 1) return groups[0]?.members[0];
  return ofCases.find(({ row }) => row.change === "Regression")
    ?? ofCases.find(({ row, at }) => isFailure(model, row.cells[at]))
    ?? ofCases.find(({ row }) => row.change);
}

// In a narrow window either the list or the case is shown.
function showPane(name) {
  document.body.dataset.pane = name;
}

function isOnePane() {
  return matchMedia("(max-width: 800px)").matches;
}

function showControls(page) {
  document.getElementById("search").value = page.choice.filter;
  document.getElementById("group").value = page.choice.group;
  document.getElementById("adapter").value = page.choice.adapter;
}

function listen(page) {
  const by = (id) => document.getElementById(id);
  by("search").addEventListener("input", (event) => narrow(page, { filter: event.target.value }));
  by("group").addEventListener("input", (event) => narrow(page, { group: event.target.value }));
  by("adapter").addEventListener("input", (event) => narrow(page, { adapter: event.target.value }));
  by("keys").addEventListener("click", showHelp);
  by("overview").addEventListener("click", () => chooseOverview(page));
  by("more").addEventListener("click", () => {
    const isOpen = document.body.toggleAttribute("data-more");
    by("more").setAttribute("aria-expanded", String(isOpen));
  });
  by("list").addEventListener("scroll", () => requestAnimationFrame(() => drawRows(page)), { passive: true });
  new ResizeObserver(() => drawRows(page)).observe(by("list"));
  document.addEventListener("keydown", (event) => onKey(page, event));
  for (const name of ["hashchange", "popstate"]) {
    addEventListener(name, () => {
      if (addressOf(page.choice, page.model) !== location.hash) followAddress(page).catch(showDamage);
    });
  }
  listenToDivider();
}

async function start() {
  const began = performance.now();
  // The page without what scripts add, and without the details, which follow this script.
  const pristine = document.documentElement.cloneNode(true);
  const model = makeModel(await unpackJson(document.getElementById("index").textContent));
  const page = { model, pristine, choice: readAddress(model), columns: [], groups: [], cases: 0, lines: [],
    counts: new Map(), changes: new Map(), toggled: new Set(), shownColumn: -1 };
  document.body.toggleAttribute("data-single", model.rows.length === 1);
  drawRuns(page);
  showControls(page);
  refresh(page);
  document.body.dataset.readyAfter = performance.now().toFixed(0);
  document.body.dataset.listTook = (performance.now() - began).toFixed(0);
  listen(page);
  // The details follow this script, and the page is drawn before they are loaded.
  if (document.readyState === "loading") {
    await new Promise((resolve) => document.addEventListener("DOMContentLoaded", resolve));
  }
  await followAddress(page);
  document.body.dataset.state = "ready";
}

function showDamage(error) {
  document.getElementById("detail").replaceChildren(element("pre", { class: "bad" }, `this page is damaged: ${error}\n${error.stack}`));
  document.body.dataset.state = "damaged";
}

start().catch(showDamage);
