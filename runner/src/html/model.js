// The data of the page: cases as rows, one column for each adapter of each run, and a cell for each pair.

// Changes of a case between the first and the last run, with the names that piglit's summary uses.
const CHANGES = ["Regression", "Fix", "Change", "New", "Gone"];
const NO_CHANGE = "no change";

// The colour class of each class of results.
const CLASS_TONES = { passed: "good", failed: "bad", "known failures": "warn", flakes: "warn", slow: "warn" };

// The model of the index. A cell is `{ status, reason, map, seconds, cpu, detail }`, numbers in the tables of the index.
function makeModel(index) {
  const rows = index.names.map((name, number) => ({ name, number, cells: new Array(index.columns.length).fill(null) }));
  index.columns.forEach((column, at) => {
    column.case.forEach((row, cell) => {
      rows[row].cells[at] = { status: column.status[cell], reason: column.reason[cell], map: column.map[cell],
        seconds: column.seconds[cell], cpu: column.cpu[cell], detail: column.detail[cell] };
    });
  });
  const model = { ...index, rows, reasonGroups: index.reasons.map(() => null), last: index.runs.length - 1 };
  model.columns.forEach((column) => { column.name = columnName(model, column); });
  const pairs = pairsOf(model);
  for (const row of rows) {
    row.text = textOf(model, row);
    row.change = changeOf(model, row, pairs);
  }
  return model;
}

function columnName(model, column) {
  const isOnlyOne = model.columns.filter((other) => other.run === column.run).length === 1;
  if (model.runs.length === 1) return column.selector;
  const label = shortLabels(model.runs.map((run) => run.label))[column.run];
  return isOnlyOne ? label : `${label} ${column.selector}`;
}

// Folder names without their common prefix.
function shortLabels(labels) {
  const words = labels.map((label) => label.split("/").filter(Boolean));
  let common = 0;
  while (words.every((word) => word.length > common + 1 && word[common] === words[0][common])) common++;
  return words.map((word, at) => word.slice(common).join("/") || labels[at]);
}

// The text that is searched.
function textOf(model, row) {
  let text = row.name;
  let last = 0;
  for (const cell of row.cells) {
    if (!cell || cell.reason === last) continue;
    last = cell.reason;
    text += `\n${model.reasons[last]}`;
  }
  return text.toLowerCase();
}

// The columns of the first and of the last run for the same adapter.
function pairsOf(model) {
  const last = model.runs.length - 1;
  if (last < 1) return [];
  const of = (run) => model.columns.map((column, at) => ({ ...column, at })).filter((column) => column.run === run);
  const [before, after] = [of(0), of(last)];
  if (before.length === 1 && after.length === 1) return [[before[0].at, after[0].at]];
  return before.flatMap((column) => after.filter((other) => other.selector === column.selector)
    .map((other) => [column.at, other.at]));
}

// The worst change of a case on any adapter; none if there is no change.
function changeOf(model, row, pairs) {
  const of = ([before, after]) => {
    const [old, now] = [row.cells[before], row.cells[after]];
    if (!old && !now) return null;
    if (!old) return "New";
    if (!now) return "Gone";
    if (old.status === now.status) return old.map === now.map ? null : "Change";
    const [wasBad, isBad] = [old, now].map((cell) => model.statuses[cell.status].isFailure);
    if (wasBad === isBad) return "Change";
    return isBad ? "Regression" : "Fix";
  };
  const found = pairs.map(of);
  return CHANGES.find((change) => found.includes(change)) ?? null;
}

function isFailure(model, cell) {
  return Boolean(cell) && model.statuses[cell.status].isFailure;
}

function statusOf(model, cell) {
  return model.statuses[cell.status].name;
}

// The colour class of a status in the tables of the index.
function toneOf(model, status) {
  return CLASS_TONES[model.statuses[status].class] ?? "dim";
}

// The duration of a case: seconds on processors, where the system reports them, else seconds.
function cost(cell) {
  return cell.cpu ?? cell.seconds;
}

// The most informative displayed column of a case: of its newest run the first in which it failed, else the first.
// `columns` begins with the newest run.
function mainColumn(model, row, columns) {
  const first = columns.find((at) => row.cells[at]) ?? -1;
  if (first < 0) return first;
  const { run } = model.columns[first];
  return columns.find((at) => model.columns[at].run === run && isFailure(model, row.cells[at])) ?? first;
}

function firstLine(text) {
  return (text ?? "").split("\n")[0];
}

// A reason with the values first: `expected 1 0, actual 0 0 · probe all …`.
function shortReason(text) {
  const lines = (text ?? "").split("\n").flatMap((line) => line.split(/(?<=: )(?=expected )/)).map((line) => line.trim());
  const of = (word) => lines.find((line) => line.startsWith(`${word} `))?.replace(/\s+/g, " ");
  const values = [of("expected"), of("actual")].filter(Boolean);
  if (values.length < 2) return lines[0];
  const rest = lines[0].startsWith("expected ") ? "" : ` · ${lines[0].replace(/:$/, "")}`;
  return values.join(", ") + rest;
}

// A reason without its case-specific parts, as in `interstage census`: names, strings, numbers.
function groupOfReason(model, cell) {
  const reason = model.reasons[cell.reason];
  if (statusOf(model, cell) === "Unsupported") return firstLine(reason);
  model.reasonGroups[cell.reason] ??= generalised(firstLine(reason));
  return model.reasonGroups[cell.reason];
}

function generalised(text) {
  const names = text.replace(/(?:`[^`]*`|"[^"]*"|-?\b\d+(?:\.\w+)*\b)(?:, `[^`]*`)*/g, "…");
  return names.replace(/…(?:[ ,]+…)+/g, "…").replace(/\s+/g, " ");
}
