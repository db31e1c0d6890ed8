// Expected, actual and difference of one render target, with a slider between two of them and a pixel inspector.

const DIFFERENT = [255, 48, 48], EQUAL = [24, 24, 24];

// The viewer's element. `pixel` is shown from the start, if any.
async function makeViewer(image, pixel) {
  const layout = layoutOf(image.format);
  const actual = await unpack(image.actual);
  const expected = image.expected ? await unpack(image.expected) : null;
  const state = { image, layout, actual, expected, pixel: null, surfaces: [] };
  const table = element("div", { class: "inspector mono" });
  const figures = element("div", { class: "images" });
  state.scale = fittingScale(image);
  const paintAll = () => {
    figures.replaceChildren(...planes(state, (at) => select(state, at, table)));
    if (state.pixel) select(state, state.pixel, table);
  };
  paintAll();
  const first = pixel ?? firstDifference(state) ?? [0, 0];
  select(state, first, table);
  const lines = image.lines.length ? `, looked at in line ${image.lines.join(", ")}` : "";
  const title = `render target ${image.target}: ${image.width} by ${image.height} ${image.format}${lines}`;
  return element("section", { class: "viewer" },
    element("div", { class: "tools" }, element("span", {}, title), zoom(state, paintAll), countText(state)),
    figures, table);
}

function fittingScale(image) {
  const side = Math.max(image.width, image.height);
  return Math.max(1, Math.min(32, Math.floor(256 / side)));
}

function zoom(state, paintAll) {
  const choose = element("select", { "aria-label": "zoom", onchange: () => {
    state.scale = Number(choose.value);
    paintAll();
  } });
  for (const scale of new Set([1, 2, 4, 8, 16, 32, state.scale].sort((a, b) => a - b))) {
    choose.append(element("option", { value: scale, selected: scale === state.scale }, `${scale}×`));
  }
  return choose;
}

function countText(state) {
  if (!state.expected) return null;
  let count = 0;
  for (let index = 0; index < state.image.width * state.image.height; index++) count += differs(state, index) ? 1 : 0;
  return element("span", { class: count ? "bad" : "dim" }, `${count} of ${state.image.width * state.image.height} pixels differ`);
}

function differs(state, index) {
  const { size } = state.layout ?? { size: Math.round(state.actual.length / (state.image.width * state.image.height)) };
  for (let at = index * size; at < (index + 1) * size; at++) if (state.actual[at] !== state.expected[at]) return true;
  return false;
}

function firstDifference(state) {
  if (!state.expected) return null;
  const { width, height } = state.image;
  for (let index = 0; index < width * height; index++) {
    if (differs(state, index)) return [index % width, Math.floor(index / width)];
  }
  return null;
}

// The figures: what was expected, what came back, where they differ, and one over the other.
function planes(state, pick) {
  state.surfaces = [];
  const figure = (caption, ...children) =>
    element("figure", {}, element("figcaption", {}, caption), ...children);
  const actual = colours(state, state.actual);
  if (!state.expected) return [figure("actual", surface(state, actual, pick))];
  const expected = colours(state, state.expected);
  const difference = (index) => (differs(state, index) ? DIFFERENT : EQUAL);
  return [
    figure("expected", surface(state, expected, pick)),
    figure("actual", surface(state, actual, pick)),
    figure("difference", surface(state, difference, pick)),
    figure("expected | actual", ...slider(state, expected, actual, pick)),
  ];
}

// The colour of a texel on a screen: floats cut to 0…1, integers spread over what occurs.
function colours(state, bytes) {
  const { layout } = state;
  if (!layout) return () => [128, 128, 128];
  const view = new DataView(bytes.buffer);
  const isInteger = layout.kind === "uint" || layout.kind === "sint";
  const shown = layout.channels.filter((channel) => channel.name !== "a");
  const value = (index, channel) => valueOf(bitsAt(view, index * layout.size, channel, layout), channel, layout.kind);
  let low = 0, high = 1;
  if (isInteger) {
    for (let index = 0; index < state.image.width * state.image.height; index++) {
      for (const channel of shown) {
        const found = value(index, channel);
        if (found < low) low = found;
        if (found > high) high = found;
      }
    }
  }
  return (index) => {
    const colour = [0, 0, 0];
    for (const channel of shown) {
      const found = value(index, channel);
      colour["rgb".indexOf(channel.name)] = Math.max(0, Math.min(255, (255 * (found - low)) / (high - low)));
    }
    return colour;
  };
}

