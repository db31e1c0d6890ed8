//! A program as lists of lines that rules can extend, and its text.

use std::fmt::Write as _;

use fastrand::Rng;

use crate::generate::invalid::version::Version;

/// Both stages of a program.
#[derive(Clone, Debug)]
pub struct Program {
    /// Version of all its shaders.
    pub version: Version,
    /// Shader objects of the vertex stage; the first has `main`.
    pub vertex: Vec<Object>,
    /// Shader objects of the fragment stage; the first has `main`.
    pub fragment: Vec<Object>,
    /// Lines of `[require]` besides the version.
    pub requirements: Vec<String>,
    /// Approximate number of varying slots in use.
    pub slots: u32,
    names: u32,
}

/// One shader object.
#[derive(Clone, Debug, Default)]
pub struct Object {
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

/// A stage.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stage {
    /// The vertex stage.
    Vertex,
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
    /// A random stage.
    pub fn random(rng: &mut Rng) -> Self {
        if rng.bool() { Self::Vertex } else { Self::Fragment }
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
    /// A program whose stages have an empty `main`.
    pub fn new(version: Version) -> Self {
        let object = |ending: &str| {
            let ending = ending.to_owned();
            Object { main: Some(Vec::new()), ending, ..Object::default() }
        };
        Self {
            version,
            vertex: vec![object("gl_Position = acc;")],
            fragment: vec![object("")],
            requirements: Vec::new(),
            slots: 0,
            names: 0,
        }
    }

    /// The objects of a stage.
    pub fn objects(&mut self, stage: Stage) -> &mut Vec<Object> {
        match stage {
            Stage::Vertex => &mut self.vertex,
            Stage::Fragment => &mut self.fragment,
        }
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
        for object in &self.vertex {
            let _ = write!(text, "\n[vertex shader]\n{}", object.text(self.version, Stage::Vertex));
        }
        for object in &self.fragment {
            let _ =
                write!(text, "\n[fragment shader]\n{}", object.text(self.version, Stage::Fragment));
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
        for line in self.globals.iter().chain(&self.functions) {
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
