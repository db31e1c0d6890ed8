// One pixel as numbers: values, bits, and the number of representable values between expected and actual.

function pixelTable(state, x, y) {
  const { layout, image } = state;
  const index = y * image.width + x;
  const read = (bytes, channel) => bitsAt(new DataView(bytes.buffer), index * layout.size, channel, layout);
  const beside = [...state.oracle, ...state.others];
  const own = state.oracle.length ? "on the adapter" : "actual";
  const columns = state.expected ? ["expected", "bits", own, "bits", "apart", "steps"] : [own, "bits"];
  columns.push(...beside.flatMap(({ name }) => [name, "bits"]));
  const head = ["", ...columns].map((name) => element("th", {}, name));
  const rows = layout.channels.map((channel, at) => {
    const actual = read(state.actual, channel);
    const text = (bits) => [numberText(valueOf(bits, channel, layout.kind), layout.kind), bitsText(bits, channel)];
    const executed = beside.flatMap(({ bytes }) => text(read(bytes, channel)));
    if (!state.expected) return numberRow(channel.name, [...text(actual), ...executed], false);
    const isProbed = !state.probed || state.probed[index] & (1 << "rgba".indexOf(channel.name));
    if (!isProbed) return numberRow(channel.name, ["not probed", "", ...text(actual), "", "", ...executed], false);
    const expected = read(state.expected, channel);
    const cells = [...text(expected), ...text(actual), ...apart(expected, actual, channel, layout.kind), ...executed];
    return numberRow(channel.name, cells, isChannelWrong(state, index, at));
  });
  const accepted = state.expected && state.tolerance && !differs(state, index) ? `, within the tolerance (${state.tolerance})` : "";
  return element("div", {}, element("p", { class: "hint" }, `pixel (${x}, ${y}), counted from the lower left${accepted}`),
    element("table", { class: "pixel" }, element("tr", {}, ...head), ...rows));
}

// The difference of two values, also in representable steps.
function apart(expected, actual, channel, kind) {
  if (expected === actual) return ["", ""];
  const [left, right] = [expected, actual].map((bits) => valueOf(bits, channel, kind));
  const difference = right - left;
  return [Number.isFinite(difference) ? Number(difference.toPrecision(4)) : "", steps(expected, actual, channel, kind)];
}

function numberRow(name, cells, isDifferent) {
  const made = cells.map((cell) => element("td", { class: isDifferent ? "differs" : "" }, String(cell)));
  return element("tr", {}, element("th", {}, name), ...made);
}

// A colour box with its value, for an image of a single colour.
function swatch(state, caption, values, colourOf) {
  const { layout } = state;
  const colour = colourOf(0);
  const numbers = layout.channels.map((channel, at) => {
    const isWrong = state.expected && isChannelWrong(state, state.worst ?? 0, at);
    return element("span", { class: isWrong ? "differs" : "" }, `${channel.name} ${numberText(values[at], layout.kind)}`);
  });
  const [r, g, b, a] = colour.map((value) => Math.round(value));
  return element("figure", { class: "swatch" }, element("figcaption", {}, caption),
    element("div", { class: "box" }, element("div", { style: `background:rgb(${r} ${g} ${b} / ${a / 255})` })),
    element("div", { class: "numbers mono" }, ...numbers));
}
