// The right half: everything about one case.

// Fills the right half. `page` is the whole state, `index` the case.
async function showDetail(page, index, pixel) {
  const host = document.getElementById("detail");
  const { cases } = page.data;
  const status = page.data.statuses[cases.status[index]].name;
  const adapter = page.data.adapters[cases.adapter[index]];
  const packed = cases.detail[index] < 0 ? null : document.getElementById(`d${cases.detail[index]}`);
  const detail = packed ? await unpackJson(packed.textContent) : null;
  if (page.selected !== index) return;
  const parts = [
    element("h2", {}, cases.name[index]),
    element("p", { class: "hint" }, element("b", { class: tone(status) }, status), ` · ${adapter.title} · `,
      `${cases.seconds[index].toFixed(3)} s`),
  ];
  const reason = page.data.reasons[cases.reason[index]];
  if (!detail) {
    if (reason) parts.push(element("pre", {}, reason));
    host.replaceChildren(...parts);
    return;
  }
  const { record, evidence } = detail;
  if (record.known) parts.push(element("p", { class: "warn" }, record.known));
  parts.push(...failureParts(record, reason));
  if (record.repeat) parts.push(heading("repeat"), repeatPart(record.repeat));
  host.replaceChildren(...parts);
  for (const image of evidence?.images ?? []) host.append(await makeViewer(image, pixel));
  if (page.selected !== index) return;
  for (const buffer of evidence?.buffers ?? []) host.append(...(await bufferParts(buffer)));
  host.append(...lastParts(record, evidence, detail.note));
}

function heading(text) {
  return element("h3", {}, text);
}

// Every expectation that did not hold; or why there is none to show.
function failureParts(record, reason) {
  if (!record.failures?.length) return [element("pre", {}, record.diagnostics || reason || "")];
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
  const button = element("button", { onclick: async () => {
    await navigator.clipboard.writeText(command);
    button.textContent = "copied";
  } }, "copy");
  return element("div", { class: "repeat" }, element("pre", { class: "command" }, command), button);
}

// A buffer as words, in the three ways they can be read.
async function bufferParts(buffer) {
  const bytes = await unpack(buffer.actual);
  const view = new DataView(bytes.buffer);
  const head = ["byte", "bits", "uint", "int", "float"].map((name) => element("th", {}, name));
  const rows = [];
  for (let at = 0; at + 4 <= bytes.length && rows.length < 256; at += 4) {
    const bits = view.getUint32(at, true);
    const cells = [at, "0x" + bits.toString(16).padStart(8, "0"), bits, bits | 0, numberText(floatOf(bits, 32), "float")];
    rows.push(element("tr", {}, ...cells.map((cell) => element("td", {}, String(cell)))));
  }
  return [element("details", {}, element("summary", {}, `buffer of ${bytes.length} bytes, line ${buffer.line}`),
    element("table", {}, element("tr", {}, ...head), ...rows))];
}

// Link map, stages, the file, and what was printed.
function lastParts(record, evidence, note) {
  const parts = [];
  const text = (title, content, isOpen) => {
    if (!content) return;
    parts.push(element("details", { open: isOpen }, element("summary", {}, title), element("pre", {}, content)));
  };
  if (note) parts.push(element("p", { class: "warn" }, note));
  text("link map", evidence?.map || (record.slots ?? []).join("\n"), true);
  if (evidence?.stages.length) {
    const stage = ({ name, wgsl }) => element("div", {}, element("h4", {}, name), element("pre", {}, wgsl));
    parts.push(element("details", { open: true }, element("summary", {}, "lowered stages"),
      element("div", { class: "stages" }, ...evidence.stages.map(stage))));
  }
  text("printed by the driver", record.stderr, true);
  for (const attempt of record.attempts ?? []) {
    text(`earlier attempt: ${attempt.kind}`, [attempt.reason, attempt.stderr].filter(Boolean).join("\n"), true);
  }
  text("warnings", (record.warnings ?? []).join("\n"), false);
  text("notes", (record.notes ?? []).join("\n"), false);
  if (evidence?.source) parts.push(sourcePart(evidence.source, record.failures ?? []));
  return parts;
}

// The case file, with the lines marked that did not hold.
function sourcePart(source, failures) {
  const marked = new Set(failures.map((failure) => failure.line));
  const lines = source.split("\n").map((line, index) => element("span", { class: marked.has(index + 1) ? "at" : "" },
    element("span", { class: "number" }, String(index + 1).padStart(4) + "  "), line + "\n"));
  return element("details", {}, element("summary", {}, "case file"), element("pre", {}, ...lines));
}
