//! Checks that the shader objects of one stage agree in properties beyond types: qualifiers, the values of constants,
//! and redeclarations of built-in variables.

pub(super) mod declared_uniform;
pub(super) mod precision;

use std::collections::{HashMap, HashSet};

use crate::ast::{
    ArraySize, BlockDeclaration, Declaration, ExprKind, Ident, Item, MemberDeclaration, Qualifiers,
    Storage, TranslationUnit, Version,
};
use ir::interface::Variable;
use ir::source::Span;
use ir::stage::ShaderStage;
use ir::stage_module::{PerVertexBlocks, RedeclaredBlock, version_name};

use super::global::Role;
use super::scope::Symbol;
use super::types::constant::Constant;
use super::{Fault, Stage, mismatch, scan, wrong};

/// Built-in variables that are redeclared together, by one declaration.
struct Together {
    stage: ShaderStage,
    /// Name and storage of the redeclaration.
    name: &'static str,
    storage: Storage,
    members: &'static [&'static str],
}

const fn together(
    stage: ShaderStage,
    name: &'static str,
    storage: Storage,
    members: &'static [&'static str],
) -> Together {
    Together { stage, name, storage, members }
}

const PER_VERTEX: &str = "gl_PerVertex";
const OUTPUTS: &[&str] = &["gl_Position", "gl_PointSize", "gl_ClipDistance", "gl_CullDistance"];

const REDECLARED: [Together; 9] = [
    together(ShaderStage::Vertex, PER_VERTEX, Storage::Out, OUTPUTS),
    together(ShaderStage::TessellationControl, PER_VERTEX, Storage::Out, &["gl_out"]),
    together(ShaderStage::TessellationControl, PER_VERTEX, Storage::In, &["gl_in"]),
    together(ShaderStage::TessellationEvaluation, PER_VERTEX, Storage::Out, OUTPUTS),
    together(ShaderStage::TessellationEvaluation, PER_VERTEX, Storage::In, &["gl_in"]),
    together(ShaderStage::Geometry, PER_VERTEX, Storage::Out, OUTPUTS),
    together(ShaderStage::Geometry, PER_VERTEX, Storage::In, &["gl_in"]),
    together(ShaderStage::Fragment, "gl_FragCoord", Storage::In, &["gl_FragCoord"]),
    together(ShaderStage::Fragment, "gl_FragDepth", Storage::Out, &["gl_FragDepth"]),
];

/// Contents of a redeclaration, and its position.
type Redeclaration = (Vec<String>, Span);

impl Stage<'_> {
    /// Records every disagreement between the objects.
    pub(super) fn check_agreement(&mut self) {
        let versions = check_versions(self.units).err();
        let faults = REDECLARED
            .iter()
            .filter(|row| row.stage == self.stage)
            .filter_map(|row| check_redeclaration(self.units, row).err());
        let faults = versions.into_iter().chain(faults);
        let faults: Vec<Fault> = faults.chain(check_qualifiers(self.units).err()).collect();
        self.faults.extend(faults);
    }
}

/// Checks that all objects are in desktop GLSL, or all in one version of ES (GLSL 4.60 section 3.3).
fn check_versions(units: &[TranslationUnit]) -> Result<(), Fault> {
    let Some((Version { number, is_es, .. }, rest)) =
        units.split_first().map(|(first, rest)| (first.version, rest))
    else {
        return Ok(());
    };
    for Version { number: other, is_es: is_other_es, .. } in rest.iter().map(|unit| unit.version) {
        if is_es != is_other_es || is_es && number != other {
            let here = version_name(other, is_other_es);
            let first = version_name(number, is_es);
            let message = format!("this shader object is in {here} but the first one in {first}");
            return mismatch(None, message);
        }
    }
    Ok(())
}

