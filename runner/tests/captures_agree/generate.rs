//! Programs with known transform feedback output. Every scalar has its own value, which the vertex stage computes,
//! takes from a uniform or writes as a constant, so that all of the linker's optimisations are exercised.

use std::fmt::Write as _;

/// Words of a vertex in one buffer.
const MAX_WORDS: u32 = 64;

/// w of vertex 0, and one more than that of vertex 1. It has so many bits that most products with it are rounded.
const W: u32 = 0x00ff_fffd;

/// Maximum number of slots that all outputs take without packing.
const MAX_SLOTS: u32 = 28;

/// Types with their columns and rows.
const TYPES: [(&str, u32, u32); 21] = [
    ("float", 1, 1),
    ("vec2", 1, 2),
    ("vec3", 1, 3),
    ("vec4", 1, 4),
    ("int", 1, 1),
    ("ivec2", 1, 2),
    ("ivec3", 1, 3),
    ("ivec4", 1, 4),
    ("uint", 1, 1),
    ("uvec2", 1, 2),
    ("uvec3", 1, 3),
    ("uvec4", 1, 4),
    ("mat2", 2, 2),
    ("mat2x3", 2, 3),
    ("mat2x4", 2, 4),
    ("mat3x2", 3, 2),
    ("mat3", 3, 3),
    ("mat3x4", 3, 4),
    ("mat4x2", 4, 2),
    ("mat4x3", 4, 3),
    ("mat4", 4, 4),
];

const LINK: [&str; 8] = [
    "pack on",
    "pack off",
    "pack scalar",
    "pack dense",
    "optimise dead constants duplicates",
    "optimise dead constants uniforms duplicates convergent",
    "share noperspective",
    "native off",
];

/// A reproducible sequence of numbers: `SplitMix64`.
struct Random(u64);

impl Random {
    fn below(&mut self, end: u32) -> u32 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        u32::try_from(((mixed >> 32) * u64::from(end)) >> 32).expect("a share of 32 bits")
    }

    fn one_in(&mut self, count: u32) -> bool {
        self.below(count) == 0
    }
}

/// An output, or a member of one, that is not a structure: a basic type or an array of one.
struct Leaf {
    path: String,
    ty: &'static str,
    /// Scalars of one element.
    size: u32,
    /// Number of elements; 0 if it is not an array.
    length: u32,
}

