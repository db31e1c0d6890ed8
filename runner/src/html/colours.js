// Converts the texels of an image to screen colours, with a choice of channels, value range and exposure, and draws the
// heat map of the difference between two images.

const CHANNEL_CHOICES = ["rgb", "rgba", "r", "g", "b", "a"];
const EQUAL = [24, 24, 24], OUTSIDE_LOW = [40, 60, 190], OUTSIDE_HIGH = [255, 80, 220], NOT_A_NUMBER = [255, 225, 0];

// From dark to hot, for differences from 0 to the largest.
const HEAT = [[60, 20, 70], [150, 30, 90], [225, 60, 50], [250, 150, 40], [255, 240, 150]];

// The values of an image, read once: `values[pixel * channels + channel]`.
function valuesOf(image, layout, bytes) {
  const view = new DataView(bytes.buffer);
  const count = image.width * image.height, width = layout.channels.length;
  const values = new Float64Array(count * width);
  for (let index = 0; index < count; index++) {
    layout.channels.forEach((channel, at) => {
      values[index * width + at] = valueOf(bitsAt(view, index * layout.size, channel, layout), channel, layout.kind);
    });
  }
  return values;
}

// The smallest and the largest finite value of the chosen channels in all images.
function rangeOf(state, shown) {
  let low = Infinity, high = -Infinity;
  for (const values of [state.actualValues, state.expectedValues]) {
    if (!values) continue;
    for (let at = 0; at < values.length; at++) {
      if (!shown.has(at % state.layout.channels.length) || !Number.isFinite(values[at])) continue;
      low = Math.min(low, values[at]);
      high = Math.max(high, values[at]);
    }
  }
  return low > high ? [0, 1] : [low, high];
}

// Numbers of the channels in a choice such as `rgb`. Formats without these channels have no colours.
function channelsOf(state) {
  const wanted = state.view.channels;
  const found = state.layout.channels.map((channel, at) => [channel.name, at]).filter(([name]) => wanted.includes(name));
  return new Set((found.length ? found : [["", 0]]).map(([, at]) => at));
}

// The initial range: 0 to 1 if all values are in it and are not integers, else the range of the values.
function firstRange(state) {
  const all = new Set(state.layout.channels.map((_, at) => at));
  const colours = new Set([...all].filter((at) => state.layout.channels[at].name !== "a"));
  const [low, high] = rangeOf(state, colours.size ? colours : all);
  const isInteger = state.layout.kind === "uint" || state.layout.kind === "sint";
  if (!isInteger && low >= 0 && high <= 1) return [0, 1];
  return isInteger && low >= 0 && high > 0 ? [0, high] : low < high ? [low, high] : [Math.min(0, low), Math.max(1, high)];
}

// The colour of a pixel, as `[r, g, b, a]` of 0 to 255.
function colourer(state, values) {
  const shown = channelsOf(state);
  const width = state.layout.channels.length;
  const [low, high] = state.view.range;
  const gain = 2 ** state.view.exposure / (high - low || 1);
  const scale = (value) => 255 * (value - low) * gain;
  const single = shown.size === 1 ? [...shown][0] : null;
  const alpha = state.layout.channels.findIndex((channel) => channel.name === "a");
  return (index) => {
    const value = (at) => values[index * width + at];
    for (const at of shown) if (Number.isNaN(value(at))) return [...NOT_A_NUMBER, 255];
    if (single !== null) {
      const grey = scale(value(single));
      return grey < -0.01 ? [...OUTSIDE_LOW, 255] : grey > 255.01 ? [...OUTSIDE_HIGH, 255] : [grey, grey, grey, 255];
    }
    const colour = [0, 0, 0, 255];
    for (const at of shown) {
      const place = "rgb".indexOf(state.layout.channels[at].name);
      if (place >= 0) colour[place] = Math.max(0, Math.min(255, scale(value(at))));
    }
    if (alpha >= 0 && shown.has(alpha)) colour[3] = Math.max(0, Math.min(255, scale(value(alpha))));
    return colour;
  };
}

// The difference of the images at a pixel: the largest one of the rejected channels.
function distance(state, index) {
  const width = state.layout.channels.length;
  let largest = 0;
  for (let at = 0; at < width; at++) {
    if (!isChannelWrong(state, index, at)) continue;
    const [left, right] = [state.expectedValues, state.actualValues].map((values) => values[index * width + at]);
    const apart = Math.abs(left - right);
    largest = Math.max(largest, Number.isFinite(apart) ? apart : Number.MAX_VALUE);
  }
  return largest;
}

// The bits of the mask are red, green, blue and alpha, whatever channels the format has.
function isChannelWrong(state, index, at) {
  if (state.unaccepted) return Boolean(state.unaccepted[index] & (1 << "rgba".indexOf(state.layout.channels[at].name)));
  const place = index * state.layout.channels.length + at;
  return !Object.is(state.expectedValues[place], state.actualValues[place]);
}

// True if the pixel is not as expected: outside the tolerance of the case, if that is known.
function differs(state, index) {
  if (state.unaccepted) return state.unaccepted[index] !== 0;
  for (let at = 0; at < state.layout.channels.length; at++) if (isChannelWrong(state, index, at)) return true;
  return false;
}

// The heat map: dark where pixels are accepted, hotter with a larger difference.
function heatMap(state) {
  const count = state.image.width * state.image.height;
  const distances = Float64Array.from({ length: count }, (_, index) => (differs(state, index) ? distance(state, index) : -1));
  const largest = distances.reduce((so_far, it) => Math.max(so_far, it === Number.MAX_VALUE ? 0 : it), 0);
  const colourOf = (index) => {
    const apart = distances[index];
    if (apart < 0) return [...EQUAL, 255];
    if (apart === Number.MAX_VALUE) return [...NOT_A_NUMBER, 255];
    return [...heat(largest ? apart / largest : 1), 255];
  };
  return { colourOf, largest };
}

function heat(share) {
  const place = Math.min(share, 1) * (HEAT.length - 1);
  const below = Math.min(Math.floor(place), HEAT.length - 2);
  return HEAT[below].map((from, at) => from + (HEAT[below + 1][at] - from) * (place - below));
}

// True if all pixels have the same bytes.
function isUniform(state, bytes) {
  const { size } = state.layout;
  for (let at = size; at < bytes.length; at++) if (bytes[at] !== bytes[at - size]) return false;
  return bytes.length > 0;
}
