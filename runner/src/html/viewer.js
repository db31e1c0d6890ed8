// Expected, actual and difference of one render target or depth buffer: as swatches if both are uniform, else as images
// with a choice of channels, range, exposure and zoom, a slider between two of them, and a pixel to inspect.

// The viewer's element, with the images of other `runs` beside those of this one. Shows `pixel` from the start, if given, and
// reports the shown pixel to `onPixel`.
async function makeViewer(image, runs, pixel, onPixel) {
  const state = await viewerState(image, runs, onPixel);
  const what = image.name ?? `render target ${image.target}`;
  const lines = image.lines.length ? `, looked at in line ${image.lines.join(", ")}` : "";
  const title = element("span", {}, `${what}: ${image.width} by ${image.height} ${image.format}${lines}`);
  const section = element("section", { class: "viewer" });
  if (!state.layout) {
    section.append(title, element("p", { class: "hint" }, `no reading of ${image.format}`));
    return section;
  }
  const start = pixel ?? (state.worst === null ? [0, 0] : [state.worst % image.width, Math.floor(state.worst / image.width)]);
  section.append(element("div", { class: "tools" }, title, countText(state)));
  if (state.missing.length) section.append(element("p", { class: "hint" }, missingText(state)));
  const all = [state.actual, state.expected, ...state.others.map(({ bytes }) => bytes)].filter(Boolean);
  const isPlain = !state.oracle.length && all.every((bytes) => isUniform(state, bytes));
  const images = () => { section.append(...imageParts(state, start)); };
  if (!isPlain) {
    images();
    return section;
  }
  section.append(swatches(state));
  const more = element("details", {}, element("summary", {}, "images and pixels"));
  more.addEventListener("toggle", () => {
    if (more.open && more.children.length === 1) more.append(...imageParts(state, start));
  });
  section.append(more);
  if (pixel) more.open = true;
  return section;
}

async function viewerState(image, runs, onPixel) {
  const layout = layoutOf(image.format);
  const actual = await unpack(image.actual);
  const of = async (packed) => (packed ? unpack(packed) : null);
  const [expected, unaccepted, probed] = await Promise.all([image.expected, image.unaccepted, image.probed].map(of));
  const state = { image, layout, actual, expected, unaccepted, probed, tolerance: image.tolerance, pixel: null, surfaces: [],
    onPixel, worst: null, others: [], missing: [] };
  if (!layout) return state;
  await addRuns(state, runs);
  state.actualValues = valuesOf(image, layout, actual);
  state.expectedValues = expected ? valuesOf(image, layout, expected) : null;
  state.oracle = await oracleOf(image.oracle, (bytes) => ({ bytes, values: valuesOf(image, layout, bytes) }));
  state.worst = expected ? firstDifference(state) : null;
  const isAlphaOnly = expected && onlyAlphaDiffers(state);
  state.view = { channels: isAlphaOnly ? "a" : "rgb", range: firstRange(state), exposure: 0, scale: fittingScale(image) };
  return state;
}

// Adds the same image of other runs. A run that kept none is named.
async function addRuns(state, runs) {
  const { image, layout } = state;
  for (const { name, evidence } of runs) {
    const isSame = (it) => it.target === image.target && it.name === image.name && it.format === image.format
      && it.width === image.width && it.height === image.height;
    const alike = (evidence?.images ?? []).filter(isSame);
    const found = alike.find((it) => String(it.lines) === String(image.lines)) ?? alike[0];
    if (!found) state.missing.push(name);
    else {
      const bytes = await unpack(found.actual);
      state.others.push({ name: `actual of ${name}`, bytes, values: valuesOf(found, layout, bytes) });
    }
  }
}

function missingText({ missing, others }) {
  const kept = others.length ? "" : "; a run with --keep-all keeps those of cases that pass";
  return `${missing.join(", ")} kept no such image${kept}`;
}

// The executor's results, by name: of the stages before linking, and of the linked program.
async function oracleOf(oracle, read) {
  const found = [];
  for (const [name, packed] of [["unlinked", oracle?.unlinked], ["linked", oracle?.linked]]) {
    if (packed) found.push({ name, ...read(await unpack(packed)) });
  }
  return found;
}

// A line that says which of the executor's results equal those of the adapter.
function oracleText(oracle, actual) {
  if (!oracle.length) return null;
  const isSame = (left, right) => left.length === right.length && left.every((byte, at) => byte === right[at]);
  const words = oracle.map(({ name, bytes }) => `${name} ${isSame(bytes, actual) ? "gives the same" : "differs"}`);
  if (oracle.length === 1) words.unshift("unlinked did not run");
  else if (!isSame(oracle[0].bytes, oracle[1].bytes)) words.push("unlinked and linked differ: the linker");
  return element("p", { class: "hint" }, `On the executor: ${words.join(", ")}.`);
}

