// The right half: all details of one case in one column.

// Fills the right half with the case of `row` in column `at`.
async function showDetail(page, row, at) {
  const { model } = page;
  const cell = row.cells[at];
  const detail = await detailOf(cell) ?? { record: {}, evidence: null };
  const others = await othersOf(model, row, at);
  const isStill = () => page.choice.case === row.name && page.shownColumn === at;
  if (!isStill()) return;
  const reason = model.reasons[cell.reason];
  const { record, evidence } = detail;
  const source = evidence?.source || await fileTextOf(row.name);
  const images = [];
  for (const image of evidence?.images ?? []) {
    images.push(await makeViewer(image, others, page.choice.pixel, (pixel) => {
      page.choice.pixel = pixel;
      writeAddress(page, false);
    }));
  }
  const failed = new Set((record.failures ?? []).map((failure) => failure.line));
  const buffers = [];
  for (const buffer of evidence?.buffers ?? []) buffers.push(await bufferPart(buffer, others, failed.has(buffer.line)));
  if (!isStill()) return;
  const host = document.getElementById("detail");
  host.replaceChildren(...[...headParts(page, row, at), warningPart(record.known), ...failureParts(record, reason),
    ...attemptParts(record), repeatPart(record.repeat), ...images, ...buffers, sourcePart(source, evidence, record),
    ...mapParts(model.maps[cell.map], source, evidence), ...stageParts(evidence), ...printedParts(record, detail.note)].filter(Boolean));
  host.scrollTop = 0;
  for (const code of host.querySelectorAll("pre.code")) showMarked(code);
}

// The details of a cell, if it has more than the index.
async function detailOf(cell) {
  const packed = cell.detail < 0 ? null : document.getElementById(`d${cell.detail}`);
  return packed ? unpackJson(packed.textContent) : null;
}

// The texts of files by name, once they are unpacked.
let textsOfFiles = null;