/// Checks that if one object redeclares the variables of a row, all objects that use them redeclare them in the same
/// way (GLSL 4.60 section 7.1).
fn check_redeclaration(units: &[TranslationUnit], row: &Together) -> Result<(), Fault> {
    let name = row.name;
    let all: Vec<_> = units.iter().map(|unit| redeclaration(unit, row)).collect();
    let Some((first, span)) = all.iter().flatten().next() else { return Ok(()) };
    for (unit, own) in units.iter().zip(&all) {
        match own {
            Some((words, _)) if words == first => {}
            Some((_, span)) => {
                let message =
                    format!("`{name}` is redeclared differently in another shader object");
                return mismatch(*span, message);
            }
            None if uses(unit, row.members) => {
                let message =
                    format!("another shader object uses `{name}` without this redeclaration");
                return mismatch(*span, message);
            }
            None => {}
        }
    }
    Ok(())
}

/// The block with which the object redeclares the variables of a row.
fn redeclared<'a>(unit: &'a TranslationUnit, row: &Together) -> Option<&'a BlockDeclaration> {
    unit.items.iter().find_map(|item| {
        let Item::Declaration(Declaration::Block(block)) = item else { return None };
        let has_storage = block.qualifiers.storage.iter().any(|(word, _)| *word == row.storage);
        (block.name.name == row.name && has_storage).then_some(block)
    })
}

/// The contents of the object's redeclaration of the variables of a row: `layout` qualifiers, or members of the block.
fn redeclaration(unit: &TranslationUnit, row: &Together) -> Option<Redeclaration> {
    if let Some(block) = redeclared(unit, row) {
        let names = block.members.iter().map(|member| member.name.name.clone());
        return Some((names.collect(), block.name.span));
    }
    unit.items.iter().find_map(|item| {
        let Item::Declaration(Declaration::Variables { ty, declarators }) = item else {
            return None;
        };
        let declarator = declarators.iter().find(|declarator| declarator.name.name == row.name)?;
        let words = ty.qualifiers.layout.iter().map(|entry| entry.name.name.clone());
        Some((sorted(words.collect()), declarator.name.span))
    })
}

fn sorted(mut words: Vec<String>) -> Vec<String> {
    words.sort();
    words
}

fn uses(unit: &TranslationUnit, names: &[&str]) -> bool {
    first_use(unit, names).is_some()
}

/// The first use of one of the variables `names` in the object, in any function.
fn first_use(unit: &TranslationUnit, names: &[&str]) -> Option<(String, Span)> {
    let mut found = None;
    scan::visit_unit(unit, &mut |expr| {
        if let ExprKind::Variable(name) = &expr.kind
            && found.is_none()
            && names.contains(&&**name)
        {
            found = Some((name.clone(), expr.span));
        }
    });
    found
}

/// The first member of `gl_PerVertex` that an object of a vertex or tessellation stage uses without redeclaring the block, as
/// separable programs must (GLSL 4.60 section 7.1).
pub(super) fn unredeclared_member(
    stage: ShaderStage,
    units: &[TranslationUnit],
) -> Option<(String, Span)> {
    let row = REDECLARED.iter().find(|row| row.stage == stage)?;
    if row.name != PER_VERTEX || stage == ShaderStage::Geometry {
        return None;
    }
    let mut open = units.iter().filter(|unit| redeclaration(unit, row).is_none());
    open.find_map(|unit| first_use(unit, row.members))
}