function firstDifference(state) {
  for (let index = 0; index < state.image.width * state.image.height; index++) if (differs(state, index)) return index;
  return null;
}

// True if colours alone would show no difference.
function onlyAlphaDiffers(state) {
  const alpha = state.layout.channels.findIndex((channel) => channel.name === "a");
  if (alpha < 0 || state.worst === null) return false;
  for (let index = 0; index < state.image.width * state.image.height; index++) {
    for (let at = 0; at < state.layout.channels.length; at++) {
      if (at !== alpha && isChannelWrong(state, index, at)) return false;
    }
  }
  return true;
}

function countText(state) {
  if (!state.expected) return null;
  const all = state.image.width * state.image.height;
  let count = 0;
  for (let index = 0; index < all; index++) count += differs(state, index) ? 1 : 0;
  const tolerance = state.tolerance ? `, tolerance ${state.tolerance}` : "";
  return element("span", { class: count ? "bad" : "dim" }, `${count} of ${all} pixels differ${tolerance}`);
}

function swatches(state) {
  const figures = element("div", { class: "images" });
  if (state.expected) figures.append(swatch(state, "expected", state.expectedValues, colourer(state, state.expectedValues)));
  figures.append(swatch(state, "actual", state.actualValues, colourer(state, state.actualValues)));
  for (const { name, values } of state.others) figures.append(swatch(state, name, values, colourer(state, values)));
  return figures;
}

function fittingScale(image) {
  const side = Math.max(image.width, image.height);
  return Math.max(1, Math.min(32, Math.floor(180 / side)));
}

// Tools, images and the table of one pixel.
function imageParts(state, start) {
  const table = element("div", { class: "inspector mono" });
  const figures = element("div", { class: "images" });
  const tools = element("div", { class: "tools" });
  const paint = () => {
    figures.replaceChildren(...planes(state, (at, isPassing) => select(state, at, table, isPassing)));
    if (state.pixel) select(state, state.pixel, table, true);
  };
  tools.append(...viewTools(state, paint));
  paint();
  select(state, start, table, true);
  return [oracleText(state.oracle, state.actual), tools, figures, table].filter(Boolean);
}

// Channels, range, exposure and zoom.
function viewTools(state, paint) {
  const { view, layout } = state;
  const names = layout.channels.map((channel) => channel.name).join("");
  const choices = CHANNEL_CHOICES.filter((choice) => [...choice].every((name) => names.includes(name)));
  const change = (name, read) => (event) => {
    view[name] = read(event.target.value);
    paint();
  };
  const options = choices.length ? choices : [names];
  const channels = optionList("channels", options, view.channels, change("channels", String), (it) => it.toUpperCase());
  const number = (at) => element("input", { type: "number", step: "any", value: Number(view.range[at].toPrecision(6)),
    "aria-label": at ? "white" : "black", onchange: (event) => {
      view.range[at] = Number(event.target.value);
      paint();
    } });
  const [low, high] = [number(0), number(1)];
  const fit = element("button", { onclick: () => {
    view.range = rangeOf(state, channelsOf(state));
    [low.value, high.value] = view.range.map((value) => Number(value.toPrecision(6)));
    paint();
  } }, "fit");
  const exposure = element("input", { type: "range", min: -8, max: 8, step: 0.5, value: 0, "aria-label": "exposure",
    oninput: change("exposure", Number) });
  const scales = [...new Set([1, 2, 4, 8, 16, 32, view.scale])].sort((left, right) => left - right);
  const zoom = optionList("zoom", scales, view.scale, change("scale", Number), (scale) => `${scale}×`);
  return [element("label", {}, "channels ", channels), element("label", {}, "range ", low, " … ", high), fit,
    element("label", {}, "exposure ", exposure), element("label", {}, "zoom ", zoom)];
}

function optionList(label, options, chosen, onchange, name) {
  return element("select", { "aria-label": label, onchange }, ...options.map((option) =>
    element("option", { value: option, selected: option === chosen }, name(option))));
}

// The figures: expected, actual, difference, and one over the other.
function planes(state, pick) {
  state.surfaces = [];
  const figure = (caption, ...children) => element("figure", {}, element("figcaption", {}, caption), ...children);
  const actual = colourer(state, state.actualValues);
  const one = (name, values) => figure(name, surface(state, { name, colourOf: colourer(state, values) }, pick));
  const ofOracle = state.oracle.map(({ name, values }) => one(`${name}, on the executor`, values));
  const ofRuns = state.others.map(({ name, values }) => one(name, values));
  const name = ofOracle.length ? "actual, on the adapter" : "actual";
  const own = figure(name, surface(state, { name: "actual", colourOf: actual }, pick));
  if (!state.expected) return [...ofOracle, own, ...ofRuns];
  const expected = { name: "expected", colourOf: colourer(state, state.expectedValues), probed: state.probed };
  const { colourOf, largest } = heatMap(state);
  const unprobed = state.probed?.includes(0) ? " (hatched: no probe looks there)" : "";
  return [
    ...ofOracle,
    figure(`expected${unprobed}`, surface(state, expected, pick)),
    own,
    ...ofRuns,
    figure(`difference, up to ${numberText(Number(largest.toPrecision(4)), "float")}`,
      surface(state, { name: "difference", colourOf }, pick)),
    figure("expected | actual", ...slider(state, expected, actual, pick)),
  ];
}

