//! What is captured from the function and what is captured from the packed slots is the same, and is what the program
//! wrote, for generated programs: outputs of every shape, read by a fragment stage or not, packed in every way.
//!
//! In the environment, `CAPTURED_PROGRAMS` asks for another number of programs than the usual one, `CAPTURED_FIRST` for
//! another number of the first one, so that several processes share a long run, and `CAPTURED_ADAPTER` for another adapter
//! than the first. A program is the same on every adapter; what a run costs is the adapter's compiler, twice a program.

use std::fmt::Write as _;

use interstage::case::Dialect;
use interstage::case::parse::parse;
use interstage::compare::Goldens;
use interstage::gpu::{self, Gpu};
use interstage::run_case;
use interstage::verdict::Verdict;

/// Programs of a usual run.
const PROGRAMS: u64 = 1000;

/// Words of a record: what a buffer holds for a vertex.
const MAX_WORDS: u32 = 64;

const TYPES: [(&str, u32); 14] = [
    ("float", 1),
    ("vec2", 2),
    ("vec3", 3),
    ("vec4", 4),
    ("int", 1),
    ("ivec3", 3),
    ("uint", 1),
    ("uvec2", 2),
    ("mat2", 4),
    ("mat3", 9),
    ("mat4", 16),
    ("mat2x3", 6),
    ("mat3x2", 6),
    ("mat4x3", 12),
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

#[test]
fn both_ways_to_capture_agree() {
    let first = || {
        let adapter = gpu::adapters().into_iter().next().expect("an adapter");
        format!("{}:{}", adapter.backend, adapter.index)
    };
    let adapter = std::env::var("CAPTURED_ADAPTER").unwrap_or_else(|_| first());
    let gpu = Gpu::open(&adapter).expect("a device");
    let (first, count) = (number("CAPTURED_FIRST", 0), number("CAPTURED_PROGRAMS", PROGRAMS));
    let mut passed = 0;
    for seed in first..first + count {
        let text = program(&mut Random(seed));
        let case = parse("generated", text.as_bytes(), Dialect::Interstage).remove(0);
        let case = case.result.unwrap_or_else(|error| panic!("{seed}: {error:?}\n{text}"));
        let verdict = run_case(&case, Some(&gpu), &Goldens::default()).verdict;
        assert!(verdict == Verdict::Pass, "program {seed} gives {verdict:?}:\n{text}");
        passed += 1;
    }
    assert_eq!(passed, count);
}

/// A number from the environment.
fn number(name: &str, usual: u64) -> u64 {
    let Ok(text) = std::env::var(name) else { return usual };
    text.parse().unwrap_or_else(|error| panic!("{name}={text}: {error}"))
}

/// A sequence of numbers that is the same everywhere: `SplitMix64`.
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

/// A program as text, built up output by output.
#[derive(Default)]
struct Program {
    outputs: String,
    inputs: String,
    writes: String,
    reads: String,
    list: String,
    /// Vertex, first word, kind and values.
    probes: Vec<(usize, u32, &'static str, String)>,
    words: u32,
}

fn program(random: &mut Random) -> String {
    let mut program = Program::default();
    for idx in 0..=random.below(7) {
        add_output(&mut program, random, idx);
    }
    if program.words == 0 {
        return self::program(random);
    }
    let link = LINK[random.below(8) as usize];
    let Program { outputs, inputs, writes, reads, list, probes, words } = program;
    let probe = |(vertex, word, kind, values): &(usize, u32, &str, String)| {
        let offset = 4 * (words * u32::from(*vertex > 0) + word);
        format!("probe capture 0 {kind} {offset} == {values}\n")
    };
    let probes: String = probes.iter().map(probe).collect();
    let fragment = format!(
        "[fragment shader]\n{inputs}out vec4 color;\nvoid main() {{ color = vec4(0.0);\n{reads}}}\n"
    );
    let uniform = if writes.split([' ', '(', ',', ')']).any(|word| word == "u") {
        "uniform float u 42\n"
    } else {
        ""
    };
    let fragment = if random.one_in(4) { String::new() } else { fragment };
    format!(
        "[require]\nGLSL >= 4.50\nsize 4 4\n[vertex shader]\nuniform float u;\n{outputs}\
         void main() {{ gl_Position = vec4(0.0); float n = float(gl_VertexID);\n{writes}}}\n\
         {fragment}[link]\n{link}\nstride 0 {}\n[capture]\n{list}\
         [test]\n{uniform}xfb buffer object 0 512 7\nxfb draw arrays points 0 2\n{probes}",
        words * 4
    )
}

/// Adds an output, and perhaps captures it: as a whole, or one element.
fn add_output(program: &mut Program, random: &mut Random, idx: u32) {
    let (ty, size) = TYPES[random.below(14) as usize];
    let length = if random.one_in(3) { 1 + random.below(3) } else { 0 };
    let total = size * length.max(1);
    let is_integer = ty.starts_with(['i', 'u']);
    let interpolation = match random.below(5) {
        _ if is_integer => "flat",
        0 => "flat",
        1 => "noperspective",
        2 => "centroid",
        _ => "",
    };
    let dimension = if length > 0 { format!("[{length}]") } else { String::new() };
    let captured = !random.one_in(4) && program.words + total <= MAX_WORDS;
    if !captured && idx > 0 && random.one_in(2) {
        return;
    }
    let _ = writeln!(program.outputs, "{interpolation} out {ty} v{idx}{dimension};");
    let is_read = !random.one_in(3);
    if is_read {
        let _ = writeln!(program.inputs, "{interpolation} in {ty} v{idx}{dimension};");
    }
    // Of every scalar: per vertex, the same constant, or the uniform.
    let mut expected = [Vec::new(), Vec::new()];
    for element in 0..length.max(1) {
        let place = if length > 0 { format!("v{idx}[{element}]") } else { format!("v{idx}") };
        let mut scalars = Vec::new();
        for _ in 0..size {
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
    if captured {
        capture(program, random, (idx, size, length), &expected, ty);
    }
}

fn capture(
    program: &mut Program,
    random: &mut Random,
    (idx, size, length): (u32, u32, u32),
    expected: &[Vec<u32>; 2],
    ty: &str,
) {
    let element = if length > 0 && random.one_in(2) { Some(random.below(length)) } else { None };
    let subscript = element.map_or_else(String::new, |element| format!("[{element}]"));
    let _ = writeln!(program.list, "v{idx}{subscript}");
    let first = (element.unwrap_or(0) * size) as usize;
    let count = if element.is_some() { size } else { size * length.max(1) };
    let kind = match ty.chars().next() {
        Some('i') => "int",
        Some('u') => "uint",
        Some(_) | None => "float",
    };
    for (vertex, values) in expected.iter().enumerate() {
        let values = values.iter().skip(first).take(count as usize);
        let values: Vec<String> = values.map(ToString::to_string).collect();
        program.probes.push((vertex, program.words, kind, values.join(" ")));
    }
    program.words += count;
}
