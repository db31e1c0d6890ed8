// The failed expectations of a case, and the buffers that were read.

// Expected and actual values are compared in a table from this number of values on.
const LONG = 5;

// Words with a smaller absolute value as a float are not shown as floats.
const LEAST_FLOAT = 1e-30;

// Number of words of a buffer that are shown.
const MOST_WORDS = 256;

// Every failed expectation; or the reason why there is none to show.
function failureParts(record, reason) {
  if (!record.failures?.length) {
    const text = record.diagnostics || reason;
    return text ? [element("pre", { class: "reason" }, text)] : [];
  }
  return record.failures.map((failure) => {
    const place = failure.line ? `line ${failure.line}: ` : "";
    const table = differenceTable(failure.details);
    const lines = failure.details.map((line) => {
      const word = wordOf(line);
      if (table && (word === "expected" || word === "actual")) return null;
      return element("span", { class: { expected: "good", actual: "bad" }[word] ?? "" }, line + "\n");
    });
    return element("div", { class: "failure" }, element("code", {}, place, element("b", {}, failure.step)),
      element("pre", {}, ...lines.filter(Boolean)), table);
  });
}

function wordOf(line) {
  return line.trimStart().split(" ")[0];
}

// A table of the values that differ, for many values.
function differenceTable(details) {
  const [expected, actual] = ["expected", "actual"].map((word) => {
    const lines = details.filter((line) => wordOf(line) === word);
    return lines.length === 1 ? valuesIn(lines[0].trimStart().slice(word.length)) : [];
  });
  if (expected.length < LONG || expected.length !== actual.length) return null;
  const rows = expected.map((value, at) => [at, value, actual[at]]).filter(([, left, right]) => left !== right);
  if (!rows.length) return null;
  const head = element("tr", {}, ...["place", "expected", "actual"].map((name) => element("th", {}, name)));
  const lines = rows.map(([at, left, right]) => element("tr", {}, element("th", {}, at === rows[0][0] ? "first" : `first + ${at - rows[0][0]}`),
    element("td", { class: "good" }, left), element("td", { class: "bad" }, right)));
  return element("table", { class: "values" }, head, ...lines);
}

// The values of a line, with the bits that follow some of them in parentheses; without the operator of a comparison.
function valuesIn(text) {
  const values = text.trim().match(/\S+(?: \(0[xb][0-9a-f]+\))?/g) ?? [];
  return /^[=!<>~]+$/.test(values[0] ?? "") ? values.slice(1) : values;
}

// A buffer as words, in their three interpretations; beside it what the executor and other runs gave.
async function bufferPart(buffer, runs, isFailed) {
  const bytes = await unpack(buffer.actual);
  const view = new DataView(bytes.buffer);
  const read = (bytes) => ({ bytes, view: new DataView(bytes.buffer) });
  const oracle = await oracleOf(buffer.oracle, read);
  const others = [...oracle, ...await buffersOf(runs, buffer, read)];
  const own = oracle.length ? "on the adapter" : others.length ? "this run" : "";
  const heads = element("tr", {}, element("th", {}, ""), element("th", { colspan: 4 }, own),
    ...others.map(({ name }) => element("th", { colspan: 2 }, name)));
  const names = ["byte", "bits", "uint", "int", "float", ...others.flatMap(() => ["bits", "float"])];
  const rows = [];
  for (let at = 0; at + 4 <= bytes.length && rows.length < MOST_WORDS; at += 4) {
    const bits = view.getUint32(at, true);
    const words = others.map((other) => (at + 4 <= other.bytes.length ? other.view.getUint32(at, true) : null));
    const cells = [at, wordText(bits), bits, bits | 0, floatText(bits),
      ...words.flatMap((word) => (word === null ? ["", ""] : [wordText(word), floatText(word)]))];
    const isDifferent = words.some((word) => word !== bits);
    rows.push(element("tr", {}, ...cells.map((cell) => element("td", { class: isDifferent ? "differs" : "" }, String(cell)))));
  }
  const more = bytes.length / 4 > rows.length ? element("p", { class: "hint" }, `the first ${rows.length} words`) : null;
  const title = `${buffer.name || "buffer"}, ${bytes.length} bytes, read in line ${buffer.line}${isFailed ? ": not as expected" : ""}`;
  return foldable(title, isFailed || others.length > 0, oracleText(oracle, bytes) ?? "",
    element("div", { class: "wide words", tabindex: 0 }, element("table", {}, own ? heads : null, element("tr", {}, ...names.map((name) => element("th", {}, name))), ...rows)),
    more ?? "");
}

// The same buffer in other runs.
async function buffersOf(runs, buffer, read) {
  const found = [];
  for (const { name, evidence } of runs) {
    const other = evidence?.buffers.find((it) => it.line === buffer.line && it.name === buffer.name);
    if (other) found.push({ name, ...read(await unpack(other.actual)) });
  }
  return found;
}

// A word as a float; nothing for words that are hardly floats, such as small integers.
function floatText(bits) {
  const value = floatOf(bits, 32);
  return value !== 0 && Math.abs(value) < LEAST_FLOAT ? "" : numberText(value, "float");
}

function wordText(bits) {
  return "0x" + bits.toString(16).padStart(8, "0");
}
