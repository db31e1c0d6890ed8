// The link map as boxes, for each interface of the program: the outputs of a stage, the slots with a colour for each varying,
// and the inputs of the next stage.

// The slots of lines such as `0.xyzw <- a.xy b.xy`: `{ number, cells: [name or null of x, y, z, w] }`.
function slotsOf(map) {
  const slots = new Map();
  for (const line of map.split("\n")) {
    const match = /^(\d+)\.([xyzw]+) <- (.*)$/.exec(line.trim());
    if (!match) continue;
    const [, number, components, sources] = match;
    const slot = slots.get(number) ?? { number, cells: [null, null, null, null] };
    const names = sources.split(/\s+/).flatMap(componentsOf);
    const scalar = names.length === 1 && components.length > 1 ? components.length : 0;
    [...components].forEach((component, at) => {
      slot.cells["xyzw".indexOf(component)] = scalar ? names[0] : names[at] ?? names.at(-1) ?? null;
    });
    slots.set(number, slot);
  }
  return [...slots.values()];
}

// `a.xy` is two components of `a`, `id` is one.
function componentsOf(source) {
  const match = /^(.+)\.([xyzwrgba]{1,4})$/.exec(source);
  if (!match) return [{ name: source, component: "" }];
  return [...match[2]].map((component) => ({ name: match[1], component }));
}

// The variable that a component belongs to, without member and element.
function rootOf(name) {
  return name.split(/[.[]/)[0];
}

// Declarations of a stage in the text of a case: names of its outputs or inputs with their line.
function declarationsOf(source, stage, keyword) {
  const found = [];
  let isInside = false;
  for (const line of (source ?? "").split("\n")) {
    const section = /^\s*\[(.*)\]\s*$/.exec(line);
    if (section) isInside = section[1].startsWith(`${stage} shader`);
    else if (isInside && new RegExp(`^\\s*(?:[\\w()=, ]+\\s)?(?:${keyword}|varying)\\s.*;`).test(line)) {
      const name = /(\w+)\s*(?:\[[^\]]*\]\s*)*;/.exec(line)?.[1];
      if (name) found.push({ name, text: line.trim() });
    }
  }
  return found;
}

// The interfaces of a link map as text: `{ producer, consumer, rest, rows }`, where `rows` are the lines of its table as
// slots.
function interfacesOf(map) {
  const found = [];
  let current = { producer: "vertex", consumer: "fragment", rest: "", slots: [] };
  for (const line of map.split("\n")) {
    const title = /^(\w+) to (\w+)(, patches)?:$/.exec(line);
    if (title) {
      current = { producer: title[1], consumer: title[2], rest: title[3] ?? "", slots: [] };
      found.push(current);
      continue;
    }
    const cells = line.split(/\s{2,}/);
    if (cells.length !== 7 || !/^\d+$/.test(cells[0])) continue;
    if (!found.length) found.push(current);
    current.slots.push({ number: cells[0], cells: cells.slice(3).map((name) => (name === "–" ? null : componentsOf(name)[0])) });
  }
  return found.filter(({ slots }) => slots.length);
}

// The interfaces in the lines of a case without evidence. If there are several, each line begins with its stages:
// `vertex to geometry: 0.xyzw <- a.xy b.xy`.
function interfacesOfLines(lines) {
  const found = new Map();
  for (const line of lines.split("\n")) {
    const [, producer = "vertex", consumer = "fragment", rest = "", slot] =
      /^(?:(\w+) to (\w+)(, patches)?: )?(.*)$/.exec(line);
    const title = `${producer} ${consumer}${rest}`;
    if (!found.has(title)) found.set(title, { producer, consumer, rest, lines: [] });
    found.get(title).lines.push(slot);
  }
  return [...found.values()].map(({ lines: own, ...stages }) => ({ ...stages, slots: slotsOf(own.join("\n")) }));
}

// True if a link map as text has more than the head of its table.
function hasRows(text) {
  return (text ?? "").split("\n").some((line) => line.trim() && !/^slot\s+class\s/.test(line));
}

// The drawing of all interfaces; nothing if the map has no slots.
function interfacesPart(map, source, evidence) {
  const all = interfacesOf(evidence?.map ?? "");
  const drawn = (all.length ? all : interfacesOfLines(map ?? "")).filter(({ slots }) => slots.length);
  if (!drawn.length) return null;
  const parts = drawn.map((it) => {
    const title = drawn.length > 1 ? element("h4", {}, `${it.producer} to ${it.consumer}${it.rest}`) : "";
    return element("div", { class: "interface" }, title, slotsPart(it, source));
  });
  return element("div", {}, ...parts);
}

// The words of sections for the stages of a link map.
const SECTIONS = { control: "tessellation control", evaluation: "tessellation evaluation" };

function slotsPart({ producer, consumer, slots }, source) {
  const names = [...new Set(slots.flatMap((slot) => slot.cells.filter(Boolean).map((cell) => rootOf(cell.name))))];
  const hue = (name) => `--hue:${Math.round((names.indexOf(rootOf(name)) * 137.5 + 210) % 360)}`;
  const boxes = slots.map((slot) => element("div", { class: "slot" }, element("span", { class: "number" }, slot.number),
    ...slot.cells.map((cell, at) => slotBox(cell, at, cell && hue(cell.name)))));
  const heads = element("div", { class: "slot head" }, element("span", { class: "number" }),
    ...["x", "y", "z", "w"].map((name) => element("span", {}, name)));
  const side = (stage, verb, keyword) => {
    const declared = declarationsOf(source, SECTIONS[stage] ?? stage, keyword);
    const known = declared.filter(({ name }) => names.includes(name));
    if (!known.length) return null;
    return element("div", { class: "declarations" }, element("h4", {}, `${stage} stage ${verb}`),
      ...known.map(({ name, text }) => element("code", { style: hue(name) }, ...colouredLine(text, "shader"))));
  };
  return element("div", { class: "slots" }, ...[side(producer, "writes", "out"),
    element("div", { class: "table" }, heads, ...boxes), side(consumer, "reads", "in")].filter(Boolean));
}

function slotBox(cell, at, style) {
  if (!cell) return element("span", { class: "box empty" }, "–");
  const text = cell.component ? `${cell.name}.${cell.component}` : cell.name;
  return element("span", { class: "box", style, title: `${"xyzw"[at]} carries ${text}` }, text);
}
