//! Programs about the qualifiers and layout words of GLSL.

use glsl::ast::Version;
use glsl::{LayoutValue, LayoutWords, Site, layout_words, qualifier_words};
use ir::stage::ShaderStage::{
    self, Compute, Fragment, Geometry, TessellationControl as Control,
    TessellationEvaluation as Evaluation, Vertex,
};

use super::glsl_place::{Kind, PLACES, Place, around, needs};
use super::{Attribute, Expected, Language};

/// The versions of the programs, with what a case requires for them.
const VERSIONS: [(Version, &str, &str); 2] = [
    (
        Version { number: 450, is_es: false, is_compatibility: false },
        "450",
        "GL >= 4.5\nGLSL >= 4.50\n",
    ),
    (
        Version { number: 320, is_es: true, is_compatibility: false },
        "320 es",
        "GL ES >= 3.2\nGLSL ES >= 3.20\n",
    ),
];

/// Qualifiers that specify the storage of a variable.
const STORAGE: [&str; 10] = [
    "const",
    "in",
    "out",
    "inout",
    "attribute",
    "varying",
    "uniform",
    "buffer",
    "shared",
    "subroutine",
];

/// Words that specify the default.
const DEFAULTS: [&str; 4] = ["column_major", "shared", "equal_spacing", "ccw"];

/// An unknown word, and a misspelt one.
const UNKNOWN: [&str; 2] = ["nonsense", "pointmode"];

/// All programs.
pub fn all() -> Vec<Attribute> {
    let mut all = Vec::new();
    for (version, name, required) in VERSIONS {
        for place in PLACES.iter().filter(|place| is_in(place, version)) {
            let is_kept = |stage: &&ShaderStage| {
                !version.is_es || [Vertex, Fragment, Compute].contains(stage)
            };
            for stage in place.stages.iter().filter(is_kept) {
                let here = Here { version, name, required, place, stage: *stage };
                all.extend(here.qualifiers());
                all.extend(here.layouts());
            }
        }
    }
    all
}

/// True if a version has this kind of declaration.
fn is_in(place: &Place, version: Version) -> bool {
    let is_of_desktop = [Site::Subroutine, Site::SubroutineUniform].contains(&place.site)
        || ["gl_FragCoord", "gl_FragDepth"].contains(&place.name);
    !(version.is_es && is_of_desktop)
}

/// A place in a stage of a version.
struct Here<'a> {
    version: Version,
    name: &'static str,
    required: &'static str,
    place: &'a Place,
    stage: ShaderStage,
}

