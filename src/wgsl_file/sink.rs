//! Makes visible what the entry points of a file compute, if they write nothing that can be read back.
//!
//! Statements are added to the text: they store local variables, the values of `let` declarations and of assignments to
//! `_` in a generated buffer, and at the end of the entry points also module-scope variables. A value is stored as words,
//! bit for bit. Where several invocations run, the words are added up, so their order has no effect.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

use ir::vulkan;
use naga::valid::{Capabilities, FunctionInfo, ModuleInfo, ValidationFlags, Validator};
use naga::{AddressSpace, Function, Module, ScalarKind, TypeInner};
use wgsl::token::{Token, tokens};

/// Maximum number of words of one value.
const MAX_LEAVES: usize = 16;

/// Maximum number of words of the buffer.
const MAX_WORDS: usize = 1024;

/// Name of the generated buffer.
const BUFFER: &str = "interstage_sink";

/// How values reach the buffer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Sinking {
    /// By stores of the only invocation.
    Stored,
    /// By atomic additions of all invocations.
    Added,
}

/// A shader that stores what it computes.
pub(super) struct Sunk {
    /// The text of the shader.
    pub(super) text: String,
    /// The binding of the buffer, as commands write it.
    pub(super) point: String,
    /// Number of words of the buffer.
    pub(super) words: usize,
}

/// The shader with added statements, or `None` if `entries` compute nothing that can be stored.
pub(super) fn sunk(source: &str, entries: &[&str], sinking: Sinking) -> Option<Sunk> {
    let named = with_names(source);
    let (text, (module, info)) = match checked(&named) {
        Some(module) => (named, module),
        // Not every value can have a name, such as a texture.
        None => (source.to_owned(), checked(source)?),
    };
    let shader = Shader { module: &module, info: &info, entries, sinking };
    let (insertions, words) = shader.insertions(&text);
    let (group, binding) = free_point(&module)?;
    let mut new = String::new();
    let mut from = 0;
    for (at, statements) in insertions {
        new.push_str(text.get(from..at)?);
        new.push_str(&statements);
        from = at;
    }
    new.push_str(text.get(from..)?);
    let scalar = match sinking {
        Sinking::Stored => "u32",
        Sinking::Added => "atomic<u32>",
    };
    let _ = write!(
        new,
        "\n@group({group}) @binding({binding}) var<storage, read_write> {BUFFER}: array<{scalar}, {words}>;\n"
    );
    let point = vulkan::shown(vulkan::point(group, binding));
    (words > 0 && checked(&new).is_some()).then_some(Sunk { text: new, point, words })
}

fn checked(text: &str) -> Option<(Module, ModuleInfo)> {
    let module = naga::front::wgsl::parse_str(text).ok()?;
    let mut validator = Validator::new(ValidationFlags::all(), Capabilities::all());
    let info = validator.validate(&module).ok()?;
    Some((module, info))
}

/// The text with a name for every value that is assigned to `_`.
fn with_names(source: &str) -> String {
    let tokens = tokens(source);
    let mut text = String::new();
    let (mut from, mut count, mut parens) = (0, 0, 0_usize);
    for (at, token) in tokens.iter().enumerate() {
        match token.text {
            "(" => parens += 1,
            ")" => parens = parens.saturating_sub(1),
            _ => {}
        }
        let next = |offset: usize| tokens.get(at + offset).map(|next| next.text);
        if token.text == "_" && parens == 0 && next(1) == Some("=") && next(2) != Some("=") {
            let _ = write!(text, "{}let interstage_{count}", &source[from..token.start]);
            (from, count) = (token.start + 1, count + 1);
        }
    }
    text + &source[from..]
}

/// A binding that no variable has.
fn free_point(module: &Module) -> Option<(u32, u32)> {
    let all = module.global_variables.iter();
    let taken: BTreeSet<_> =
        all.filter_map(|(_, own)| own.binding.map(|own| (own.group, own.binding))).collect();
    (0..4)
        .flat_map(|group| (0..32).map(move |binding| (group, binding)))
        .find(|point| !taken.contains(point))
}

/// A valid shader, and what is stored of it.
struct Shader<'a> {
    module: &'a Module,
    info: &'a ModuleInfo,
    /// Names of the entry points that run.
    entries: &'a [&'a str],
    sinking: Sinking,
}

