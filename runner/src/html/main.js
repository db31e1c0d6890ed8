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
  Object.assign(choice, { case: row.name, pixel });
  choice.column = model.columns.length > 1 ? model.columns[at].name : null;
  page.shownColumn = at;
  reveal(page);
  drawRows(page);
  writeAddress(page, isStep && isOther);
  await showDetail(page, row, at);
}

// Shows the case in the address; without one, the first failed case.
async function followAddress(page) {
  page.choice = readAddress();
  page.toggled.clear();
  showControls(page);
  refresh(page);
  const { model, choice } = page;
  const row = choice.case === null ? null : model.rows.find((it) => it.name === choice.case);
  if (row) {
    const named = model.columns.findIndex((column, at) => column.name === choice.column && row.cells[at]);
    const at = named >= 0 ? named : mainColumn(model, row, page.columns);
    await choose(page, row, at, { pixel: choice.pixel });
    return;
  }
  const failed = page.lines.find((line) => line.row && isFailure(model, line.row.cells[line.at]));
  if (failed) await choose(page, failed.row, failed.at);
  else showNothing(choice.case);
}

function showNothing(wanted) {
  const text = wanted === null ? "No case failed. Choose a case." : `There is no case ${wanted} in this page.`;
  document.getElementById("detail").replaceChildren(element("p", { class: "hint" }, text));
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
  by("list").addEventListener("scroll", () => requestAnimationFrame(() => drawRows(page)), { passive: true });
  new ResizeObserver(() => drawRows(page)).observe(by("list"));
  document.addEventListener("keydown", (event) => onKey(page, event));
  for (const name of ["hashchange", "popstate"]) {
    addEventListener(name, () => {
      if (addressOf(page.choice) !== location.hash) followAddress(page).catch(showDamage);
    });
  }
  listenToDivider();
}

async function start() {
  const began = performance.now();
  const model = makeModel(await unpackJson(document.getElementById("index").textContent));
  const page = { model, choice: readAddress(), columns: [], lines: [], counts: new Map(), changes: new Map(),
    toggled: new Set(), shownColumn: -1 };
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
