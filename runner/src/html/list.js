// The left half: the cases that are wanted, in groups, of which only the rows that can be seen are elements.

const ROW_HEIGHT = 24, ROWS_AROUND = 12;

// Makes `page.lines` anew: what is wanted, in groups with what went wrong first.
function arrange(page) {
  const { cases, statuses } = page.data;
  const isWanted = matcher(page.query);
  const groups = new Map();
  page.counts = new Array(statuses.length).fill(0);
  for (let index = 0; index < cases.name.length; index++) {
    if (page.adapter !== "" && cases.adapter[index] !== Number(page.adapter)) continue;
    if (!isWanted(page.texts[index])) continue;
    page.counts[cases.status[index]]++;
    if (page.hidden.has(cases.status[index])) continue;
    const key = groupOf(page, index);
    const group = groups.get(key) ?? { key, members: [], failures: 0 };
    group.members.push(index);
    group.failures += statuses[cases.status[index]].isFailure ? 1 : 0;
    groups.set(key, group);
  }
  const order = (left, right) => (right.failures > 0) - (left.failures > 0) || (left.key < right.key ? -1 : 1);
  page.lines = [];
  for (const group of [...groups.values()].sort(order)) {
    if (page.group) page.lines.push({ group });
    if (!isOpen(page, group)) continue;
    const isFailure = (index) => statuses[cases.status[index]].isFailure;
    const ordered = [...group.members.filter(isFailure), ...group.members.filter((index) => !isFailure(index))];
    for (const index of ordered) page.lines.push({ index });
  }
}

function isOpen(page, group) {
  const isOpenAtFirst = group.failures > 0 || page.query !== "" || !page.group;
  return page.toggled.has(group.key) ? !isOpenAtFirst : isOpenAtFirst;
}

// A test for the search text: every word must occur, or `/…/` must match.
function matcher(query) {
  const pattern = /^\/(.+)\/$/.exec(query);
  if (pattern) {
    try {
      const wanted = new RegExp(pattern[1], "i");
      return (text) => wanted.test(text);
    } catch {
      return () => false;
    }
  }
  const words = query.toLowerCase().split(" ").filter(Boolean);
  return (text) => words.every((word) => text.includes(word));
}

function groupOf(page, index) {
  const { cases, adapters, statuses, reasons } = page.data;
  if (page.group === "adapter") return adapters[cases.adapter[index]].title;
  if (page.group === "status") return statuses[cases.status[index]].name;
  if (page.group === "reason") return (reasons[cases.reason[index]] ?? "").split("\n")[0] || "no reason";
  if (page.group === "folder") return cases.name[index].split("#")[0].split("/").slice(0, -1).join("/") || ".";
  return "";
}

// Draws the rows that can be seen.
function drawRows(page) {
  const list = document.getElementById("list"), rows = document.getElementById("rows");
  rows.style.height = `${page.lines.length * ROW_HEIGHT}px`;
  const first = Math.max(0, Math.floor(list.scrollTop / ROW_HEIGHT) - ROWS_AROUND);
  const last = Math.ceil((list.scrollTop + list.clientHeight) / ROW_HEIGHT) + ROWS_AROUND;
  const made = page.lines.slice(first, last).map((line, at) => {
    const drawn = line.group ? groupRow(page, line.group) : caseRow(page, line.index);
    drawn.style.top = `${(first + at) * ROW_HEIGHT}px`;
    return drawn;
  });
  rows.replaceChildren(...made);
}

function groupRow(page, group) {
  const counts = group.failures ? element("span", { class: "bad" }, `${group.failures} of `) : "";
  const toggle = () => {
    if (!page.toggled.delete(group.key)) page.toggled.add(group.key);
    refresh(page);
  };
  return element("div", { class: "row group", onclick: toggle },
    element("span", {}, isOpen(page, group) ? "▾" : "▸"), element("span", { class: "name" }, group.key),
    element("span", { class: "counts" }, counts, String(group.members.length)));
}

function caseRow(page, index) {
  const { cases, statuses, adapters, reasons } = page.data;
  const status = statuses[cases.status[index]].name;
  const path = cases.name[index];
  const short = path.replace(".shader_test", "");
  const name = page.group === "folder" ? short.slice(short.split("#")[0].lastIndexOf("/") + 1) : short;
  const why = (reasons[cases.reason[index]] ?? "").split("\n")[0];
  const [file, ...parameters] = name.split("#");
  const where = adapters.length > 1 && page.group !== "adapter" ? adapters[cases.adapter[index]].selector : "";
  return element("div", { class: `row case${page.selected === index ? " selected" : ""}`, title: `${path}\n${why}`,
    onclick: () => choose(page, index) },
    element("span", { class: `word ${tone(status)}` }, status), where && element("span", { class: "where" }, where),
    element("span", { class: "name" }, element("span", { class: "file" }, file),
      parameters.length ? element("span", { class: "parameters" }, `#${parameters.join("#")}`) : null),
    element("span", { class: "why" }, why),
    element("span", { class: "time" }, `${cases.seconds[index].toFixed(2)} s`));
}

// Brings the chosen case into view.
function reveal(page) {
  const list = document.getElementById("list");
  const at = page.lines.findIndex((line) => line.index === page.selected) * ROW_HEIGHT;
  if (at < 0) return;
  if (at < list.scrollTop) list.scrollTop = at;
  if (at + ROW_HEIGHT > list.scrollTop + list.clientHeight) list.scrollTop = at + ROW_HEIGHT - list.clientHeight;
}