/// The declarations in a function.
#[derive(Default)]
struct Body<'s> {
    name: &'s str,
    /// Values: their names and the ends of their declarations.
    declared: Vec<(&'s str, usize)>,
    /// Variables of the outermost block.
    variables: Vec<&'s str>,
    /// Position behind the opening brace.
    start: usize,
    /// Where the function's last statements may stand.
    end: usize,
    /// True if the function returns from an inner block.
    returns_early: bool,
}

impl Shader<'_> {
    /// Statements to insert, in order of their positions, and the number of words that they write.
    fn insertions(&self, text: &str) -> (Vec<(usize, String)>, usize) {
        let mut words = 0;
        let mut all = BTreeMap::<usize, String>::new();
        for body in bodies(&tokens(text)) {
            let Some((function, info)) = self.function(body.name) else { continue };
            let types = self.types(function, info);
            let mut add = |at: usize, path: &str, ty: Option<&TypeInner>| {
                let Some(ty) = ty else { return };
                let mut leaves = Vec::new();
                self.add_leaves(path, ty, &mut leaves);
                for leaf in leaves.into_iter().take(MAX_LEAVES) {
                    if words < MAX_WORDS {
                        let statement = self.statement(words, &leaf);
                        all.entry(at).or_default().push_str(&statement);
                        words += 1;
                    }
                }
            };
            for argument in &function.arguments {
                if let Some(name) = argument.name.as_deref() {
                    add(body.start, name, Some(&self.module.types[argument.ty].inner));
                }
            }
            for (name, at) in &body.declared {
                add(*at, name, types.get(name).copied());
            }
            for name in &body.variables {
                add(body.end, name, types.get(name).copied());
            }
            if self.entries.contains(&body.name) {
                for (name, ty) in self.module_variables(info, &body) {
                    add(body.end, name, Some(ty));
                }
            }
        }
        (all.into_iter().collect(), words)
    }

    fn function(&self, name: &str) -> Option<(&Function, &FunctionInfo)> {
        let mut functions = self.module.functions.iter();
        let found = functions.find(|(_, function)| function.name.as_deref() == Some(name));
        if let Some((handle, function)) = found {
            return Some((function, &self.info[handle]));
        }
        let mut entries = self.module.entry_points.iter().enumerate();
        let (index, entry) = entries.find(|(_, entry)| entry.name == name)?;
        self.entries.contains(&name).then(|| (&entry.function, self.info.get_entry_point(index)))
    }

    /// Types of the named values and variables of a function; names of several types are left out.
    fn types<'f>(
        &'f self,
        function: &'f Function,
        info: &'f FunctionInfo,
    ) -> BTreeMap<&'f str, &'f TypeInner> {
        let types = &self.module.types;
        let values = function.named_expressions.iter();
        let values =
            values.map(|(handle, name)| (name.as_str(), info[*handle].ty.inner_with(types)));
        let variables = function.local_variables.iter();
        let variables =
            variables.filter_map(|(_, own)| Some((own.name.as_deref()?, &types[own.ty].inner)));
        let mut all: BTreeMap<&str, Vec<&TypeInner>> = BTreeMap::new();
        for (name, ty) in values.chain(variables) {
            let own = all.entry(name).or_default();
            if !own.contains(&ty) {
                own.push(ty);
            }
        }
        let only = |(name, types): (&'f str, Vec<&'f TypeInner>)| match types[..] {
            [ty] => Some((name, ty)),
            _ => None,
        };
        all.into_iter().filter_map(only).collect()
    }

    /// The private and workgroup variables that a function uses. Those of the workgroup count only where all invocations
    /// reach the end, because others may still write them.
    fn module_variables(&self, info: &FunctionInfo, body: &Body<'_>) -> Vec<(&str, &TypeInner)> {
        let all = self.module.global_variables.iter();
        let seen = all.filter(|(handle, own)| match own.space {
            AddressSpace::Private => !info[*handle].is_empty(),
            AddressSpace::WorkGroup => !info[*handle].is_empty() && !body.returns_early,
            _ => false,
        });
        let types = &self.module.types;
        seen.filter_map(|(_, own)| Some((own.name.as_deref()?, &types[own.ty].inner))).collect()
    }

    fn statement(&self, word: usize, value: &str) -> String {
        match self.sinking {
            Sinking::Stored => format!(" {BUFFER}[{word}] = {value};"),
            Sinking::Added => format!(" atomicAdd(&{BUFFER}[{word}], {value});"),
        }
    }

    /// Adds the expression of each word of a value.
    fn add_leaves(&self, path: &str, ty: &TypeInner, all: &mut Vec<String>) {
        if all.len() >= MAX_LEAVES {
            return;
        }
        match ty {
            TypeInner::Scalar(scalar) => all.extend(words(path, *scalar)),
            TypeInner::Vector { size, scalar } => {
                for part in &["x", "y", "z", "w"][..*size as usize] {
                    all.extend(words(&format!("{path}.{part}"), *scalar));
                }
            }
            TypeInner::Matrix { columns, rows, scalar } => {
                for column in 0..*columns as usize {
                    for part in &["x", "y", "z", "w"][..*rows as usize] {
                        all.extend(words(&format!("{path}[{column}].{part}"), *scalar));
                    }
                }
            }
            TypeInner::Atomic(scalar) => {
                all.extend(words(&format!("atomicLoad(&{path})"), *scalar));
            }
            TypeInner::Array { base, size: naga::ArraySize::Constant(count), .. } => {
                for index in 0..count.get() {
                    self.add_leaves(
                        &format!("{path}[{index}]"),
                        &self.module.types[*base].inner,
                        all,
                    );
                    if all.len() >= MAX_LEAVES {
                        return;
                    }
                }
            }
            TypeInner::Struct { members, .. } => {
                for member in members {
                    if let Some(name) = &member.name {
                        let ty = &self.module.types[member.ty].inner;
                        self.add_leaves(&format!("{path}.{name}"), ty, all);
                    }
                }
            }
            _ => {}
        }
    }
}