/// A program as text, built up output by output.
#[derive(Default)]
struct Program {
    structures: String,
    outputs: String,
    inputs: String,
    writes: String,
    reads: String,
    list: String,
    /// Slots taken by outputs so far.
    slots: u32,
    is_separate: bool,
    /// Buffer and word of the next item.
    buffer: u32,
    word: u32,
    /// Words of a vertex in each buffer.
    strides: [u32; 4],
    /// Buffers that receive output.
    is_active: [bool; 4],
    /// Expected values: vertex, buffer, first word, kind and values.
    probes: Vec<(u32, u32, u32, &'static str, String)>,
}

/// The case of program `seed`.
pub(super) fn program(seed: u64) -> String {
    let mut random = Random(seed);
    loop {
        let mut program = Program { is_separate: random.one_in(5), ..Program::default() };
        for idx in 0..=random.below(7) {
            add_output(&mut program, &mut random, idx);
        }
        if random.one_in(4) {
            add_builtin(&mut program, &mut random);
        }
        if program.is_active.contains(&true) {
            return text(program, &mut random);
        }
    }
}

fn text(program: Program, random: &mut Random) -> String {
    let Program { structures, outputs, inputs, writes, reads, list, strides, .. } = &program;
    let probe = |(vertex, buffer, word, kind, values): &(u32, u32, u32, &str, String)| {
        let offset = 4 * (strides[*buffer as usize] * vertex + word);
        format!("probe capture {buffer} {kind} {offset} == {values}\n")
    };
    let probes: String = program.probes.iter().map(probe).collect();
    let (mut buffers, mut layout) = (String::new(), String::new());
    for (buffer, words) in strides.iter().enumerate() {
        let _ = writeln!(layout, "stride {buffer} {}", words * 4);
        if program.is_active[buffer] {
            let _ = writeln!(buffers, "xfb buffer object {buffer} 640 7");
        }
    }
    let fragment = format!(
        "[fragment shader]\n{structures}{inputs}out vec4 color;\n\
         void main() {{ color = vec4(0.0);\n{reads}}}\n"
    );
    let fragment = if random.one_in(4) { String::new() } else { fragment };
    let has_uniform = writes.split([' ', '(', ',', ')']).any(|word| word == "u");
    let uniform = if has_uniform { "uniform float u 42\n" } else { "" };
    let link = LINK[random.below(8) as usize];
    let mode = if program.is_separate { "separate\n" } else { "" };
    format!(
        "[require]\nGLSL >= 4.50\nsize 4 4\n[vertex shader]\nuniform float u;\n{structures}{outputs}\
         void main() {{ float n = float(gl_VertexID); gl_Position = vec4(n, 2.0, 3.0, {W}.0 - n);\n\
         gl_PointSize = 5.0 + n;\n{writes}}}\n{fragment}[link]\n{link}\n{layout}[capture]\n{mode}{list}\
         [test]\n{uniform}{buffers}xfb draw arrays points 0 2\n{probes}"
    )
}

fn is_integer(ty: &str) -> bool {
    ty.starts_with(['i', 'u'])
}

/// Adds an output: a basic type, an array, a structure or an array of structures.
fn add_output(program: &mut Program, random: &mut Random, idx: u32) {
    let mut slots = 0;
    let mut leaf = |random: &mut Random, path: String, elements: u32| {
        let (ty, columns, rows) = TYPES[random.below(21) as usize];
        let length = if random.one_in(3) { 1 + random.below(3) } else { 0 };
        slots += columns * length.max(1) * elements;
        Leaf { path, ty, size: columns * rows, length }
    };
    let (declared, leaves) = if random.one_in(4) {
        let count = if random.one_in(2) { 2 } else { 0 };
        let members = ["a", "b", "c"].into_iter().take(1 + random.below(3) as usize);
        let members: Vec<Leaf> =
            members.map(|name| leaf(random, name.to_owned(), count.max(1))).collect();
        let declare = |it: &Leaf| format!("{} {}{}; ", it.ty, it.path, dimension(it.length));
        let body: String = members.iter().map(declare).collect();
        let _ = writeln!(program.structures, "struct S{idx} {{ {body}}};");
        let below = |element: Option<u32>| {
            let index = element.map_or_else(String::new, |element| format!("[{element}]"));
            let path = move |it: &Leaf| Leaf { path: format!("v{idx}{index}.{}", it.path), ..*it };
            members.iter().map(path).collect::<Vec<_>>()
        };
        let leaves: Vec<Leaf> = if count == 0 {
            below(None)
        } else {
            (0..count).flat_map(|it| below(Some(it))).collect()
        };
        (format!("S{idx} v{idx}{}", dimension(count)), leaves)
    } else {
        let leaf = leaf(random, format!("v{idx}"), 1);
        (format!("{} v{idx}{}", leaf.ty, dimension(leaf.length)), vec![leaf])
    };
    if program.slots + slots > MAX_SLOTS {
        return;
    }
    program.slots += slots;
    let interpolation = match random.below(5) {
        _ if leaves.iter().any(|leaf| is_integer(leaf.ty)) => "flat",
        0 => "flat",
        1 => "noperspective",
        2 => "centroid",
        _ => "",
    };
    let _ = writeln!(program.outputs, "{interpolation} out {declared};");
    let is_read = !random.one_in(3);
    if is_read {
        let _ = writeln!(program.inputs, "{interpolation} in {declared};");
    }
    for leaf in &leaves {
        add_leaf(program, random, leaf, is_read);
    }
}

fn dimension(length: u32) -> String {
    if length > 0 { format!("[{length}]") } else { String::new() }
}

/// Writes a leaf, optionally reads it in the fragment stage, and may record it with transform feedback: as a whole, or
/// one element.
fn add_leaf(program: &mut Program, random: &mut Random, leaf: &Leaf, is_read: bool) {
    let Leaf { path, ty, size, length } = leaf;
    // Expected scalars per vertex: the same constant, or the uniform.
    let mut expected = [Vec::new(), Vec::new()];
    for element in 0..*length.max(&1) {
        let place = if *length > 0 { format!("{path}[{element}]") } else { path.clone() };
        let mut scalars = Vec::new();
        for _ in 0..*size {
            let value = 100 + random.below(8);
            let (text, values) = match random.below(4) {
                0 => (format!("{value}.0"), [value, value]),
                1 => ("u".to_owned(), [42, 42]),
                _ => (format!("n * 16.0 + {value}.0"), [value, value + 16]),
            };
            scalars.push(text);
            expected.iter_mut().zip(values).for_each(|(own, value)| own.push(value));
        }
        let _ = writeln!(program.writes, "{place} = {ty}({});", scalars.join(", "));
        if is_read {
            let _ = writeln!(program.reads, "color += vec4({place} == {ty}(3));");
        }
    }
    if random.one_in(4) {
        return;
    }
    let element = if *length > 0 && random.one_in(2) { Some(random.below(*length)) } else { None };
    let first = (element.unwrap_or(0) * size) as usize;
    let count = if element.is_some() { *size } else { size * length.max(&1) };
    let subscript = element.map_or_else(String::new, |element| format!("[{element}]"));
    let kind = match ty.chars().next() {
        Some('i') => "int",
        Some('u') => "uint",
        Some(_) | None => "float",
    };
    let expected = expected.map(|values| values[first..first + count as usize].to_vec());
    capture(program, random, &format!("{path}{subscript}"), kind, expected);
}

/// Adds the position or the point size.
fn add_builtin(program: &mut Program, random: &mut Random) {
    if random.one_in(2) {
        capture(
            program,
            random,
            "gl_Position",
            "float",
            [[0, 2, 3, W], [1, 2, 3, W - 1]].map(Vec::from),
        );
    } else {
        capture(program, random, "gl_PointSize", "float", [vec![5], vec![6]]);
    }
}

/// Adds an output to the list of captured variables, if it fits, and adds the expected contents of the buffer.
fn capture(
    program: &mut Program,
    random: &mut Random,
    name: &str,
    kind: &'static str,
    expected: [Vec<u32>; 2],
) {
    let count = u32::try_from(expected[0].len()).expect("few scalars");
    if !make_room(program, random, count) {
        return;
    }
    let _ = writeln!(program.list, "{name}");
    for (vertex, values) in (0..).zip(expected) {
        let values: Vec<String> = values.iter().map(ToString::to_string).collect();
        program.probes.push((vertex, program.buffer, program.word, kind, values.join(" ")));
    }
    program.word += count;
    program.strides[program.buffer as usize] = program.word;
    program.is_active[program.buffer as usize] = true;
}

/// Sometimes starts another buffer or leaves a gap. Returns true if `count` words fit.
fn make_room(program: &mut Program, random: &mut Random, count: u32) -> bool {
    let is_next = if program.is_separate {
        program.is_active[program.buffer as usize]
    } else {
        random.one_in(6) || program.word + count > MAX_WORDS
    };
    if count > MAX_WORDS || is_next && program.buffer == 3 {
        return false;
    }
    if is_next {
        (program.buffer, program.word) = (program.buffer + 1, 0);
        program.list.push_str(if program.is_separate { "" } else { "next buffer\n" });
    }
    if !program.is_separate && random.one_in(6) && program.word + count + 4 <= MAX_WORDS {
        let words = 1 + random.below(4);
        let _ = writeln!(program.list, "skip {words}");
        let sevens = vec!["7"; words as usize].join(" ");
        for vertex in 0..2 {
            program.probes.push((vertex, program.buffer, program.word, "uint", sevens.clone()));
        }
        program.word += words;
    }
    true
}
