//! Tessellation stages: the `layout` of the stage as a whole, and their built-in variables (GLSL 4.60 sections 4.4.1.1,
//! 4.4.2.1, 7.1.2 and 7.1.3).
//!
//! Every invocation of a patch may read the outputs of the others, so the outputs of a control stage are in workgroup
//! memory. An invocation may write only the outputs of its own vertex.

use ir::diagnostic::counted;
use naga::{AddressSpace, GlobalVariable, Handle};

use crate::ast::{Declaration, Expr, ExprKind, Ident, Item, LayoutEntry, Qualifiers, Storage};
use ir::diagnostic::{CompileError, Diagnostic};
use ir::interface::{Place as TablePlace, Variable};
use ir::source::Span;
use ir::stage::ShaderStage::{TessellationControl, TessellationEvaluation};
use ir::tessellation::{
    ControlStage, Domain, EvaluationStage, MAX_PATCH_VERTICES, OUTER_LEVELS, Spacing, Tessellation,
    TessellationPattern,
};

use super::body::Body;
use super::geometry::{Agreed, agree, disagree, has_storage};
use super::global::{GlobalInfo, Role};
use super::operand::{Access, Place};
use super::qualifier::At;
use super::types::Kind;
use super::{Result, Stage, scan, wrong};

const DOMAINS: [(&str, Domain); 3] =
    [("triangles", Domain::Triangles), ("quads", Domain::Quads), ("isolines", Domain::Isolines)];

const SPACINGS: [(&str, Spacing); 3] = [
    ("equal_spacing", Spacing::Equal),
    ("fractional_even_spacing", Spacing::FractionalEven),
    ("fractional_odd_spacing", Spacing::FractionalOdd),
];

/// The words for vertex orders, and whether each is clockwise.
const ORDERS: [(&str, bool); 2] = [("cw", true), ("ccw", false)];

/// The declarations of a tessellation stage so far.
#[derive(Clone, Debug, Default)]
pub(super) struct TessellationState {
    vertices: Option<Agreed<u32>>,
    /// Size of the first sized output of every object.
    sizes: Vec<(usize, u32)>,
    domain: Option<Agreed<Domain>>,
    spacing: Option<Agreed<Spacing>>,
    is_clockwise: Option<Agreed<bool>>,
    is_point_mode: bool,
    patch_vertices: Option<Handle<GlobalVariable>>,
    primitive_id: Option<Handle<GlobalVariable>>,
    invocation_id: Option<Handle<GlobalVariable>>,
    coordinate: Option<Handle<GlobalVariable>>,
}

