// The link map as boxes: the vertex stage's outputs, the slots with a colour for each varying, and the fragment stage's
// inputs.

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

// The drawing; nothing if the map has no slots.
function slotsPart(map, source) {
  const slots = slotsOf(map ?? "");
  if (!slots.length) return null;
  const names = [...new Set(slots.flatMap((slot) => slot.cells.filter(Boolean).map((cell) => rootOf(cell.name))))];
  const hue = (name) => `--hue:${Math.round((names.indexOf(rootOf(name)) * 137.5 + 210) % 360)}`;
  const boxes = slots.map((slot) => element("div", { class: "slot" }, element("span", { class: "number" }, slot.number),
    ...slot.cells.map((cell, at) => slotBox(cell, at, cell && hue(cell.name)))));
  const heads = element("div", { class: "slot head" }, element("span", { class: "number" }),
    ...["x", "y", "z", "w"].map((name) => element("span", {}, name)));
  const side = (title, declarations) => {
    const known = declarations.filter(({ name }) => names.includes(name));
    if (!known.length) return null;
    return element("div", { class: "declarations" }, element("h4", {}, title),
      ...known.map(({ name, text }) => element("code", { style: hue(name) }, ...colouredLine(text, "shader"))));
  };
  return element("div", { class: "slots" }, side("vertex stage writes", declarationsOf(source, "vertex", "out")),
    element("div", { class: "table" }, heads, ...boxes),
    side("fragment stage reads", declarationsOf(source, "fragment", "in")));
}

function slotBox(cell, at, style) {
  if (!cell) return element("span", { class: "box empty" }, "–");
  const text = cell.component ? `${cell.name}.${cell.component}` : cell.name;
  return element("span", { class: "box", style, title: `${"xyzw"[at]} carries ${text}` }, text);
}
