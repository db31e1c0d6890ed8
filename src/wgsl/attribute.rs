//! Checks that every attribute is on a declaration or statement where WGSL allows it (WGSL, "Attributes"). naga's
//! reader silently drops misplaced attributes.

use ir::diagnostic::{CompileError, Diagnostic};
use ir::source::Span;

use crate::token::tokens;

/// The kind of declaration or statement that an attribute belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Owner {
    /// An entry point, with the attribute of its stage.
    Entry(&'static str),
    /// An input or output of an entry point.
    Port,
    /// A function that is not an entry point.
    Function,
    /// A parameter or the result of a function that is not an entry point.
    Parameter,
    /// A variable in the `storage` address space.
    Storage,
    /// Any other variable at module scope.
    Variable,
    Override,
    /// A constant, an alias, a struct or an assertion.
    Other,
    /// A member of a struct.
    Member,
    /// A statement.
    Statement,
}

/// The start of a declaration in the `storage` address space.
const STORAGE: &str = "var<storage";

/// The attributes of stages; some are extensions by naga.
const STAGES: [&str; 9] = [
    "vertex",
    "fragment",
    "compute",
    "task",
    "mesh",
    "ray_generation",
    "any_hit",
    "closest_hit",
    "miss",
];

/// Attributes of inputs and outputs.
const PORTS: [&str; 6] =
    ["location", "builtin", "interpolate", "invariant", "blend_src", "per_primitive"];

/// All other attributes that naga reads.
const OTHERS: [&str; 14] = [
    "align",
    "binding",
    "coherent",
    "const",
    "diagnostic",
    "early_depth_test",
    "group",
    "id",
    "incoming_payload",
    "must_use",
    "payload",
    "size",
    "volatile",
    "workgroup_size",
];

impl Owner {
    /// True if this owner may have the attribute `name`.
    fn may_have(self, name: &str) -> bool {
        match self {
            Self::Entry(stage) => {
                let has_size = ["compute", "task", "mesh"].contains(&stage);
                name == stage
                    || name == "diagnostic"
                    || name == "early_depth_test" && stage == "fragment"
                    || name == "workgroup_size" && has_size
                    || ["payload", "incoming_payload"].contains(&name)
            }
            Self::Port => PORTS.contains(&name),
            Self::Function => ["must_use", "diagnostic", "const"].contains(&name),
            Self::Parameter | Self::Other => false,
            Self::Storage => ["group", "binding", "coherent", "volatile"].contains(&name),
            Self::Variable => ["group", "binding"].contains(&name),
            Self::Override => name == "id",
            Self::Member => PORTS.contains(&name) || ["align", "size"].contains(&name),
            Self::Statement => name == "diagnostic",
        }
    }
}

/// Checks the attributes of a shader, which begins at byte `base` of the case. naga itself reports attribute names that
/// it does not know.
pub(super) fn check(shader: &str, base: usize) -> Result<(), CompileError> {
    let mut scan = Scan { pending: Vec::new(), owner: Owner::Other, depth: 0, parens: 0 };
    let mut wrong = Vec::new();
    let tokens = tokens(shader);
    let mut tokens = tokens.iter().peekable();
    while let Some(token) = tokens.next() {
        if token.text != "@" {
            let mut next = tokens.clone().map(|token| token.text);
            let is_storage = token.text == "var" && next.by_ref().take(2).eq(["<", "storage"]);
            wrong.extend(scan.step(if is_storage { STORAGE } else { token.text }));
            continue;
        }
        let Some(name) = tokens.next() else { break };
        scan.attribute(Attribute { name: name.text, start: token.start });
        wrong.extend(scan.inner());
        // The arguments of an attribute are not declarations or statements.
        let mut open = 0_usize;
        while let Some(next) = tokens.peek() {
            match next.text {
                "(" => open += 1,
                ")" if open > 0 => open -= 1,
                _ if open > 0 => {}
                _ => break,
            }
            tokens.next();
            if open == 0 {
                break;
            }
        }
    }
    wrong.extend(scan.take(Owner::Other));
    if wrong.is_empty() {
        return Ok(());
    }
    let errors = wrong.into_iter().map(|attribute| {
        let message = format!("the attribute `@{}` is not allowed here", attribute.name);
        Diagnostic::error(attribute.span(base), message)
    });
    Err(CompileError::Diagnostics(errors.collect()))
}

#[derive(Clone, Copy, Debug)]
struct Attribute<'s> {
    name: &'s str,
    start: usize,
}

impl Attribute<'_> {
    fn span(&self, base: usize) -> Span {
        let start = base + self.start;
        Span::new(start, start + 1 + self.name.len())
    }
}

/// State of the scan at a token.
struct Scan<'s> {
    /// Attributes whose owner is not yet known.
    pending: Vec<Attribute<'s>>,
    /// The current declaration at module scope.
    owner: Owner,
    /// Number of open braces.
    depth: usize,
    parens: usize,
}

impl<'s> Scan<'s> {
    fn attribute(&mut self, attribute: Attribute<'s>) {
        let all = STAGES.iter().chain(&PORTS).chain(&OTHERS);
        if all.into_iter().any(|known| *known == attribute.name) {
            self.pending.push(attribute);
        }
    }