impl Here<'_> {
    fn qualifiers(&self) -> Vec<Attribute> {
        let words = qualifier_words().iter().flat_map(|row| row.words);
        let mut words: Vec<&str> = words.copied().collect();
        words.sort_unstable();
        words.dedup();
        let made =
            words.into_iter().map(|word| self.program(word, word, "", self.of_qualifier(word)));
        made.collect()
    }

    fn layouts(&self) -> Vec<Attribute> {
        let rows = layout_words().iter();
        let known = rows.flat_map(|row| {
            // Words of one row are rejected alike.
            let is_here = row.sites.contains(&self.place.site) && row.stages.contains(&self.stage);
            let count = if is_here { row.words.len() } else { 1 };
            row.words.iter().take(count).map(move |word| (*word, row))
        });
        let mut words: Vec<(&str, &LayoutWords)> = known.collect();
        words.sort_by_key(|(word, _)| *word);
        words.dedup_by_key(|(word, _)| *word);
        let mut made = Vec::new();
        for (word, row) in words {
            let (value, none) = match row.value {
                LayoutValue::Number => (format!(" = {}", value(word)), String::new()),
                LayoutValue::Absent => (String::new(), " = 1".to_owned()),
            };
            let needed = prerequisite(word, self.place.site);
            let expected = self.of_layout(word);
            let extension = self.extension(word);
            let text = format!("{needed}layout({word}{value})");
            made.push(self.program(word, &text, extension, expected));
            if !matches!(expected, Expected::Refused) {
                let text = format!("{needed}layout({word}{none})");
                let mut wrong = self.program(word, &text, extension, Expected::Refused);
                wrong.place += if none.is_empty() { " without a value" } else { " with a value" };
                made.push(wrong);
            }
        }
        made.extend(
            UNKNOWN
                .map(|word| self.program(word, &format!("layout({word})"), "", Expected::Refused)),
        );
        made.extend([("layout", "layout()"), ("layout", "layout(shared,)")].map(|(word, text)| {
            let mut program = self.program(word, text, "", Expected::Refused);
            program.place = format!("{} as {text}", program.place);
            program
        }));
        made
    }

    /// The expected treatment of a keyword.
    fn of_qualifier(&self, word: &str) -> Expected {
        if let Some(expected) = self.of_storage(word) {
            return expected;
        }
        let (site, kind) = (self.place.site, self.place.kind);
        let mut rows = qualifier_words().iter();
        let row = rows.find(|row| row.words.contains(&word) && row.sites.contains(&site));
        let Some(row) = row else { return Expected::Refused };
        let is_missing =
            self.version.is_es && word == "noperspective" || self.place.name == "block";
        let is_precision = ["lowp", "mediump", "highp"].contains(&word);
        let is_compared = matches!(
            site,
            Site::Uniform | Site::Input | Site::InputMember | Site::Output | Site::OutputMember
        );
        if is_compared && is_precision && (site == Site::Uniform || kind != Kind::Boolean) {
            // In GLSL ES (4.5.4) samplers are lowp unless they say otherwise; the others take the program's highp.
            let default = if kind == Kind::Sampler { "lowp" } else { "highp" };
            let is_kept = self.version.is_es && kind != Kind::Boolean && word != default;
            return if is_kept {
                Expected::Carried
            } else {
                Expected::NoEffect("only GLSL ES compares precisions, and this one is the default")
            };
        }
        if self.place.name == "input statement in a function" {
            return Expected::Refused;
        }
        if self.place.name == "known variable in a function" {
            // Without the word the statement reads the variable.
            return if word == "precise" { Expected::Carried } else { Expected::Refused };
        }
        if is_missing || !self.suits(word) || kind == Kind::Boolean && word != "precise" {
            return Expected::Refused;
        }
        row.treatment.into()
    }

    /// True if the stage and the type allow the keyword, given that its site does.
    fn suits(&self, word: &str) -> bool {
        let is_varying = matches!(self.place.site, Site::Input | Site::Output);
        let is_end = match self.place.site {
            Site::Input | Site::InputBlock | Site::InputMember => self.stage == Vertex,
            Site::Output | Site::OutputBlock | Site::OutputMember => self.stage == Fragment,
            _ => false,
        };
        match word {
            "smooth" | "flat" | "noperspective" | "centroid" | "sample" => {
                !is_end && self.place.kind != Kind::Builtin
            }
            "patch" => {
                let is_of_patch = match self.place.site {
                    Site::Input => self.stage == Evaluation,
                    Site::Output | Site::OutputBlock => self.stage == Control,
                    _ => false,
                };
                is_of_patch && self.place.kind == Kind::Value
            }
            "invariant" => {
                self.place.name != "gl_FragCoord"
                    && (!is_varying || self.place.site == Site::Output)
            }
            "coherent" | "volatile" | "restrict" | "readonly" | "writeonly" => {
                let is_of_type = matches!(self.place.site, Site::Uniform | Site::Parameter);
                let is_in_uniforms =
                    matches!(self.place.site, Site::UniformBlock | Site::UniformMember);
                !is_in_uniforms && (!is_of_type || self.place.kind == Kind::Image)
            }
            _ => true,
        }
    }

    /// The expected treatment of a storage qualifier.
    fn of_storage(&self, word: &str) -> Option<Expected> {
        if !STORAGE.contains(&word) {
            return None;
        }
        let carried = |is_right: bool| if is_right { Expected::Carried } else { Expected::Refused };
        let giving = [Vertex, Evaluation, Geometry].contains(&self.stage);
        let is_compute = self.stage == Compute;
        Some(match (self.place.name, word) {
            (_, _) if self.place.has_storage() => Expected::Refused,
            ("variable", "in") => carried([Vertex, Fragment].contains(&self.stage)),
            ("variable", "out") => carried(giving || self.stage == Fragment),
            ("variable" | "array", "uniform") => Expected::Carried,
            ("initialised variable", "uniform") => carried(!self.version.is_es),
            ("array", "in") => carried(self.stage == Geometry),
            ("array", "out") => Expected::Carried,
            ("stage alone", "in" | "out" | "uniform" | "buffer") => {
                Expected::NoEffect("a statement without layout words says nothing")
            }
            ("variable", "shared") => carried(is_compute),
            ("initialised variable", "const") => Expected::Carried,
            ("block", "in") => carried(self.stage == Fragment),
            ("block", "out") => carried(giving),
            ("block", "uniform" | "buffer") => Expected::Carried,
            ("parameter", "out" | "inout") => Expected::Carried,
            ("read parameter" | "image parameter", "const") => self.row(word),
            ("parameter" | "read parameter" | "image parameter", "in") => self.row(word),
            ("read parameter", "out" | "inout") => Expected::Carried,
            ("local variable" | "variable of a loop", "const") => self.row(word),
            ("condition of a loop", "const") => Expected::NoEffect("nothing writes to it"),
            ("input member", "in") | ("output member", "out") => self.row(word),
            ("uniform member", "uniform") | ("storage member", "buffer") => self.row(word),
            (_, _) => Expected::Refused,
        })
    }

    fn row(&self, word: &str) -> Expected {
        let mut rows = qualifier_words().iter();
        let row =
            rows.find(|row| row.words.contains(&word) && row.sites.contains(&self.place.site));
        row.map_or(Expected::Refused, |row| row.treatment.into())
    }

    /// The expected treatment of a layout word.
    fn of_layout(&self, word: &str) -> Expected {
        let (site, stage) = (self.place.site, self.stage);
        let mut rows = layout_words().iter();
        let row = rows.find(|row| {
            row.words.contains(&word) && row.sites.contains(&site) && row.stages.contains(&stage)
        });
        let Some(row) = row.filter(|_| self.suits_layout(word)) else { return Expected::Refused };
        let is_there = row.is_in(self.version) || row.extension().is_some() && self.wants(row);
        if !is_there {
            return Expected::Refused;
        }
        let expected = row.treatment.into();
        if expected == Expected::Carried && DEFAULTS.contains(&word) {
            return Expected::NoEffect("it says what holds without it");
        }
        expected
    }

    /// True if the declaration allows the word, given that its site does.
    fn suits_layout(&self, word: &str) -> bool {
        let (kind, stage) = (self.place.kind, self.stage);
        let is_format = kind == Kind::Image || !is_format(word);
        let is_captured = ![Control, Fragment].contains(&stage) || !word.starts_with("xfb_");
        let is_owner = match word {
            "origin_upper_left" | "pixel_center_integer" => self.place.name == "gl_FragCoord",
            "depth_any" | "depth_greater" | "depth_less" | "depth_unchanged" => {
                self.place.name == "gl_FragDepth"
            }
            // Members have the stream of their block.
            "stream" => self.place.site != Site::OutputMember,
            _ => true,
        };
        let is_of_type = self.place.site != Site::Uniform
            || match word {
                "binding" => kind != Kind::Value,
                "location" => kind != Kind::Counter,
                "offset" => kind == Kind::Counter,
                _ => true,
            };
        is_format && is_captured && is_owner && is_of_type
    }

    /// True if an extension that the program enables provides the word.
    fn wants(&self, row: &LayoutWords) -> bool {
        let desktop = Version { number: 460, is_es: false, is_compatibility: true };
        let es = Version { number: 320, is_es: true, is_compatibility: false };
        !(row.is_in(desktop) || self.version.is_es && row.is_in(es))
    }

    /// The extension that a program with the word enables.
    fn extension(&self, word: &str) -> &'static str {
        let mut rows = layout_words().iter();
        let row = rows.find(|row| {
            row.words.contains(&word)
                && row.sites.contains(&self.place.site)
                && row.stages.contains(&self.stage)
        });
        row.filter(|row| self.wants(row)).and_then(LayoutWords::extension).unwrap_or_default()
    }

    fn program(&self, word: &str, text: &str, extension: &str, expected: Expected) -> Attribute {
        Attribute {
            language: Language::Glsl,
            word: word.to_owned(),
            place: format!("{} of the {}", self.place.name, self.stage.properties().header),
            version: self.name.to_owned(),
            expected,
            text: self.case(word, text, extension),
            bare: self.case(word, bare(word, text), extension),
        }
    }

    fn case(&self, word: &str, text: &str, extension: &str) -> String {
        let mut case = format!("[require]\n{}", self.required);
        for stage in around(self.stage) {
            case.push_str(&format!("\n[{}]\n#version {}\n", stage.properties().header, self.name));
            let is_here = stage == self.stage;
            if is_here && !extension.is_empty() {
                case.push_str(&format!("#extension {extension} : enable\n"));
            }
            if self.version.is_es {
                case.push_str(
                    "precision highp float; precision highp int; precision highp image2D; precision highp iimage2D; precision highp uimage2D;\n",
                );
            }
            let (declarations, code) = needs(stage);
            for (words, declaration) in declarations {
                let is_of_site = match self.place.site {
                    Site::StageInput => declaration.ends_with("in;"),
                    Site::StageOutput => declaration.ends_with("out;"),
                    _ => false,
                };
                let is_superfluous =
                    is_here && is_of_site && words.split(' ').any(|known| known == word);
                if !is_superfluous {
                    case.push_str(&format!("{declaration}\n"));
                }
            }
            let [global, local] = [self.place.global, self.place.local].map(|place| {
                let place = if is_here { typed(place, word) } else { String::new() };
                // Without the word nothing is left of such a statement.
                let is_whole = self.place.site == Site::Known && text.is_empty();
                let place = if is_whole {
                    place.split('@').next().unwrap_or_default().to_owned()
                } else {
                    place
                };
                one_way(&place, text, self.version.is_es).replace('@', text)
            });
            case.push_str(&format!("{global}\nvoid main() {{ {local} {code} }}\n"));
        }
        case + "\n[test]\nlink success\n"
    }
}