impl Stage<'_> {
    /// The value of `layout(vertices = …) out;` in any shader object, before or after the code being lowered.
    ///
    /// # Errors
    /// The position of the value, if it is not known yet.
    pub(super) fn patch_size(&mut self) -> Result<Option<u32>, Span> {
        if let Some(known) = self.tessellation.vertices {
            return Ok(Some(known.value));
        }
        let units = self.units;
        for (object, unit) in units.iter().enumerate() {
            let Some(value) = unit.items.iter().find_map(vertices_of) else { continue };
            let size = self.quiet_integer(object, value);
            return size.map(Some).ok_or(value.span);
        }
        Ok(None)
    }

    /// Checks the declared size of a control stage's output against the number of vertices.
    pub(super) fn check_patch_size(&mut self, at: At, name: &Ident, size: u32) -> Result<()> {
        let shown = &name.name;
        if let Ok(Some(vertices)) = self.patch_size()
            && vertices != size
        {
            let is_own = self.declares_vertices(at.object);
            let (size, vertices) = (counted(size, "element"), counted(vertices, "vertex"));
            let message = format!("`{shown}` has {size}, but the patch has {vertices}");
            return disagree(is_own, name.span, message);
        }
        let known = self.tessellation.sizes.iter().find(|(object, _)| *object == at.object);
        let first = known.map_or(size, |(_, first)| *first);
        if first != size {
            let size = counted(size, "element");
            let message = format!("`{shown}` has {size}, but an earlier output has {first}");
            return wrong(name.span, message);
        }
        self.tessellation.sizes.push((at.object, size));
        Ok(())
    }

    fn declares_vertices(&self, object: usize) -> bool {
        self.units
            .get(object)
            .is_some_and(|unit| unit.items.iter().any(|item| vertices_of(item).is_some()))
    }

    /// Applies the layout of a tessellation stage, such as `layout(vertices = 3) out;` and `layout(quads, cw) in;`.
    pub(super) fn qualify_tessellation(
        &mut self,
        at: At,
        qualifiers: &Qualifiers,
        span: Span,
    ) -> Result<()> {
        if self.stage == TessellationControl {
            return self.qualify_control(at, qualifiers, span);
        }
        if self.stage == TessellationEvaluation && has_storage(qualifiers, Storage::In) {
            return self.qualify_evaluation(at, qualifiers, span);
        }
        Ok(())
    }

    fn qualify_control(&mut self, at: At, qualifiers: &Qualifiers, span: Span) -> Result<()> {
        let Some(value) = self.layout_value(at, qualifiers, "vertices")? else { return Ok(()) };
        if !(1..=MAX_PATCH_VERTICES).contains(&value) {
            let message = format!("`vertices` is {value}, but must be 1 to {MAX_PATCH_VERTICES}");
            return wrong(span, message);
        }
        let here = Agreed { value, object: at.object };
        agree(&mut self.tessellation.vertices, here, "number of `vertices`", span)
    }

    fn qualify_evaluation(&mut self, at: At, qualifiers: &Qualifiers, span: Span) -> Result<()> {
        let (state, object) = (&mut self.tessellation, at.object);
        for entry in &qualifiers.layout {
            let word = &*entry.name.name;
            if let Some(value) = named(&DOMAINS, word) {
                agree(&mut state.domain, Agreed { value, object }, "primitive mode", span)?;
            }
            if let Some(value) = named(&SPACINGS, word) {
                agree(&mut state.spacing, Agreed { value, object }, "vertex spacing", span)?;
            }
            if let Some(value) = named(&ORDERS, word) {
                agree(&mut state.is_clockwise, Agreed { value, object }, "vertex order", span)?;
            }
            state.is_point_mode |= word == "point_mode";
        }
        Ok(())
    }

    /// The global for a variable that only tessellation stages have, apart from `gl_in` and `gl_out`.
    pub(super) fn tessellation_variable(
        &mut self,
        object: usize,
        name: &Ident,
    ) -> Handle<GlobalVariable> {
        let is_control = self.stage == TessellationControl;
        let levels = ["gl_TessLevelOuter", "gl_TessLevelInner"].contains(&&*name.name);
        if levels {
            let float = self.scalar(Kind::Float);
            let ty = self.array(float, if name.name == OUTER_LEVELS { 4 } else { 2 });
            let role = if is_control { Role::Output } else { Role::Input };
            let global = self.add_interface(name, GlobalInfo::new(ty, role, object));
            self.shared.insert(name.name.clone(), global);
            let mut variable = Variable::new(&*name.name, self.interface_type(ty));
            variable.is_patch = true;
            variable.place = Some(TablePlace::whole(global));
            variable.span = Some(name.span);
            self.table(role).push(variable);
            return global;
        }
        let is_coordinate = name.name == "gl_TessCoord";
        let ty = if is_coordinate { self.vector(3, Kind::Float) } else { self.scalar(Kind::Int) };
        let global = self.add_private(name, GlobalInfo::new(ty, Role::Input, object));
        self.shared.insert(name.name.clone(), global);
        let state = &mut self.tessellation;
        let place = match &*name.name {
            "gl_TessCoord" => &mut state.coordinate,
            "gl_PatchVerticesIn" => &mut state.patch_vertices,
            "gl_InvocationID" => &mut state.invocation_id,
            _ => &mut state.primitive_id,
        };
        *place = Some(global);
        global
    }

    /// Adds the global of an input or output. Outputs of a control stage are in workgroup memory.
    pub(super) fn add_interface(
        &mut self,
        name: &Ident,
        info: GlobalInfo,
    ) -> Handle<GlobalVariable> {
        let is_shared = self.stage == TessellationControl && info.role == Role::Output;
        let space = if is_shared { AddressSpace::WorkGroup } else { AddressSpace::Private };
        self.add_global(name, space, None, info)
    }

    /// Reports properties that a tessellation stage needs but no shader object declares.
    pub(super) fn check_tessellation(&self) -> Result<(), CompileError> {
        let state = &self.tessellation;
        let is_control = self.stage == TessellationControl;
        let is_evaluation = self.stage == TessellationEvaluation;
        let missing = if is_control && state.vertices.is_none() {
            "number of `vertices`"
        } else if is_evaluation && state.domain.is_none() {
            "primitive mode"
        } else {
            return Ok(());
        };
        let stage = self.stage.name();
        let message = format!("no shader object declares the {missing} of the {stage} stage");
        Err(CompileError::Link(vec![Diagnostic::error(None, message)]))
    }

    /// The properties of a tessellation stage, after they were checked.
    pub(super) fn finished_tessellation(&self) -> Option<Tessellation> {
        let state = &self.tessellation;
        if self.stage == TessellationControl {
            return Some(Tessellation::Control(ControlStage {
                vertices: state.vertices?.value,
                patch_vertices: state.patch_vertices,
                primitive_id: state.primitive_id,
                invocation_id: state.invocation_id,
            }));
        }
        if self.stage != TessellationEvaluation {
            return None;
        }
        Some(Tessellation::Evaluation(EvaluationStage {
            pattern: TessellationPattern {
                domain: state.domain?.value,
                spacing: state.spacing.map_or(Spacing::Equal, |spacing| spacing.value),
                is_clockwise: state.is_clockwise.is_some_and(|order| order.value),
                is_point_mode: state.is_point_mode,
            },
            coordinate: state.coordinate,
            patch_vertices: state.patch_vertices,
            primitive_id: state.primitive_id,
        }))
    }
}