    /// The misplaced attributes among those inside a declaration.
    fn inner(&mut self) -> Vec<Attribute<'s>> {
        let is_inside = self.depth > 0 || self.parens > 0 || self.owner == Owner::Port;
        let owner = match self.owner {
            Owner::Entry(_) | Owner::Function if self.depth > 0 => Owner::Statement,
            Owner::Entry(_) => Owner::Port,
            Owner::Function => Owner::Parameter,
            Owner::Member => Owner::Member,
            Owner::Port
            | Owner::Parameter
            | Owner::Storage
            | Owner::Variable
            | Owner::Override
            | Owner::Other
            | Owner::Statement => return Vec::new(),
        };
        let is_header = matches!(self.owner, Owner::Entry(_) | Owner::Function);
        if is_inside || is_header { self.take(owner) } else { Vec::new() }
    }

    fn take(&mut self, owner: Owner) -> Vec<Attribute<'s>> {
        let pending = std::mem::take(&mut self.pending);
        pending.into_iter().filter(|attribute| !owner.may_have(attribute.name)).collect()
    }

    /// Consumes a token that is not an attribute. Returns the pending attributes that its declaration may not have.
    fn step(&mut self, token: &str) -> Vec<Attribute<'s>> {
        match token {
            "{" => self.depth += 1,
            "}" => {
                self.depth = self.depth.saturating_sub(1);
                if self.depth == 0 {
                    self.owner = Owner::Other;
                }
            }
            "(" => self.parens += 1,
            ")" => self.parens = self.parens.saturating_sub(1),
            ";" if self.depth == 0 => {
                self.owner = Owner::Other;
                return self.take(Owner::Other);
            }
            "fn" | STORAGE | "var" | "override" | "const" | "alias" | "struct" | "const_assert"
                if self.depth == 0 && self.parens == 0 =>
            {
                return self.declaration(token);
            }
            _ => {}
        }
        Vec::new()
    }

    fn declaration(&mut self, keyword: &str) -> Vec<Attribute<'s>> {
        let mut names = self.pending.iter().map(|attribute| attribute.name);
        let stage = names.find_map(|name| STAGES.into_iter().find(|stage| *stage == name));
        let owner = match (keyword, stage) {
            ("fn", Some(stage)) => Owner::Entry(stage),
            ("fn", None) => Owner::Function,
            (STORAGE, _) => Owner::Storage,
            ("var", _) => Owner::Variable,
            ("override", _) => Owner::Override,
            (_, _) => Owner::Other,
        };
        let wrong = self.take(owner);
        self.owner = if keyword == "struct" { Owner::Member } else { owner };
        wrong
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Checks which attributes of a text are rejected.
    #[track_caller]
    fn check(text: &str, expected: &str) {
        let errors = match super::check(text, 0) {
            Err(CompileError::Diagnostics(errors)) => errors,
            Err(other) => panic!("{other:?}"),
            Ok(()) => Vec::new(),
        };
        let shown = errors.iter().map(|error| {
            text[std::ops::Range::from(error.span.expect("an error has a place"))].to_owned()
        });
        assert_eq!(shown.collect::<Vec<_>>().join(" "), expected, "{text}");
    }

    #[test]
    fn attributes_have_owners() {
        check("@workgroup_size(2) fn f() {}", "@workgroup_size");
        check("@compute @workgroup_size(f(1), (2)) fn main() {}", "");
        check("@vertex @early_depth_test(force) fn main() {}", "@early_depth_test");
        check("@must_use fn f() -> f32 { return 1.0; }", "");
        check("@id(1) var<private> a: f32;", "@id");
        check("@id(3); override a = 1; const b = 2; @must_use", "@id @must_use");
        check("@group(0) @binding(1) var<uniform> a: f32; @id(3) override b: f32;", "");
        check(
            "@id(1) const a = 1; @align(16) struct S { @size(32) @location(1) a: f32 }",
            "@id @align",
        );
        check("struct S { @group(1) a: f32, @must_use b: f32, }", "@group @must_use");
    }

    #[test]
    fn parameters_and_statements_have_their_own() {
        check("fn f(@location(1) a: f32) -> @builtin(position) vec4f {}", "@location @builtin");
        check("@fragment fn main(@location(1) a: f32) -> @location(0) vec4f {}", "");
        check("@fragment fn main(@align(16) @location(1) a: f32) {}", "@align");
        check("fn f() { @diagnostic(off, x) if true {} @id(1) var a = 1; }", "@id");
        check("fn f() @diagnostic(off, x) {}", "@diagnostic");
        check("fn f() -> @must_use f32 @workgroup_size(1) {}", "@must_use @workgroup_size");
        check("fn f(@diagnostic(off, x) a: f32) {} struct S @align(4) {}", "@diagnostic @align");
    }

    #[test]
    fn comments_and_unknown_names_do_not_count() {
        check("/* @id(1) /* */ @id(2) */ fn f() {} // @id(3)\n@nonsense fn g() {}", "");
        check("/* ends nowhere", "");
        check("@", "");
        check("@id(", "@id");
    }
}
