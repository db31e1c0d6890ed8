// Colours for the text of cases and stages: a small tokenizer for GLSL, WGSL and the lines of a case.

const WORDS = {
  keyword: `attribute break buffer case centroid const continue default discard do else false flat for fn if in inout
    invariant layout let loop continuing noperspective out override precision return sample shared smooth struct switch
    true uniform var varying void while highp mediump lowp alias enable`,
  type: `bool int uint float double bvec2 bvec3 bvec4 ivec2 ivec3 ivec4 uvec2 uvec3 uvec4 vec2 vec3 vec4 dvec2 dvec3 dvec4
    mat2 mat3 mat4 mat2x2 mat2x3 mat2x4 mat3x2 mat3x3 mat3x4 mat4x2 mat4x3 mat4x4 array atomic ptr i32 u32 f32 f16 vec2f
    vec3f vec4f vec2i vec3i vec4i vec2u vec3u vec4u sampler sampler2D texture_2d private function storage`,
  command: `all clear draw error expect image int link map output probe render rect require rgb rgba size slots success
    target texture tolerance ulp`,
};
const KIND_OF_WORD = new Map(Object.entries(WORDS).flatMap(([kind, words]) => words.split(/\s+/).map((word) => [word, kind])));

const TOKEN = new RegExp([
  String.raw`(?<comment>\/\/.*|\/\*.*?\*\/)`,
  String.raw`(?<directive>^\s*#\s*(?:version|extension|define|undef|if|ifdef|ifndef|else|elif|endif|pragma|include|line|error)\b.*)`,
  String.raw`(?<attribute>@\w+)`,
  String.raw`(?<string>"[^"]*")`,
  String.raw`(?<number>(?<![\w.])-?(?:0[xX][0-9a-fA-F]+|\d+\.?\d*(?:[eE][-+]?\d+)?|\.\d+)[uUfFhi]*\b)`,
  String.raw`(?<word>[A-Za-z_]\w*)`,
].join("|"), "g");

// A line as elements and plain text. `language` is `shader`, `case` or `none`.
function colouredLine(line, language) {
  if (language === "none") return [line];
  if (language === "case" && /^\s*\[.*\]\s*$/.test(line)) return [token("section", line)];
  if (language === "case" && /^\s*#/.test(line)) return [token("comment", line)];
  const parts = [];
  let done = 0;
  for (const match of line.matchAll(TOKEN)) {
    const kind = kindOf(match, language);
    if (!kind) continue;
    parts.push(line.slice(done, match.index), token(kind, match[0]));
    done = match.index + match[0].length;
  }
  parts.push(line.slice(done));
  return parts;
}

function kindOf(match, language) {
  const [kind] = Object.entries(match.groups).find(([, text]) => text !== undefined);
  if (kind !== "word") return kind;
  const found = KIND_OF_WORD.get(match[0]) ?? null;
  return found === "command" && language !== "case" ? null : found;
}

function token(kind, text) {
  return element("span", { class: `t-${kind}` }, text);
}

// Every line of a case file with the language of its section.
function linesOfCase(text) {
  let language = "case";
  return text.split("\n").map((line) => {
    const section = /^\s*\[(.*)\]\s*$/.exec(line);
    if (!section) return [line, language];
    language = /shader|include/.test(section[1]) ? "shader" : "case";
    return [line, "case"];
  });
}

// A text with line numbers; the lines in `marked` are highlighted.
function codePart(lines, marked = new Set()) {
  const rows = lines.map(([line, language], at) => element("span", { class: `line${marked.has(at + 1) ? " at" : ""}` },
    element("span", { class: "number" }, String(at + 1).padStart(4)), ...colouredLine(line, language), "\n"));
  return element("pre", { class: "code", tabindex: 0 }, ...rows);
}

function wgslPart(text) {
  return codePart(text.trimEnd().split("\n").map((line) => [line, "shader"]));
}
