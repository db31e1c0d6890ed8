// The meaning of a texel's bytes, by wgpu's names of formats. Formats are little-endian.

// The channels of a format: name, first bit, number of bits, kind.
function layoutOf(format) {
  const kindOf = (word) => word.replace("ufloat", "float");
  if (/^rgb10a2/.test(format)) {
    const kind = kindOf(format.slice(7));
    return makeLayout(4, [["r", 0, 10], ["g", 10, 10], ["b", 20, 10], ["a", 30, 2]], kind, false);
  }
  if (/^rg11b10/.test(format)) {
    return makeLayout(4, [["r", 0, 11], ["g", 11, 11], ["b", 22, 10]], "float", false);
  }
  const parts = /^(r|rg|rgba|bgra)(8|16|32)(unorm|snorm|uint|sint|float)(-srgb)?$/.exec(format);
  if (!parts) return null;
  const bits = Number(parts[2]);
  const channels = [...parts[1]].map((name, index) => [name, index * bits, bits]);
  const layout = makeLayout((channels.length * bits) / 8, channels, parts[3], Boolean(parts[4]));
  layout.channels.sort((left, right) => "rgba".indexOf(left.name) - "rgba".indexOf(right.name));
  return layout;
}

function makeLayout(size, channels, kind, isSrgb) {
  const made = channels.map(([name, first, bits]) => ({ name, first, bits, isSrgb: isSrgb && name !== "a" }));
  return { size, kind, channels: made };
}

// The stored bits of one channel of the texel that begins at this byte.
function bitsAt(view, offset, channel, layout) {
  if (layout.channels.every((it) => it.bits === channel.bits) && channel.bits >= 8) {
    const at = offset + channel.first / 8;
    if (channel.bits === 8) return view.getUint8(at);
    return channel.bits === 16 ? view.getUint16(at, true) : view.getUint32(at, true);
  }
  return (view.getUint32(offset, true) >>> channel.first) & (2 ** channel.bits - 1);
}

// The number that the bits represent.
function valueOf(bits, channel, kind) {
  const range = 2 ** channel.bits;
  const signed = bits >= range / 2 ? bits - range : bits;
  if (kind === "uint") return bits;
  if (kind === "sint") return signed;
  if (kind === "snorm") return Math.max(signed / (range / 2 - 1), -1);
  if (kind === "unorm") return channel.isSrgb ? linear(bits / (range - 1)) : bits / (range - 1);
  return floatOf(bits, channel.bits);
}

function linear(value) {
  return value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
}

// 32- and 16-bit floats, and the unsigned ones of 11 and 10 bits.
function floatOf(bits, size) {
  if (size === 32) return new Float32Array(new Uint32Array([bits]).buffer)[0];
  const fraction = size === 16 ? 10 : size - 5;
  const sign = size === 16 && bits & 0x8000 ? -1 : 1;
  const exponent = (bits >>> fraction) & 31;
  const mantissa = (bits & (2 ** fraction - 1)) / 2 ** fraction;
  if (exponent === 31) return mantissa ? NaN : sign * Infinity;
  return sign * (exponent ? (1 + mantissa) * 2 ** (exponent - 15) : mantissa * 2 ** -14);
}

// A number for comparison by a person: floats with all digits that distinguish them.
function numberText(value, kind) {
  if (kind === "uint" || kind === "sint" || Object.is(value, NaN)) return String(value);
  if (Object.is(value, -0)) return "-0";
  return String(Number(value.toPrecision(9)));
}

function bitsText(bits, channel) {
  return "0x" + bits.toString(16).padStart(Math.ceil(channel.bits / 4), "0");
}

// The number of representable values between two: floats by the order of their values, all others by their difference.
function steps(left, right, channel, kind) {
  const half = 2 ** (channel.bits - 1);
  const ordered = (bits) => {
    if (kind === "float" && channel.bits >= 16) return bits >= half ? half - bits : bits;
    const isSigned = kind === "sint" || kind === "snorm";
    return isSigned && bits >= half ? bits - 2 * half : bits;
  };
  return Math.abs(ordered(left) - ordered(right));
}