impl Body<'_, '_> {
    /// Rejects the length of an array of a control stage's outputs before `layout(vertices = …) out;` or the array's
    /// own declaration determines it (GLSL 4.60 section 4.4.2.1).
    pub(super) fn check_patch_length(&self, array: &Place, expr: &Expr) -> Result<()> {
        let (Access::OwnVertex, ExprKind::Variable(name)) = (array.access, &expr.kind) else {
            return Ok(());
        };
        let items = self.stage.units.get(self.object).map_or(&[][..], |unit| &unit.items);
        let mut earlier = items.iter().take(self.position.saturating_add(1));
        let is_known = earlier
            .any(|item| vertices_of(item).is_some() || scan::declared_size(item, name).is_some());
        if is_known {
            return Ok(());
        }
        let message =
            format!("the length of `{name}` follows from `vertices`, which nothing declares above");
        wrong(expr.span, message)
    }
}

/// Permitted accesses of an element of an array of vertices: a control stage may write only the element of its own
/// vertex, and the index must be `gl_InvocationID` (GLSL 4.60 section 4.3.6).
pub(super) fn element_access(array: Access, index: &Expr) -> Access {
    let is_own = matches!(&index.kind, ExprKind::Variable(name) if name == "gl_InvocationID");
    match array {
        Access::OwnVertex if is_own => Access::ReadWrite,
        Access::OwnVertex => Access::ReadOnly("output of another invocation"),
        Access::ReadWrite | Access::ReadOnly(_) | Access::WriteOnly => array,
    }
}

fn named<T: Copy>(rows: &[(&str, T)], word: &str) -> Option<T> {
    rows.iter().find(|(known, _)| *known == word).map(|(_, value)| *value)
}

/// The value in `layout(vertices = …) out;`.
fn vertices_of(item: &Item) -> Option<&Expr> {
    let Item::Declaration(Declaration::Requalify { qualifiers, names, .. }) = item else {
        return None;
    };
    let is_it = |entry: &&LayoutEntry| entry.name.name == "vertices";
    let is_stage = names.is_empty() && has_storage(qualifiers, Storage::Out);
    qualifiers.layout.iter().rev().find(is_it).filter(|_| is_stage)?.value.as_ref()
}
