//! A program as lists of lines that rules can extend, and its text.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use fastrand::Rng;

use crate::invalid::version::Version;

/// The stages of a program.
#[derive(Clone, Debug)]
pub struct Program {
    /// Version of all its shaders that have none of their own.
    pub version: Version,
    /// Shader objects of each stage; the first has `main`.
    pub stages: BTreeMap<Stage, Vec<Object>>,
    /// Lines of `[require]` besides the version.
    pub requirements: Vec<String>,
    /// Approximate number of varying slots in use.
    pub slots: u32,
    names: u32,
}

/// One shader object.
#[derive(Clone, Debug, Default)]
pub struct Object {
    /// Its version, if it is not the program's.
    pub version: Option<Version>,
    /// Declarations of the stage's layout, such as its primitives.
    pub layouts: Vec<String>,
    /// Lines after `#version`, such as `#extension`.
    pub head: Vec<String>,
    /// Global declarations.
    pub globals: Vec<String>,
    /// Whole functions besides `main`.
    pub functions: Vec<String>,
    /// Statements of `main`, if this object has it.
    pub main: Option<Vec<String>>,
    /// The last statement of `main`.
    pub ending: String,
}

/// A stage, in the order of the pipeline.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Stage {
    /// The vertex stage.
    Vertex,
    /// The tessellation control stage.
    Control,
    /// The tessellation evaluation stage.
    Evaluation,
    /// The geometry stage.
    Geometry,
    /// The fragment stage.
    Fragment,
}

/// Placement of a statement.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    /// In `main`.
    Main,
    /// After `if (false)` in `main`.
    Dead,
    /// In a function that `main` calls.
    Called,
    /// In a function that is never called.
    Uncalled,
}

impl Stage {
    /// The vertex or the fragment stage.
    pub fn random(rng: &mut Rng) -> Self {
        if rng.bool() { Self::Vertex } else { Self::Fragment }
    }

    /// Name in messages and in the headers of sections.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Vertex => "vertex",
            Self::Control => "tessellation control",
            Self::Evaluation => "tessellation evaluation",
            Self::Geometry => "geometry",
            Self::Fragment => "fragment",
        }
    }

    /// True if its inputs are arrays over vertices.
    pub const fn has_vertices(self) -> bool {
        match self {
            Self::Control | Self::Evaluation | Self::Geometry => true,
            Self::Vertex | Self::Fragment => false,
        }
    }

    /// An object with an empty `main`.
    fn object(self) -> Object {
        let (layouts, ending): (&[&str], _) = match self {
            Self::Vertex => (&[], "gl_Position = acc;"),
            Self::Control => (&["layout(vertices = 3) out;"], "gl_TessLevelOuter[0] = acc.x;"),
            Self::Evaluation => (&["layout(triangles) in;"], "gl_Position = acc;"),
            Self::Geometry => (
                &["layout(triangles) in;", "layout(triangle_strip, max_vertices = 3) out;"],
                "gl_Position = acc; EmitVertex();",
            ),
            Self::Fragment => (&[], ""),
        };
        Object {
            layouts: layouts.iter().map(|layout| (*layout).to_owned()).collect(),
            main: Some(Vec::new()),
            ending: ending.to_owned(),
            ..Object::default()
        }
    }
}

impl Place {
    /// A random placement; `main` is as likely as all others together.
    pub fn random(rng: &mut Rng) -> Self {
        match rng.u8(0..6) {
            0 => Self::Dead,
            1 => Self::Called,
            2 => Self::Uncalled,
            _ => Self::Main,
        }
    }

    /// Description for a case's comment.
    pub const fn describe(self) -> &'static str {
        match self {
            Self::Main => "in main",
            Self::Dead => "in main, never reached",
            Self::Called => "in a function that is called",
            Self::Uncalled => "in a function that is not called",
        }
    }
}

