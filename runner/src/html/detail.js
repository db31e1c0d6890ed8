// The right half: all details of one case in one column.

// Fills the right half with the case of `row` in column `at`.
async function showDetail(page, row, at) {
  const { model } = page;
  const cell = row.cells[at];
  const packed = cell.detail < 0 ? null : document.getElementById(`d${cell.detail}`);
  const detail = packed ? await unpackJson(packed.textContent) : { record: {}, evidence: null };
  const isStill = () => page.choice.case === row.name && page.shownColumn === at;
  if (!isStill()) return;
  const reason = model.reasons[cell.reason];
  const images = [];
  for (const image of detail.evidence?.images ?? []) {
    images.push(await makeViewer(image, page.choice.pixel, (pixel) => {
      page.choice.pixel = pixel;
      writeAddress(page, false);
    }));
  }
  const buffers = [];
  for (const buffer of detail.evidence?.buffers ?? []) buffers.push(await bufferPart(buffer));
  if (!isStill()) return;
  const host = document.getElementById("detail");
  const { record, evidence } = detail;
  host.replaceChildren(...[...headParts(page, row, at), warningPart(record.known), ...failureParts(record, reason),
    repeatPart(record.repeat), ...images, ...buffers, ...mapParts(model.maps[cell.map], evidence),
    ...stageParts(evidence), sourcePart(evidence, record), ...printedParts(record, detail.note)].filter(Boolean));
  host.scrollTop = 0;
}

// Name, status, adapter and time; with several columns all of them, as a choice.
function headParts(page, row, at) {
  const { model } = page;
  const back = element("button", { class: "back", onclick: () => {
    document.getElementById("list").focus();
    document.getElementById("cases").scrollIntoView();
  } }, "↑ cases");
  const title = element("h2", {}, row.name);
  if (model.columns.length > 1) return [back, title, columnTable(page, row, at)];
  const column = model.columns[at], cell = row.cells[at];
  return [back, title, element("p", { class: "hint" }, statusWord(model, cell), ` · ${column.title} · `,
    `${cell.seconds.toFixed(3)} s`)];
}

function statusWord(model, cell) {
  const status = statusOf(model, cell);
  return element("b", { class: tone(status) }, status);
}

// The columns of a case as a table of results.
function columnTable(page, row, at) {
  const { model } = page;
  const lines = model.columns.map((column, number) => {
    const cell = row.cells[number];
    if (!cell) return element("tr", {}, element("th", {}, column.name), element("td", { class: "dim", colspan: 3 }, "not run"));
    return element("tr", { class: number === at ? "chosen" : "" },
      element("th", {}, element("button", { "aria-pressed": String(number === at), title: column.title,
        onclick: () => choose(page, row, number) }, column.name)),
      element("td", {}, statusWord(model, cell)), element("td", {}, `${cell.seconds.toFixed(3)} s`),
      element("td", { class: "why" }, firstLine(model.reasons[cell.reason])));
  });
  return element("table", { class: "columns" }, ...lines);
}

function warningPart(text) {
  return text ? element("p", { class: "warn" }, text) : null;
}

// Every failed expectation; or the reason why there is none to show.
function failureParts(record, reason) {
  if (!record.failures?.length) {
    const text = record.diagnostics || reason;
    return text ? [element("pre", { class: "reason" }, text)] : [];
  }
  return record.failures.map((failure) => {
    const place = failure.line ? `line ${failure.line}: ` : "";
    const lines = failure.details.map((line) => {
      const word = line.trimStart().split(" ")[0];
      return element("span", { class: { expected: "good", actual: "bad" }[word] ?? "" }, line + "\n");
    });
    return element("div", { class: "failure" }, element("code", {}, place, element("b", {}, failure.step)),
      element("pre", {}, ...lines));
  });
}

function repeatPart(command) {
  if (!command) return null;
  const button = element("button", { onclick: async () => {
    await navigator.clipboard.writeText(command);
    button.textContent = "copied";
  } }, "copy");
  return element("div", { class: "repeat" }, element("pre", { class: "command" }, command), button);
}