/// The words of a scalar.
fn words(path: &str, scalar: naga::Scalar) -> Vec<String> {
    match (scalar.kind, scalar.width) {
        (ScalarKind::Float | ScalarKind::Sint, 4) => vec![format!("bitcast<u32>({path})")],
        (ScalarKind::Float, _) => vec![format!("bitcast<u32>(f32({path}))")],
        (ScalarKind::Sint | ScalarKind::Uint, 8) => {
            vec![format!("u32({path})"), format!("u32({path} >> 32u)")]
        }
        (ScalarKind::Uint | ScalarKind::Bool, _) => vec![format!("u32({path})")],
        (ScalarKind::Sint, _) => vec![format!("u32(i32({path}))")],
        (ScalarKind::AbstractInt | ScalarKind::AbstractFloat, _) => Vec::new(),
    }
}

/// The functions of a shader.
fn bodies<'s>(tokens: &[Token<'s>]) -> Vec<Body<'s>> {
    let mut all = Vec::new();
    let mut at = 0;
    while let Some(token) = tokens.get(at) {
        let name = tokens.get(at + 1).filter(|_| token.text == "fn");
        at += 1;
        let Some(name) = name else { continue };
        let body = tokens[at..].iter().position(|token| token.text == "{");
        let Some(first) = body.map(|offset| at + offset) else { break };
        let (body, end) = body_of(tokens, first);
        all.push(Body { name: name.text, ..body });
        at = end;
    }
    all
}