impl Stage<'_> {
    /// Redeclarations of `gl_PerVertex` by any object.
    pub(super) fn per_vertex_blocks(&mut self) -> PerVertexBlocks {
        let (stage, units) = (self.stage, self.units);
        let rows = REDECLARED.iter().filter(|row| row.stage == stage && row.name == PER_VERTEX);
        let mut blocks = PerVertexBlocks::default();
        for row in rows {
            let all = units.iter().enumerate();
            let mut all = all.filter_map(|(object, unit)| Some((object, redeclared(unit, row)?)));
            let first = all.next().map(|(object, block)| {
                let is_used = stage == ShaderStage::TessellationControl
                    && row.storage == Storage::Out
                    || units.iter().any(|unit| uses(unit, row.members));
                self.redeclared_block(object, block, is_used)
            });
            let mut open = units.iter().filter(|unit| redeclared(unit, row).is_none());
            let used = open.find_map(|unit| first_use(unit, row.members));
            if row.storage == Storage::In {
                blocks.input = first;
                blocks.unredeclared_input = used.map(|(_, span)| span);
            } else {
                blocks.output = first;
                blocks.unredeclared_output = used;
            }
        }
        blocks
    }

    fn redeclared_block(
        &mut self,
        object: usize,
        block: &BlockDeclaration,
        is_used: bool,
    ) -> RedeclaredBlock {
        let member = |member: &MemberDeclaration| {
            let name = &member.name.name;
            match member.array.first().or(member.ty.ty.array.first()) {
                None => name.clone(),
                Some(ArraySize { size, .. }) => {
                    let size = size.as_ref().and_then(|size| self.quiet_integer(object, size));
                    format!("{name}[{}]", size.map_or_else(String::new, |size| size.to_string()))
                }
            }
        };
        let members = block.members.iter().map(member).collect();
        RedeclaredBlock { members, is_used, span: block.name.span }
    }
}

/// Checks that a global of several objects is `invariant` and has auxiliary qualifiers in all of them or in none (GLSL
/// 1.20 sections 4.3.6 and 4.6.1).
fn check_qualifiers(units: &[TranslationUnit]) -> Result<(), Fault> {
    let mut known: HashMap<&str, Global<'_>> = HashMap::new();
    for unit in units {
        let own = declared(unit);
        for here in &own {
            let Some(there) = known.get(here.name) else { continue };
            let rows = [
                (here.is_invariant, there.is_invariant, "invariant"),
                (here.qualifiers.is_centroid, there.qualifiers.is_centroid, "centroid"),
                (here.qualifiers.is_sample, there.qualifiers.is_sample, "sample"),
                (here.qualifiers.is_patch, there.qualifiers.is_patch, "patch"),
            ];
            if let Some((.., word)) = rows.iter().find(|(here, there, _)| here != there) {
                let message =
                    format!("`{}` is {word} in one shader object but not in another", here.name);
                return mismatch(here.span, message);
            }
        }
        for here in own {
            known.entry(here.name).or_insert(here);
        }
    }
    Ok(())
}

/// A global that is not a built-in.
struct Global<'a> {
    name: &'a str,
    span: Span,
    qualifiers: &'a Qualifiers,
    /// True if the declaration or a separate statement makes the global `invariant`.
    is_invariant: bool,
}