// Pixels of a canvas per pixel of an image: more than one where hatched pixels must be recognised.
function fineness({ image, view }, probed) {
  if (!probed?.includes(0)) return 1;
  const most = Math.floor(1024 / Math.max(image.width, image.height));
  return Math.max(1, Math.min(view.scale, most));
}

const HATCH = [[150, 150, 150, 255], [96, 96, 96, 255]];

// A canvas with one image. Row 0 of the bytes is the lowest. Pixels whose byte in `probed` is 0 are hatched.
function surface(state, { name, colourOf, probed = null }, pick) {
  const { width, height } = state.image;
  const { scale } = state.view;
  const fine = fineness(state, probed);
  const canvas = element("canvas", { width: width * fine, height: height * fine,
    style: `width:${width * scale}px;height:${height * scale}px` });
  const context = canvas.getContext("2d");
  const pixels = context.createImageData(width * fine, height * fine);
  for (let index = 0; index < width * height; index++) {
    const left = fine * (index % width), top = fine * (height - 1 - Math.floor(index / width));
    const isHatched = probed?.[index] === 0;
    const colour = isHatched ? null : colourOf(index);
    for (let y = top; y < top + fine; y++) {
      for (let x = left; x < left + fine; x++) {
        pixels.data.set(colour ?? HATCH[Number((x + y) % 8 < 2)], 4 * (y * width * fine + x));
      }
    }
  }
  context.putImageData(pixels, 0, 0);
  const cursor = element("div", { class: "cursor", hidden: true });
  const made = element("div", { class: "surface", tabindex: 0, role: "img", "aria-label": `${name}; arrow keys move the pixel` },
    canvas, cursor);
  listenToSurface(state, made, canvas, pick);
  state.surfaces.push(cursor);
  return made;
}

function listenToSurface(state, made, canvas, pick) {
  const { width, height } = state.image;
  const at = (event) => {
    const box = canvas.getBoundingClientRect();
    const x = Math.floor(((event.clientX - box.left) / box.width) * width);
    const y = height - 1 - Math.floor(((event.clientY - box.top) / box.height) * height);
    return [x, y];
  };
  made.addEventListener("mousemove", (event) => { if (!state.isPinned) pick(at(event), true); });
  made.addEventListener("click", (event) => {
    state.isPinned = !state.isPinned;
    pick(at(event));
  });
  made.addEventListener("keydown", (event) => {
    const step = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, 1], ArrowDown: [0, -1] }[event.key];
    if (!step) return;
    const far = event.shiftKey ? 8 : 1;
    pick([state.pixel[0] + far * step[0], state.pixel[1] + far * step[1]]);
    event.preventDefault();
  });
}

// Two images over each other, with a border that a slider moves.
function slider(state, expected, actual, pick) {
  const below = surface(state, { name: "expected over actual", colourOf: actual }, pick);
  const above = surface(state, expected, pick).querySelector("canvas");
  state.surfaces.pop();
  above.classList.add("above");
  const seam = element("div", { class: "seam" });
  below.append(above, seam);
  const move = (share) => {
    above.style.clipPath = `inset(0 ${(1 - share) * 100}% 0 0)`;
    seam.style.left = `${share * 100}%`;
  };
  const range = element("input", { type: "range", class: "share", min: 0, max: 1, step: 0.01, value: 0.5,
    "aria-label": "how much of the expected image is shown", oninput: () => move(Number(range.value)) });
  move(0.5);
  return [below, range];
}

// Shows one pixel in the table, and marks it in every image. A pixel under the moving pointer is not written into the
// address.
function select(state, pixel, table, isPassing = false) {
  const { width, height } = state.image;
  const x = Math.max(0, Math.min(width - 1, pixel[0])), y = Math.max(0, Math.min(height - 1, pixel[1]));
  state.pixel = [x, y];
  for (const cursor of state.surfaces) {
    cursor.style.cssText = `left:${(100 * x) / width}%;top:${(100 * (height - 1 - y)) / height}%;`
      + `width:${100 / width}%;height:${100 / height}%`;
    cursor.hidden = false;
  }
  table.replaceChildren(pixelTable(state, x, y));
  if (!isPassing) state.onPixel(state.pixel);
}
