//! What the shader objects of one stage must agree in although no name's type says so: invariance, and how they
//! redeclare built-in variables. Asked of the trees, before anything is lowered.

use super::scan;
use super::{Fault, Stage, mismatch};
use crate::case::ShaderStage;
use crate::frontend::glsl::ast::{Declaration, ExprKind, Ident, Item, TranslationUnit};
use crate::source::Span;

/// Built-in variables that objects redeclare together, under the name of the redeclaration.
const REDECLARED: [(ShaderStage, &str, &[&str]); 3] = [
    (
        ShaderStage::Vertex,
        "gl_PerVertex",
        &["gl_Position", "gl_PointSize", "gl_ClipDistance", "gl_CullDistance"],
    ),
    (ShaderStage::Fragment, "gl_FragCoord", &["gl_FragCoord"]),
    (ShaderStage::Fragment, "gl_FragDepth", &["gl_FragDepth"]),
];

/// One way to redeclare a variable, and where an object does so.
type Redeclaration = (Vec<String>, Span);

impl Stage<'_> {
    /// Notes every disagreement of the objects.
    pub(super) fn check_agreement(&mut self) {
        let faults = REDECLARED
            .iter()
            .filter(|(stage, ..)| *stage == self.stage)
            .filter_map(|(_, name, members)| check_redeclaration(self.units, name, members).err());
        let faults: Vec<Fault> = faults.chain(check_invariance(self.units).err()).collect();
        self.faults.extend(faults);
    }
}

/// When one object redeclares the variable, all that use it must do so in the same way (GLSL 4.60 section 7.1).
fn check_redeclaration(
    units: &[TranslationUnit],
    name: &str,
    members: &[&str],
) -> Result<(), Fault> {
    let all: Vec<_> = units.iter().map(|unit| redeclaration(unit, name)).collect();
    let Some((first, span)) = all.iter().flatten().next() else { return Ok(()) };
    for (unit, own) in units.iter().zip(&all) {
        match own {
            Some((words, _)) if words == first => {}
            Some((_, span)) => {
                let message =
                    format!("`{name}` is redeclared differently in another shader object");
                return mismatch(*span, message);
            }
            None if uses(unit, members) => {
                let message = format!("a shader object uses `{name}` but does not redeclare it so");
                return mismatch(*span, message);
            }
            None => {}
        }
    }
    Ok(())
}

/// The `layout` words, or the members of the block, that the object redeclares `name` with.
fn redeclaration(unit: &TranslationUnit, name: &str) -> Option<Redeclaration> {
    unit.items.iter().find_map(|item| {
        let Item::Declaration(declaration) = item else { return None };
        match declaration {
            Declaration::Variables { ty, declarators } => {
                let declarator = declarators.iter().find(|it| it.name.name == name)?;
                let words = ty.qualifiers.layout.iter().map(|entry| entry.name.name.clone());
                Some((sorted(words.collect()), declarator.name.span))
            }
            Declaration::Block(block) if block.name.name == name => {
                let names = block.members.iter().map(|member| member.name.name.clone());
                Some((names.collect(), block.name.span))
            }
            Declaration::Block(_)
            | Declaration::Precision { .. }
            | Declaration::Requalify { .. } => None,
        }
    })
}

fn sorted(mut words: Vec<String>) -> Vec<String> {
    words.sort();
    words
}

fn uses(unit: &TranslationUnit, names: &[&str]) -> bool {
    let mut found = false;
    scan::visit_unit(unit, &mut |expr| {
        if let ExprKind::Variable(name) = &expr.kind {
            found |= names.contains(&&**name);
        }
    });
    found
}

/// A global that several objects declare is invariant in all of them or in none (GLSL 1.20 section 4.6.1).
fn check_invariance(units: &[TranslationUnit]) -> Result<(), Fault> {
    for (idx, unit) in units.iter().enumerate() {
        for (name, span, is_invariant) in declared(unit) {
            let differs = units[..idx]
                .iter()
                .flat_map(declared)
                .any(|(other, _, invariance)| other == name && invariance != is_invariant);
            if differs {
                return mismatch(span, format!("`{name}` is invariant in one shader object only"));
            }
        }
    }
    Ok(())
}

/// Built-in variables that some object declares invariant, with or without a redeclaration.
pub(super) fn invariant_builtins(units: &[TranslationUnit]) -> Vec<(String, Span)> {
    let mut all = Vec::new();
    for item in units.iter().flat_map(|unit| &unit.items) {
        let (is_invariant, names): (bool, Vec<&Ident>) = match item {
            Item::Declaration(Declaration::Requalify { qualifiers, names, .. }) => {
                (qualifiers.is_invariant, names.iter().collect())
            }
            Item::Declaration(Declaration::Variables { ty, declarators }) => {
                (ty.qualifiers.is_invariant, declarators.iter().map(|it| &it.name).collect())
            }
            Item::Declaration(Declaration::Block(_) | Declaration::Precision { .. })
            | Item::Function(..)
            | Item::Prototype(_) => continue,
        };
        let builtins =
            names.into_iter().filter(|name| is_invariant && name.name.starts_with("gl_"));
        all.extend(builtins.map(|name| (name.name.clone(), name.span)));
    }
    all
}

/// Globals that are no built-ins: name, place, and whether they are invariant.
fn declared(unit: &TranslationUnit) -> Vec<(&str, Span, bool)> {
    let mut all: Vec<(&str, Span, bool)> = Vec::new();
    for item in &unit.items {
        match item {
            Item::Declaration(Declaration::Variables { ty, declarators }) => {
                let own = declarators.iter().map(|it| &it.name);
                let own = own.filter(|name| !name.name.starts_with("gl_"));
                all.extend(own.map(|name| (&*name.name, name.span, ty.qualifiers.is_invariant)));
            }
            Item::Declaration(Declaration::Requalify { qualifiers, names, .. })
                if qualifiers.is_invariant =>
            {
                for known in all.iter_mut().filter(|it| names.iter().any(|name| name.name == it.0))
                {
                    known.2 = true;
                }
            }
            Item::Declaration(
                Declaration::Requalify { .. }
                | Declaration::Block(_)
                | Declaration::Precision { .. },
            )
            | Item::Function(..)
            | Item::Prototype(_) => {}
        }
    }
    all
}
