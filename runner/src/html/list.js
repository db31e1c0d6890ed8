// The left half: the list, of which only the visible lines are elements.

// Words for statuses that are too long for a cell.
const SHORT_WORDS = { ExpectedFail: "Known", KnownFlake: "Known", ImprovedToPass: "Improved", ImprovedToSkip: "Improved",
  ImprovedToFail: "Improved", Unsupported: "Unsup.", NoAdapter: "None", NoDevice: "No dev.", Undecided: "Undec.", Untested: "Untest." };

const ROW_HEIGHT = 26, ROWS_AROUND = 12;

// Draws the visible lines.
function drawRows(page) {
  const list = document.getElementById("list"), rows = document.getElementById("rows");
  rows.style.height = `${page.lines.length * ROW_HEIGHT}px`;
  const first = Math.max(0, Math.floor(list.scrollTop / ROW_HEIGHT) - ROWS_AROUND);
  const last = Math.ceil((list.scrollTop + list.clientHeight) / ROW_HEIGHT) + ROWS_AROUND;
  const focused = document.activeElement?.closest?.("#rows .row")?.id;
  const made = page.lines.slice(first, last).map((line, at) => {
    const drawn = line.group ? groupRow(page, line.group) : caseRow(page, line);
    drawn.style.top = `${(first + at) * ROW_HEIGHT}px`;
    drawn.id = `line${first + at}`;
    return drawn;
  });
  rows.replaceChildren(...made);
  if (!page.lines.length) rows.replaceChildren(element("p", { class: "hint" }, "No case is as wanted."));
  if (focused) document.getElementById(focused)?.focus({ preventScroll: true });
  drawHeads(page);
}

// The names of the columns, if there are several, and the number of selected cases.
function drawHeads(page) {
  const heads = document.getElementById("heads");
  const isNeeded = page.columns.length > 1;
  heads.hidden = !isNeeded;
  if (!isNeeded) return;
  const all = page.model.rows.length;
  const count = page.cases === all ? countOf(all, "case") : `${page.cases} of ${countOf(all, "case")}`;
  const cells = page.columns.map((at) => {
    const column = page.model.columns[at];
    return element("span", { class: "cell", title: column.title }, column.name);
  });
  heads.replaceChildren(element("span", { class: "cells" }, ...cells), element("span", { class: "name" }, count));
}

function groupRow(page, group) {
  const counts = group.failures ? element("span", { class: "bad" }, `${group.failures} of `) : "";
  const toggle = () => toggleGroup(page, group);
  return element("div", { class: "row group", tabindex: 0, role: "button", "aria-expanded": String(isOpen(page, group)),
    onclick: toggle, title: group.key },
    element("span", { "aria-hidden": "true" }, isOpen(page, group) ? "▾" : "▸"),
    element("span", { class: "name" }, group.key),
    element("span", { class: "counts" }, counts, String(group.members.length)));
}

function toggleGroup(page, group) {
  toggle(page, group);
  drawRows(page);
}

// A case: a mark for every column, its name, and the reason of its failure.
function caseRow(page, { row, at }) {
  const { model, choice } = page;
  const isSelected = page.choice.case === row.name;
  const name = nameParts(page, row.name);
  const why = shortReason(model.reasons[row.cells[at].reason]);
  const isSlow = cost(row.cells[at]) >= model.slowAfter;
  return element("div", { class: `row case${isSelected ? " selected" : ""}`, title: `${row.name}\n${why}`,
    "aria-current": isSelected ? "true" : undefined, onclick: (event) => pick(page, row, at, event) },
    element("span", { class: "cells" }, ...page.columns.map((column) => cellMark(page, row, column))),
    row.change && choice.group !== "change" ? element("span", { class: `change ${changeTone(row.change)}` }, row.change) : null,
    name,
    element("span", { class: "why" }, why),
    element("span", { class: `time${isSlow ? " warn" : ""}` }, timeOf(row.cells[at], isSlow)));
}

// The duration; of a slow case its time on processors.
function timeOf(cell, isSlow) {
  if (isSlow && cell.cpu !== null) return `${cell.cpu.toFixed(1)} CPU s`;
  return cell.seconds >= 0.1 ? `${cell.seconds.toFixed(1)} s` : "";
}

// The file, the parameters, and the folder unless the cases are grouped by it.
function nameParts(page, path) {
  const [file, ...parameters] = path.replace(".shader_test", "").split("#");
  const at = file.lastIndexOf("/") + 1;
  const folder = page.choice.group === "folder" ? "" : file.slice(0, at);
  return element("span", { class: "name" }, element("span", { class: "file" }, file.slice(at)),
    parameters.length ? element("span", { class: "parameters" }, `#${parameters.join("#")}`) : null,
    folder ? element("span", { class: "folder" }, folder) : null);
}

function cellMark(page, row, at) {
  const cell = row.cells[at];
  const column = page.model.columns[at];
  if (!cell) return element("span", { class: "cell dim", title: `${column.name}: not run` }, "–");
  const status = statusOf(page.model, cell);
  const isChosen = page.choice.case === row.name && page.shownColumn === at && page.columns.length > 1;
  return element("span", { class: `cell ${toneOf(page.model, cell.status)}${isChosen ? " chosen" : ""}`, "data-column": at,
    title: `${column.name}: ${status}` }, SHORT_WORDS[status] ?? status);
}

function changeTone(change) {
  return { Regression: "bad", Fix: "good" }[change] ?? "warn";
}

// A click on a cell chooses its column; a click elsewhere chooses the most informative one.
function pick(page, row, at, event) {
  const cell = event.target.closest("[data-column]");
  choose(page, row, cell ? Number(cell.dataset.column) : at, { isStep: true });
}

// Scrolls to the chosen case.
function reveal(page) {
  const list = document.getElementById("list");
  const at = page.lines.findIndex((line) => line.row?.name === page.choice.case);
  if (at < 0) return;
  const top = at * ROW_HEIGHT;
  if (top < list.scrollTop) list.scrollTop = top - ROW_HEIGHT;
  if (top + ROW_HEIGHT > list.scrollTop + list.clientHeight) list.scrollTop = top - list.clientHeight / 2;
}
