// One case as a page of its own, which can be sent as one file.

// A button that saves the case of `row` in all columns.
function saveButton(page, row) {
  return element("button", { class: "save", title: "a page with this case alone: text, images, buffers, link map, command and driver",
    onclick: async () => {
      const url = URL.createObjectURL(new Blob([await pageOf(page, row)], { type: "text/html" }));
      element("a", { href: url, download: `${row.name.replace(/[^\w.#=;-]+/g, "-")}.html` }).click();
      setTimeout(() => URL.revokeObjectURL(url), 60_000);
    } }, "save this case");
}

// The text of the page: this page as it came, with the index and the details of one case.
async function pageOf(page, row) {
  const copy = page.pristine.cloneNode(true);
  const details = [];
  const index = indexOf(page.model, row, details);
  copy.querySelector("#index").textContent = await pack(new TextEncoder().encode(JSON.stringify(index)));
  const texts = { [fileOf(row.name)]: await fileTextOf(row.name) };
  copy.querySelector("#texts").textContent = await pack(new TextEncoder().encode(JSON.stringify(texts)));
  copy.querySelector("title").textContent = `${row.name} · interstage`;
  const body = copy.querySelector("body");
  for (const [at, text] of details.entries()) {
    body.append(element("script", { type: "application/octet-stream", id: `d${at}` }, text), "\n");
  }
  return `<!doctype html>\n${copy.outerHTML}\n`;
}

// The index with one case. Adds the texts of its details to `details`.
function indexOf(model, row, details) {
  const columns = model.columns.map((column, at) => {
    const cell = row.cells[at];
    const { run, selector, title } = column;
    const tally = column.tally.map((_, number) => (cell && model.classes[number] === model.statuses[cell.status].class ? 1 : 0));
    const made = { run, selector, title, tally, case: [], status: [], reason: [], map: [], seconds: [], cpu: [], detail: [] };
    if (!cell) return made;
    const packed = cell.detail < 0 ? null : document.getElementById(`d${cell.detail}`);
    made.case.push(0);
    for (const name of ["status", "reason", "map", "seconds", "cpu"]) made[name].push(cell[name]);
    made.detail.push(packed ? details.push(packed.textContent) - 1 : -1);
    return made;
  });
  const used = (table, name) => {
    const numbers = [...new Set([0, ...columns.flatMap((column) => column[name])])];
    for (const column of columns) column[name] = column[name].map((number) => numbers.indexOf(number));
    return numbers.map((number) => table[number]);
  };
  const { runs, classes, statuses } = model;
  return { runs, classes, statuses, reasons: used(model.reasons, "reason"), maps: used(model.maps, "map"), names: [row.name], columns };
}