/// In GLSL ES, an image of most formats, or without one, is only read or only written.
fn one_way(place: &str, text: &str, is_es: bool) -> String {
    let is_free = !is_es || place.contains("layout(r32f)") || !place.contains("image2D");
    if is_free || ["readonly", "writeonly"].contains(&text) {
        return place.to_owned();
    }
    place.replace('@', "@ readonly")
}

/// Gives an image the type that its format requires, and only one format.
fn typed(global: &str, word: &str) -> String {
    if !is_format(word) {
        return global.to_owned();
    }
    let kind = if word.ends_with("ui") {
        "uimage2D"
    } else if word.ends_with('i') {
        "iimage2D"
    } else {
        "image2D"
    };
    global.replace("layout(r32f) ", "").replace("image2D", kind)
}

fn is_format(word: &str) -> bool {
    let mut rows = layout_words().iter();
    let is_of_formats =
        |words: &[&str]| ["rgba8", "rg8", "r16"].iter().any(|word| words.contains(word));
    rows.any(|row| is_of_formats(row.words) && row.words.contains(&word))
}

/// Other qualifiers that a declaration with the word requires.
fn prerequisite(word: &str, site: Site) -> &'static str {
    match (word, site) {
        (
            "component" | "index",
            Site::Input | Site::InputMember | Site::Output | Site::OutputMember,
        ) => "layout(location = 1) ",
        ("align", Site::UniformBlock) => "layout(std140) ",
        ("align", Site::StorageBlock) => "layout(std430) ",
        (_, _) => "",
    }
}

/// A value that differs from the default.
fn value(word: &str) -> u32 {
    match word {
        "xfb_offset" | "offset" | "align" => 16,
        "xfb_stride" => 64,
        "xfb_buffer" => 0,
        "vertices" => 3,
        "max_vertices" => 4,
        "local_size_x" | "local_size_y" | "local_size_z" | "invocations" => 2,
        _ => 1,
    }
}

/// The text without the word.
fn bare<'t>(word: &str, text: &'t str) -> &'t str {
    let start = text.rfind("layout(").filter(|_| text.contains(&format!("({word}")));
    start.map_or("", |start| &text[..start])
}