// A canvas with one image. Row 0 of the bytes is the lowest.
function surface(state, colourOf, pick) {
  const { width, height } = state.image;
  const canvas = element("canvas", { width, height });
  canvas.style.width = `${width * state.scale}px`;
  canvas.style.height = `${height * state.scale}px`;
  const context = canvas.getContext("2d");
  const pixels = context.createImageData(width, height);
  for (let index = 0; index < width * height; index++) {
    const row = height - 1 - Math.floor(index / width);
    const at = 4 * (row * width + (index % width));
    pixels.data.set(colourOf(index), at);
    pixels.data[at + 3] = 255;
  }
  context.putImageData(pixels, 0, 0);
  const cursor = element("div", { class: "cursor", hidden: true });
  const made = element("div", { class: "surface" }, canvas, cursor);
  const at = (event) => {
    const box = canvas.getBoundingClientRect();
    const x = Math.floor((event.clientX - box.left) / state.scale);
    const y = height - 1 - Math.floor((event.clientY - box.top) / state.scale);
    return [Math.max(0, Math.min(width - 1, x)), Math.max(0, Math.min(height - 1, y))];
  };
  made.addEventListener("mousemove", (event) => { if (!state.isPinned) pick(at(event)); });
  made.addEventListener("click", (event) => { state.isPinned = !state.isPinned; pick(at(event)); });
  state.surfaces.push(cursor);
  return made;
}

// Two images over each other, with a seam that a slider moves.
function slider(state, expected, actual, pick) {
  const below = surface(state, actual, pick);
  const above = surface(state, expected, pick).querySelector("canvas");
  const seam = element("div", { class: "seam" });
  Object.assign(above.style, { position: "absolute", left: 0, top: 0, pointerEvents: "none" });
  below.append(above, seam);
  const width = state.image.width * state.scale;
  const move = (share) => {
    above.style.clipPath = `inset(0 ${(1 - share) * 100}% 0 0)`;
    seam.style.left = `${share * width}px`;
  };
  const range = element("input", { type: "range", min: 0, max: 1, step: "any", value: 0.5,
    "aria-label": "how much of the expected image is shown", oninput: () => move(Number(range.value)) });
  Object.assign(range.style, { width: `${Math.max(width, 120)}px`, display: "block", padding: 0 });
  move(0.5);
  return [below, range];
}

// Shows one pixel in the table, and where it is in every image.
function select(state, pixel, table) {
  const { width, height } = state.image;
  const [x, y] = [Math.min(pixel[0], width - 1), Math.min(pixel[1], height - 1)];
  state.pixel = [x, y];
  for (const cursor of state.surfaces) {
    Object.assign(cursor.style, { left: `${x * state.scale}px`, top: `${(height - 1 - y) * state.scale}px`,
      width: `${state.scale}px`, height: `${state.scale}px` });
    cursor.hidden = false;
  }
  table.replaceChildren(pixelTable(state, x, y));
}

function pixelTable(state, x, y) {
  const { layout } = state;
  if (!layout) return element("p", { class: "hint" }, `no reading of ${state.image.format}`);
  const offset = (y * state.image.width + x) * layout.size;
  const read = (bytes, channel) => bitsAt(new DataView(bytes.buffer), offset, channel, layout);
  const columns = state.expected ? ["expected", "bits", "actual", "bits", "steps apart"] : ["actual", "bits"];
  const head = ["", ...columns].map((name) => element("th", {}, name));
  const rows = layout.channels.map((channel) => {
    const actual = read(state.actual, channel);
    const text = (bits) => [numberText(valueOf(bits, channel, layout.kind), layout.kind), bitsText(bits, channel)];
    if (!state.expected) return row(channel.name, text(actual), false);
    const expected = read(state.expected, channel);
    const apart = steps(expected, actual, channel, layout.kind);
    return row(channel.name, [...text(expected), ...text(actual), apart || ""], expected !== actual);
  });
  const caption = `pixel (${x}, ${y}), counted from the lower left; click to hold`;
  return element("div", {}, element("p", { class: "hint" }, caption),
    element("table", { class: "pixel" }, element("tr", {}, ...head), ...rows));
}

function row(name, cells, isDifferent) {
  const made = cells.map((cell) => element("td", { class: isDifferent ? "differs" : "" }, String(cell)));
  return element("tr", {}, element("th", {}, name), ...made);
}