impl Program {
    /// A program whose stages have an empty `main`: a vertex and a fragment stage, with others between.
    pub fn new(version: Version, between: &[Stage]) -> Self {
        let stages = [Stage::Vertex, Stage::Fragment].into_iter().chain(between.iter().copied());
        Self {
            version,
            stages: stages.map(|stage| (stage, vec![stage.object()])).collect(),
            requirements: Vec::new(),
            slots: 0,
            names: 0,
        }
    }

    /// The objects of a stage.
    pub fn objects(&mut self, stage: Stage) -> &mut Vec<Object> {
        self.stages.entry(stage).or_default()
    }

    /// Two neighbouring stages.
    pub fn neighbours(&self, rng: &mut Rng) -> [Stage; 2] {
        let all: Vec<Stage> = self.stages.keys().copied().collect();
        let first = rng.usize(0..all.len() - 1);
        [all[first], all[first + 1]]
    }

    /// Two different stages, in their order.
    pub fn two_stages(&self, rng: &mut Rng) -> [Stage; 2] {
        let all: Vec<Stage> = self.stages.keys().copied().collect();
        let second = rng.usize(1..all.len());
        [all[rng.usize(0..second)], all[second]]
    }

    /// The object with `main`.
    pub fn stage(&mut self, stage: Stage) -> &mut Object {
        &mut self.objects(stage)[0]
    }

    /// A new unique name.
    pub fn name(&mut self, prefix: &str) -> String {
        self.names += 1;
        format!("{prefix}{}", self.names)
    }

    /// Adds a global declaration.
    pub fn declare(&mut self, stage: Stage, text: impl Into<String>) {
        self.stage(stage).globals.push(text.into());
    }

    /// Adds a declaration unless it exists.
    pub fn declare_once(&mut self, stage: Stage, text: String) {
        let globals = &mut self.stage(stage).globals;
        if !globals.contains(&text) {
            globals.push(text);
        }
    }

    /// Adds a statement.
    pub fn state(&mut self, stage: Stage, place: Place, text: &str) {
        let name = self.name("f");
        let object = self.stage(stage);
        let main = object.main.get_or_insert_default();
        match place {
            Place::Main => main.push(format!("{{ {text} }}")),
            Place::Dead => main.push(format!("if (false) {{ {text} }}")),
            Place::Called => {
                main.push(format!("{name}();"));
                object.functions.push(format!("void {name}() {{ {text} }}"));
            }
            Place::Uncalled => object.functions.push(format!("void {name}() {{ {text} }}")),
        }
    }

    /// The sections of a case, `[require]` first.
    pub fn text(&self) -> String {
        let mut text = format!("[require]\n{}", self.version.requirement());
        for line in &self.requirements {
            let _ = writeln!(text, "{line}");
        }
        for (stage, objects) in &self.stages {
            for object in objects {
                let shader = object.text(object.version.unwrap_or(self.version), *stage);
                let _ = write!(text, "\n[{} shader]\n{shader}", stage.name());
            }
        }
        text.push_str("\n[test]\nlink success\n");
        text
    }
}

impl Object {
    fn text(&self, version: Version, stage: Stage) -> String {
        let mut text = version.directive();
        for line in &self.head {
            let _ = writeln!(text, "{line}");
        }
        if version.is_es()
            && stage == Stage::Fragment
            && !self.head.iter().any(|line| line.contains("no precision"))
        {
            text.push_str("precision highp float;\nprecision highp int;\n");
        }
        text.push_str("vec4 acc = vec4(0.0);\n");
        for line in self.layouts.iter().chain(&self.globals).chain(&self.functions) {
            let _ = writeln!(text, "{line}");
        }
        if let Some(main) = &self.main {
            text.push_str("void main() {\n");
            for line in main {
                let _ = writeln!(text, "    {line}");
            }
            if !self.ending.is_empty() {
                let _ = writeln!(text, "    {}", self.ending);
            }
            text.push_str("}\n");
        }
        text
    }
}
