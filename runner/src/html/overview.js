// The overview: what changed between the first and the last run, in a table for each kind of change, and the slowest cases.

// Number of the slowest cases that are named, and of cases in a table of changes.
const SLOWEST = 20, CHANGES_SHOWN = 200;

function chooseOverview(page) {
  Object.assign(page.choice, { case: null, column: null, pixel: null, view: "overview" });
  page.shownColumn = -1;
  writeAddress(page, true);
  showPane("case");
  drawRows(page);
  showOverview(page, null);
}

function showOverview(page, note) {
  const { model } = page;
  const hasFailed = model.columns.some((column) => column.run === model.last && column.tally[model.classes.indexOf("failed")]);
  const hint = note ?? (hasFailed || model.runs.length > 1 ? null : "No case failed.");
  document.getElementById("detail").replaceChildren(...[backButton(), hint && element("p", { class: "hint" }, hint),
    ...totalsPart(model), ...changeParts(page), ...unsteadyPart(page),
    ...slowestPart(page)].filter(Boolean));
}

function backButton() {
  const isAlone = document.body.hasAttribute("data-single");
  return isAlone ? null : element("button", { class: "back", onclick: backToList }, "← cases");
}

// The classes of all columns as a table, the newest run first.
function totalsPart(model) {
  const columns = model.columns.map((column, at) => ({ ...column, at })).sort((left, right) => right.run - left.run || left.at - right.at);
  const used = model.classes.map((name, at) => [name, at]).filter(([, at]) => columns.some((column) => column.tally[at]));
  const head = element("tr", {}, element("th", {}, ""), ...used.map(([name]) => element("th", {}, name)), element("th", {}, "cases"));
  const rows = columns.map((column) => element("tr", {}, element("th", { title: column.title }, column.name),
    ...used.map(([name, at]) => element("td", { class: column.tally[at] ? CLASS_TONES[name] ?? "dim" : "dim" }, String(column.tally[at]))),
    element("td", {}, String(column.case.length))));
  return [element("h3", {}, "Results"), element("div", { class: "wide" }, element("table", { class: "totals" }, head, ...rows))];
}

// A table of regressions, one of fixes, and so on.
function changeParts(page) {
  const { model } = page;
  if (model.runs.length < 2) return [];
  const names = { Regression: "Regressions", Fix: "Fixes", Change: "Changes", New: "New", Gone: "Gone" };
  const pairs = pairsOf(model);
  return CHANGES.flatMap((change) => {
    const rows = model.rows.filter((row) => row.change === change);
    if (!rows.length) return [element("h3", {}, `${names[change]}: none`)];
    const lines = rows.slice(0, CHANGES_SHOWN).map((row) => changeLine(page, row, pairs));
    const more = rows.length - lines.length;
    return [element("h3", { class: changeTone(change) }, `${names[change]}: ${rows.length}`),
      element("div", { class: "wide" }, element("table", { class: "changes" }, ...lines)),
      more > 0 ? element("p", { class: "hint" }, `… and ${more} more; the chip ${change} lists all`) : null];
  });
}

function changeLine(page, row, pairs) {
  const { model } = page;
  const at = mainColumn(model, row, page.columns);
  const word = (cell) => (cell ? element("span", { class: toneOf(model, cell.status) }, statusOf(model, cell)) : element("span", { class: "dim" }, "–"));
  const steps = pairs.map(([before, after]) => [row.cells[before], row.cells[after]])
    .flatMap(([before, after], number) => [number ? ", " : null, word(before), " → ", word(after)]);
  const cell = row.cells[at];
  return element("tr", {}, element("td", {}, caseButton(page, row, at)), element("td", {}, ...steps),
    element("td", { class: "why" }, cell ? shortReason(model.reasons[cell.reason]) : ""));
}

// The cases of the newest run that passed only when they ran again.
function unsteadyPart(page) {
  const { model } = page;
  const isUnsteady = (cell) => cell && ["flakes", "slow"].includes(model.statuses[cell.status].class);
  const found = model.columns.flatMap((column, at) => (column.run === model.last ? model.rows.map((row) => ({ row, at })) : []))
    .filter(({ row, at }) => isUnsteady(row.cells[at]));
  if (!found.length) return [];
  const lines = found.slice(0, CHANGES_SHOWN).map(({ row, at }) => element("tr", {},
    element("td", {}, caseButton(page, row, at)), element("td", {}, statusWord(model, row.cells[at])),
    element("td", { class: "why" }, shortReason(model.reasons[row.cells[at].reason]))));
  return [element("h3", { class: "warn" }, `Passed only when run again: ${found.length}`),
    element("div", { class: "wide" }, element("table", { class: "changes" }, ...lines))];
}

function caseButton(page, row, at) {
  return element("button", { class: "link", onclick: () => {
    openGroupOf(page, row);
    choose(page, row, at, { isStep: true });
  } }, row.name);
}

// The slowest cases of the newest run, by seconds on processors where the system reports them.
function slowestPart(page) {
  const { model } = page;
  const all = model.columns.flatMap((column, at) => (column.run === model.last ? model.rows.map((row) => ({ row, at })) : []))
    .filter(({ row, at }) => row.cells[at] && cost(row.cells[at]) > 0)
    .sort((left, right) => cost(right.row.cells[right.at]) - cost(left.row.cells[left.at]));
  if (!all.length) return [];
  const isOfSeveral = model.columns.filter((column) => column.run === model.last).length > 1;
  const hasCpu = all.some(({ row, at }) => row.cells[at].cpu !== null);
  const lines = all.slice(0, SLOWEST).map(({ row, at }) => {
    const cell = row.cells[at], isSlow = cost(cell) >= model.slowAfter;
    return element("tr", {}, element("td", { class: isSlow ? "warn" : "" }, cost(cell).toFixed(2)),
      hasCpu ? element("td", {}, cell.seconds.toFixed(2)) : null,
      isOfSeveral ? element("td", {}, model.columns[at].selector) : null,
      element("td", {}, caseButton(page, row, at)));
  });
  const heads = [hasCpu ? "CPU s" : "s", hasCpu ? "s" : null, isOfSeveral ? "adapter" : null, "case"];
  const slow = all.filter(({ row, at }) => cost(row.cells[at]) >= model.slowAfter).length;
  const title = `Slowest cases${slow ? `: ${slow} took ${model.slowAfter} ${hasCpu ? "CPU " : ""}s or longer` : ""}`;
  return [element("h3", {}, title), element("div", { class: "wide" }, element("table", { class: "slowest" },
    element("tr", {}, ...heads.filter(Boolean).map((name) => element("th", {}, name))), ...lines))];
}