fn declared(unit: &TranslationUnit) -> Vec<Global<'_>> {
    let mut all: Vec<Global<'_>> = Vec::new();
    for item in &unit.items {
        match item {
            Item::Declaration(Declaration::Variables { ty, declarators }) => {
                let own = declarators.iter().map(|declarator| &declarator.name);
                let own = own.filter(|name| !name.name.starts_with("gl_"));
                all.extend(own.map(|name| Global {
                    name: &name.name,
                    span: name.span,
                    qualifiers: &ty.qualifiers,
                    is_invariant: ty.qualifiers.is_invariant,
                }));
            }
            Item::Declaration(Declaration::Requalify { qualifiers, names, .. })
                if qualifiers.is_invariant =>
            {
                let named: HashSet<&str> = names.iter().map(|name| &*name.name).collect();
                for known in all.iter_mut().filter(|declaration| named.contains(declaration.name)) {
                    known.is_invariant = true;
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

/// Built-in variables declared `invariant`, with positions.
pub(super) fn invariant_builtins(units: &[TranslationUnit]) -> Vec<(String, Span)> {
    let mut all = Vec::new();
    for unit in units {
        if let Some(span) = unit.invariant_all {
            all.extend(["gl_Position", "gl_PointSize"].map(|name| (name.to_owned(), span)));
        }
        let names = unit.items.iter().flat_map(invariant_names);
        let builtins = names.filter(|name| name.name.starts_with("gl_"));
        all.extend(builtins.map(|name| (name.name.clone(), name.span)));
    }
    all
}

/// Names that a global declaration makes invariant: in a statement, a redeclaration, or a redeclared block.
fn invariant_names(item: &Item) -> Vec<&Ident> {
    let Item::Declaration(declaration) = item else { return Vec::new() };
    match declaration {
        Declaration::Requalify { qualifiers, names, .. } if qualifiers.is_invariant => {
            names.iter().collect()
        }
        Declaration::Variables { ty, declarators } if ty.qualifiers.is_invariant => {
            declarators.iter().map(|declarator| &declarator.name).collect()
        }
        Declaration::Block(block) => {
            let is_whole = block.qualifiers.is_invariant;
            let members = block.members.iter();
            let own = members.filter(|member| is_whole || member.ty.qualifiers.is_invariant);
            own.map(|member| &member.name).collect()
        }
        Declaration::Requalify { .. }
        | Declaration::Variables { .. }
        | Declaration::Precision { .. } => Vec::new(),
    }
}

impl Stage<'_> {
    /// Checks that `gl_FragColor`, `gl_FragData` and user-defined outputs are not written together (GLSL 4.60
    /// compatibility profile, section 7.1.6). Mesa does not check user-defined outputs across shader objects.
    pub(super) fn check_written_colors(&mut self) {
        if self.stage != ShaderStage::Fragment {
            return;
        }
        let is_written = |output: &&Variable| {
            let place = output.place.as_ref();
            self.static_uses
                .iter()
                .any(|usage| usage.is_write && place.is_some_and(|at| at.global == usage.global))
        };
        let written: Vec<&Variable> = self.outputs.iter().filter(is_written).collect();
        let find = |name: &str| written.iter().find(|output| output.name == name);
        let own = written.iter().find(|output| !output.name.starts_with("gl_"));
        let mut kinds = [find("gl_FragColor"), find("gl_FragData"), own].into_iter().flatten();
        let (Some(first), Some(second)) = (kinds.next(), kinds.next()) else { return };
        let span = second.span;
        let message =
            format!("the fragment stage writes both `{}` and `{}`", first.name, second.name);
        let fault =
            if self.units.len() > 1 { mismatch::<()>(span, message) } else { wrong(span, message) };
        self.faults.extend(fault.err());
    }

    /// Applies `#pragma STDGL invariant(all)`, which makes all vertex outputs invariant.
    pub(super) fn mark_invariant(&mut self) {
        let is_all = self.units.iter().any(|unit| unit.invariant_all.is_some());
        if is_all && self.stage == ShaderStage::Vertex {
            for output in &mut self.outputs {
                output.is_invariant = true;
            }
        }
    }

    /// Checks that constants with the same name have the same value in all objects (GLSL 4.60 section 4.3).
    pub(super) fn check_constants(&mut self) {
        let mut faults: Vec<Fault> = Vec::new();
        for (idx, unit) in self.units.iter().enumerate() {
            for here in declared(unit) {
                let Some(value) = self.constant_value(idx, here.name) else { continue };
                let there = (0..idx).find_map(|other| self.constant_value(other, here.name));
                if there.is_some_and(|there| there.ty != value.ty || there.bits != value.bits) {
                    let name = here.name;
                    let message =
                        format!("`{name}` has a different value in another shader object");
                    faults.extend(mismatch::<()>(here.span, message).err());
                }
            }
        }
        self.faults.extend(faults);
    }

    fn constant_value(&self, object: usize, name: &str) -> Option<&Constant> {
        match self.objects.get(object)?.find(name, usize::MAX)? {
            Symbol::Constant(constant) => Some(constant),
            Symbol::Global(global) => {
                let info = self.globals.get(global).filter(|info| info.role == Role::Const)?;
                info.constant.as_ref()
            }
            Symbol::Type(_)
            | Symbol::Blocks(..)
            | Symbol::Member(..)
            | Symbol::Local { .. }
            | Symbol::LocalPieces { .. } => None,
        }
    }
}