/// Reads the function body whose brace is at `first`, and returns the index behind it.
fn body_of<'s>(tokens: &[Token<'s>], first: usize) -> (Body<'s>, usize) {
    let start = tokens.get(first).map_or(0, |brace| brace.start + 1);
    let mut body = Body { start, ..Body::default() };
    let (mut depth, mut parens) = (0_usize, 0_usize);
    // The beginning of the last statement of the outermost block, and whether it has ended.
    let (mut last, mut has_ended) = (first, true);
    let (mut pending, mut counter): (Option<&str>, Option<&str>) = (None, None);
    let mut at = first;
    while let Some(token) = tokens.get(at) {
        let next = tokens.get(at + 1).map(|next| next.text);
        if has_ended && depth == 1 && token.text != "}" {
            (last, has_ended) = (at, false);
        }
        match token.text {
            "(" | "[" => parens += 1,
            ")" | "]" => parens = parens.saturating_sub(1),
            "{" => {
                depth += 1;
                // The counter of a `for` is stored in each iteration.
                if let Some(name) = counter.take() {
                    body.declared.push((name, token.start + 1));
                }
            }
            "}" => {
                depth -= 1;
                if depth == 0 {
                    let is_return = tokens.get(last).is_some_and(|token| token.text == "return");
                    body.end = if is_return { tokens[last].start } else { token.start };
                    return (body, at + 1);
                }
                has_ended |= depth == 1 && next != Some("else");
            }
            "return" => body.returns_early |= depth > 1,
            "for" => {
                let words = tokens.get(at + 2).zip(tokens.get(at + 3));
                let is_declared = |word: &str| word == "var" || word == "let";
                counter = words.filter(|(word, _)| is_declared(word.text)).map(|(_, own)| own.text);
            }
            "let" | "var" if parens == 0 && pending.is_none() => {
                // `var<private>` is not in functions, `var<function>` may be.
                let is_typed = next == Some("<");
                pending = tokens.get(at + if is_typed { 4 } else { 1 }).map(|name| name.text);
                if token.text == "var" && depth == 1 {
                    body.variables.extend(pending);
                }
            }
            ";" if parens == 0 => {
                if let Some(name) = pending.take() {
                    body.declared.push((name, token.start + 1));
                }
                has_ended |= depth == 1;
            }
            _ => {}
        }
        at += 1;
    }
    (body, at)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The text with what `entries` compute, without the generated buffer.
    #[track_caller]
    fn check(source: &str, entries: &[&str], sinking: Sinking, expected: &str) {
        let sunk = sunk(source, entries, sinking).expect("something is stored");
        let text = sunk.text.split("\n@group").next().unwrap_or_default().to_owned();
        assert_eq!(text.trim_end(), expected);
    }

    #[test]
    fn locals_are_stored_behind_declarations_and_before_the_last_return() {
        check(
            "fn doubled(own: u32) -> u32 { var all = own; all++; return all; }
@compute @workgroup_size(1) fn main() { if doubled(1u) == 2u { return; } }",
            &["main"],
            Sinking::Stored,
            "fn doubled(own: u32) -> u32 { interstage_sink[0] = u32(own); var all = own; interstage_sink[1] = u32(all); all++;  \
             interstage_sink[2] = u32(all);return all; }
@compute @workgroup_size(1) fn main() { if doubled(1u) == 2u { return; } }",
        );
    }

    #[test]
    fn values_without_a_name_get_one() {
        check(
            "@compute @workgroup_size(2) fn main() { for (var i = 0; i < 2; i++) { _ = vec2f(f32(i)); } }",
            &["main"],
            Sinking::Added,
            "@compute @workgroup_size(2) fn main() { for (var i = 0; i < 2; i++) { \
             atomicAdd(&interstage_sink[0], bitcast<u32>(i)); let interstage_0 = vec2f(f32(i)); \
             atomicAdd(&interstage_sink[1], bitcast<u32>(interstage_0.x)); \
             atomicAdd(&interstage_sink[2], bitcast<u32>(interstage_0.y)); } }",
        );
    }

    #[test]
    fn module_variables_are_stored_at_the_end_of_entry_points() {
        check(
            "struct S { a: i32, b: array<bool, 2> }
var<private> own: S;
var<workgroup> all: atomic<u32>;
@compute @workgroup_size(1) fn main() { own.a = 1; atomicStore(&all, 2u); }",
            &["main"],
            Sinking::Stored,
            "struct S { a: i32, b: array<bool, 2> }
var<private> own: S;
var<workgroup> all: atomic<u32>;
@compute @workgroup_size(1) fn main() { own.a = 1; atomicStore(&all, 2u);  \
             interstage_sink[0] = bitcast<u32>(own.a); interstage_sink[1] = u32(own.b[0]); \
             interstage_sink[2] = u32(own.b[1]); interstage_sink[3] = u32(atomicLoad(&all));}",
        );
    }

    #[test]
    fn nothing_is_nothing() {
        let nothing = "@compute @workgroup_size(1) fn main() {}";
        assert!(sunk(nothing, &["main"], Sinking::Stored).is_none());
    }
}