// A buffer as words, in their three interpretations.
async function bufferPart(buffer) {
  const bytes = await unpack(buffer.actual);
  const view = new DataView(bytes.buffer);
  const oracle = await oracleOf(buffer.oracle, (bytes) => ({ bytes, view: new DataView(bytes.buffer) }));
  const names = ["byte", "bits", "uint", "int", "float", ...oracle.flatMap(({ name }) => [name, "float"])];
  const head = names.map((name) => element("th", {}, name));
  const rows = [];
  for (let at = 0; at + 4 <= bytes.length && rows.length < 256; at += 4) {
    const bits = view.getUint32(at, true);
    const others = oracle.map((other) => (at + 4 <= other.bytes.length ? other.view.getUint32(at, true) : null));
    const cells = [at, wordText(bits), bits, bits | 0, numberText(floatOf(bits, 32), "float"),
      ...others.flatMap((other) => (other === null ? ["", ""] : [wordText(other), numberText(floatOf(other, 32), "float")]))];
    const isDifferent = others.some((other) => other !== bits);
    rows.push(element("tr", {}, ...cells.map((cell) => element("td", { class: isDifferent ? "differs" : "" }, String(cell)))));
  }
  return foldable(`buffer of ${bytes.length} bytes, line ${buffer.line}`, oracle.length > 0, oracleText(oracle, bytes) ?? "",
    element("table", {}, element("tr", {}, ...head), ...rows));
}

function wordText(bits) {
  return "0x" + bits.toString(16).padStart(8, "0");
}

function foldable(title, isOpen, ...content) {
  return element("details", { open: isOpen }, element("summary", {}, title), ...content);
}

// The link map as boxes, and as text if it contains more.
function mapParts(slots, evidence) {
  const drawing = slotsPart(slots, evidence?.source);
  const text = evidence?.map || slots;
  if (!text) return [];
  if (!drawing) return [foldable("link map", true, element("pre", {}, text))];
  return [foldable("link map", true, drawing), evidence?.map ? foldable("link map as text", false, element("pre", {}, text)) : null];
}

function stageParts(evidence) {
  if (!evidence?.stages.length) return [];
  const stage = ({ name, wgsl }) => element("div", {}, element("h4", {}, name), wgslPart(wgsl));
  return [foldable("lowered stages", true, element("div", { class: "stages" }, ...evidence.stages.map(stage)))];
}

// The case file, with the failed or invalid lines marked.
function sourcePart(evidence, record) {
  if (!evidence?.source) return null;
  const failures = [...(record.failures ?? []), ...evidence.failures];
  const places = failures.flatMap((failure) => failure.details).concat(record.diagnostics ?? "").join("\n");
  const marked = new Set(failures.map((failure) => failure.line));
  for (const [, line] of places.matchAll(/\.shader_test(?:#[^\s:]*)?:(\d+)/g)) marked.add(Number(line));
  return foldable("case file", true, codePart(linesOfCase(evidence.source.trimEnd()), marked));
}

// Printed output, earlier attempts, warnings and notes.
function printedParts(record, note) {
  const text = (title, content, isOpen) => (content ? foldable(title, isOpen, element("pre", {}, content)) : null);
  const reason = record.failures?.length ? null : record.reason;
  const attempts = (record.attempts ?? []).map((attempt) => {
    const isSame = attempt.reason === (record.reason ?? reason) && attempt.kind === record.kind && !attempt.stderr;
    const lines = [attempt.reason, attempt.stderr].filter(Boolean).join("\n");
    return isSame ? null : text(`earlier attempt: ${attempt.kind}`, lines, true);
  });
  return [note ? element("p", { class: "warn" }, note) : null, text("printed by the driver", record.stderr, true),
    ...attempts, text("warnings", (record.warnings ?? []).join("\n"), false),
    text("notes", (record.notes ?? []).join("\n"), false)];
}
