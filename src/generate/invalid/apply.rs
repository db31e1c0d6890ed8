//! Breaks a rule in one of its ways.

use fastrand::Rng;

use crate::invalid::program::{Object, Place, Program, Stage};
use crate::invalid::rule::{Edit, Needs, Rule, Where};
use crate::invalid::types::Plain;

/// Breaks `rule` in `program`, and returns a description of the place for the case's comment.
pub fn apply(rule: &Rule, program: &mut Program, rng: &mut Rng) -> String {
    let version = program.version;
    let ways: Vec<_> = rule.ways.iter().filter(|way| way.is_in(version)).collect();
    let Some(way) = rng.choice(ways) else { return String::new() };
    let words = Words::random(program, rng);
    let mut writer = Writer { program, words, needs: rule.needs, told: Vec::new() };
    match way.edit {
        Edit::One(place, declaration, statement) => {
            writer.add(place.stage(rng), declaration, statement, rng);
        }
        Edit::Pair([vertex, write], [fragment, read]) => {
            writer.add(Stage::Vertex, vertex, write, rng);
            writer.add(Stage::Fragment, fragment, read, rng);
        }
        Edit::Objects(place, [declaration, statement], second) => {
            let stage = place.stage(rng);
            writer.add(stage, declaration, statement, rng);
            let globals = vec![writer.words.fill(second)];
            writer.program.objects(stage).push(Object { globals, ..Object::default() });
            writer.told.push(format!("in two objects of the {} stage", stage.name()));
        }
        Edit::Head(place, text) => {
            let stage = place.stage(rng);
            let text = writer.words.fill(text);
            writer.program.stage(stage).head.push(text);
            writer.told.push(format!("{} stage", stage.name()));
        }
        Edit::Change(edit) => edit(writer.program, rng),
    }
    writer.told.join("; ")
}

impl Where {
    /// A stage that it selects.
    pub(super) fn stage(self, rng: &mut Rng) -> Stage {
        match self {
            Self::Vertex => Stage::Vertex,
            Self::Control => Stage::Control,
            Self::Evaluation => Stage::Evaluation,
            Self::Geometry => Stage::Geometry,
            Self::Fragment => Stage::Fragment,
            Self::Either => Stage::random(rng),
        }
    }
}

struct Writer<'a> {
    program: &'a mut Program,
    words: Words,
    needs: Needs,
    told: Vec<String>,
}

impl Writer<'_> {
    fn add(&mut self, stage: Stage, declaration: &str, statement: &str, rng: &mut Rng) {
        if !declaration.is_empty() {
            let text = self.words.fill(declaration);
            self.program.declare(stage, text);
        }
        if statement.is_empty() {
            return;
        }
        let place = match self.needs {
            Needs::Declarations if rng.u8(0..4) == 0 => {
                self.told.push(format!("{} stage: not used", stage.name()));
                return;
            }
            Needs::Declarations | Needs::Statements => Place::random(rng),
            Needs::ReachedStatements => {
                if rng.bool() {
                    Place::Main
                } else {
                    Place::Called
                }
            }
        };
        self.told.push(format!("{} stage: {}", stage.name(), place.describe()));
        let text = self.words.fill(statement);
        self.program.state(stage, place, &text);
    }
}

/// Substitutions for the placeholders of a way.
struct Words(Vec<(&'static str, String)>);

impl Words {
    fn random(program: &mut Program, rng: &mut Rng) -> Self {
        let version = program.version;
        let (first, second) = loop {
            let (first, second) = (Plain::floats(version, rng), Plain::floats(version, rng));
            if first != second {
                break (first, second);
            }
        };
        let vector = rng.u8(2..=4);
        let other = 2 + (vector - 2 + rng.u8(1..=2)) % 3;
        let sample = if version.since(130, 300) { "texture" } else { "texture2D" };
        let keyword = str::to_owned;
        Self(vec![
            // Longer placeholders come first: `$i` is a prefix of `$in`.
            ("$attribute", keyword(version.attribute())),
            ("$out", keyword(version.output())),
            ("$tex", keyword(sample)),
            ("$in", keyword(version.input())),
            ("$n", program.name("n")),
            ("$m", program.name("m")),
            ("$k", program.name("k")),
            ("$T", first.name()),
            ("$U", second.name()),
            ("$v", Plain::float(vector).name()),
            ("$w", Plain::float(other).name()),
            ("$i", rng.u8(0..4).to_string()),
        ])
    }

    fn fill(&self, text: &str) -> String {
        let fill = |text: String, (word, meaning): &(&str, String)| text.replace(word, meaning);
        self.0.iter().fold(text.to_owned(), fill)
    }
}