// The file of a case in the page's texts: its name without parameters or entry points.
function fileOf(name) {
  return name.replace(/(\.(?:shader_test|wgsl))#.*$/, "$1");
}

// The text of the file of a case without evidence; empty if the page lacks it.
async function fileTextOf(name) {
  const packed = document.getElementById("texts").textContent;
  if (!packed) return "";
  textsOfFiles ??= unpackJson(packed);
  return (await textsOfFiles)[fileOf(name)] ?? "";
}

// The evidence of the same case and adapter in the other runs: `[{ name, evidence }]`, the newest first.
async function othersOf(model, row, at) {
  const own = model.columns[at];
  const isOnlyOne = (run) => model.columns.filter((column) => column.run === run).length === 1;
  const found = [];
  for (const [number, column] of model.columns.entries()) {
    const isSame = column.selector === own.selector || (isOnlyOne(column.run) && isOnlyOne(own.run));
    if (column.run === own.run || !isSame || !row.cells[number]) continue;
    const detail = await detailOf(row.cells[number]);
    found.unshift({ name: column.name, evidence: detail?.evidence ?? null });
  }
  return found;
}

// Name, status, adapter and time; with several columns all of them, as a choice.
function headParts(page, row, at) {
  const { model } = page;
  const head = element("div", { class: "head" }, element("h2", {}, row.name), saveButton(page, row));
  if (model.columns.length > 1) return [backButton(), head, columnTable(page, row, at)];
  const column = model.columns[at], cell = row.cells[at];
  return [backButton(), head, element("p", { class: "hint" }, statusWord(model, cell), ` · ${column.title} · `, timeText(cell))];
}

function timeText({ seconds, cpu }) {
  return cpu === null ? `${seconds.toFixed(3)} s` : `${seconds.toFixed(3)} s, ${cpu.toFixed(2)} CPU s`;
}

function statusWord(model, cell) {
  return element("b", { class: toneOf(model, cell.status) }, statusOf(model, cell));
}

// The columns of a case as a table of results, the newest run first. The reason of the chosen one stands below the table.
function columnTable(page, row, at) {
  const { model } = page;
  const order = model.columns.map((_, number) => number)
    .sort((left, right) => model.columns[right].run - model.columns[left].run || left - right);
  const lines = order.map((number) => {
    const column = model.columns[number], cell = row.cells[number];
    if (!cell) return element("tr", {}, element("th", {}, column.name), element("td", { class: "dim", colspan: 3 }, "not run"));
    const isSame = cell.reason === row.cells[at].reason;
    const why = number === at ? column.title : isSame ? (cell.reason ? "the same" : "") : shortReason(model.reasons[cell.reason]);
    return element("tr", { class: number === at ? "chosen" : "" },
      element("th", {}, element("button", { "aria-pressed": String(number === at), title: column.title,
        onclick: () => choose(page, row, number) }, column.name)),
      element("td", {}, statusWord(model, cell)), element("td", {}, timeText(cell)), element("td", { class: "why" }, why));
  });
  return element("table", { class: "columns" }, ...lines);
}

function warningPart(text) {
  return text ? element("p", { class: "warn" }, text) : null;
}

function repeatPart(command) {
  if (!command) return null;
  const button = element("button", { onclick: async () => {
    await navigator.clipboard.writeText(command);
    button.textContent = "copied";
  } }, "copy");
  return element("div", { class: "repeat" }, element("pre", { class: "command" }, command), button);
}

function foldable(title, isOpen, ...content) {
  return element("details", { open: isOpen }, element("summary", {}, title), ...content);
}

// The link map as boxes, and as text if it contains more. A program without varyings has none.
function mapParts(slots, source, evidence) {
  const text = evidence?.map || slots;
  const drawing = interfacesPart(slots, source, evidence);
  if (!drawing && !hasRows(text)) return [];
  if (!drawing) return [foldable("link map", true, element("pre", {}, text))];
  return [foldable("link map", true, drawing), evidence?.map ? foldable("link map as text", false, element("pre", {}, text)) : null];
}

function stageParts(evidence) {
  if (!evidence?.stages.length) return [];
  const stage = ({ name, wgsl }) => element("div", {}, element("h4", {}, name), wgslPart(wgsl));
  return [foldable("lowered stages", true, element("div", { class: "stages" }, ...evidence.stages.map(stage)))];
}

// The case file, with the failed or invalid lines marked.
function sourcePart(source, evidence, record) {
  if (!source) return null;
  const failures = [...(record.failures ?? []), ...(evidence?.failures ?? [])];
  const places = failures.flatMap((failure) => failure.details).concat(record.diagnostics ?? "").join("\n");
  const marked = new Set(failures.map((failure) => failure.line));
  for (const [, line] of places.matchAll(/\.shader_test(?:#[^\s:]*)?:(\d+)/g)) marked.add(Number(line));
  return foldable("case file", true, codePart(linesOfCase(source.trimEnd()), marked));
}

// Scrolls a box of code, and not the page, to its first marked line.
function showMarked(code) {
  const marked = code.querySelector(".line.at");
  if (marked) code.scrollTop = marked.offsetTop - code.offsetTop - code.clientHeight / 3;
}

// Earlier attempts that ended differently.
function attemptParts(record) {
  return (record.attempts ?? []).map((attempt) => {
    const isSame = attempt.reason === record.reason && attempt.kind === record.kind && !attempt.stderr;
    const lines = [attempt.reason, attempt.stderr].filter(Boolean).join("\n");
    const title = `earlier attempt: ${attempt.kind}, ${attempt.seconds.toFixed(1)} s`;
    return isSame || !lines ? null : foldable(title, true, element("pre", {}, lines));
  });
}

// Printed output, warnings and notes.
function printedParts(record, note) {
  const text = (title, content, isOpen) => (content ? foldable(title, isOpen, element("pre", {}, content)) : null);
  return [note ? element("p", { class: "warn" }, note) : null, text("printed by the driver", record.stderr, true),
    text("warnings", (record.warnings ?? []).join("\n"), false), text("notes", (record.notes ?? []).join("\n"), false)];
}
