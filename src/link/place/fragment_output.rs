//! Connects fragment outputs with draw buffers.
//!
//! `gl_FragColor` is written to every draw buffer. `broadcast` implements only this step, as a function of the draw
//! buffers and their types, like the lowering of `gl_FragColor` that was proposed for Mesa in 2017. It changes types
//! and never values, so the bits of a float reach an integer target unchanged. Whether a program may do this is checked
//! elsewhere: base types may differ only with [`OutputRule::Raw`].

use std::collections::BTreeMap;
use std::fmt;

use crate::place::location::{assign, leaf_wires, slot_at};
use crate::table::shell::Shell;
use crate::{LinkError, RasterState};
use ir::diagnostic::Diagnostic;
use ir::format::FormatClass;
use ir::interface::{ScalarKind, Type, Variable};
use ir::options::{DRAW_BUFFERS, OutputRule};
use ir::stage_module::StageModule;

/// Maximum number of draw buffers in a broadcast.
const MAX_BROADCAST: u32 = 32;

/// The outputs of a fragment stage.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct FragmentOutputs {
    /// The draw buffers that are written.
    pub written_targets: Vec<u32>,
    /// True if the stage writes two values for draw buffer 0, for dual-source blending.
    pub is_dual_source: bool,
    /// Rows of the link map.
    pub rows: Vec<OutputRow>,
}

/// One value written to a draw buffer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OutputRow {
    /// The draw buffer.
    pub buffer: u32,
    /// True for the second source of dual-source blending.
    pub is_second: bool,
    /// Base type of the four components.
    pub scalar: ScalarKind,
    /// The variable that is written.
    pub name: String,
    /// Base type of the variable, if its bits are written as another type.
    pub raw: Option<ScalarKind>,
}

impl OutputRow {
    /// The GLSL name of the vector, such as `uvec4`.
    pub fn type_name(&self) -> String {
        Type::Vector { size: 4, scalar: self.scalar }.to_string()
    }
}

/// Prints `output 1 uvec4 <- gl_FragColor, bits of float`.
impl fmt::Display for OutputRow {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { buffer, name, .. } = self;
        let source = if self.is_second { " second source" } else { "" };
        write!(f, "output {buffer}{source} {} <- {name}", self.type_name())?;
        self.raw.map_or(Ok(()), |raw| write!(f, ", bits of {raw}"))
    }
}

/// One output of a broadcast.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct BroadcastOutput {
    /// The draw buffer, which is also the output's location.
    pub buffer: u32,
    /// Type of the output.
    pub ty: Type,
}

/// The reason why a colour cannot be broadcast, which is an error of the caller.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum BroadcastError {
    /// The colour is not a vector of four components.
    #[error("the colour is {0} and not a vector of four components")]
    Color(Type),
    /// A written draw buffer has no type.
    #[error("draw buffer {0} has no type")]
    Untyped(u32),
    /// The type of a draw buffer does not have exactly four components, which it must have whatever its format.
    #[error("the type of draw buffer {buffer} is {ty} and not one of four components")]
    Width {
        /// The draw buffer.
        buffer: u32,
        /// Type of the draw buffer.
        ty: Type,
    },
}

/// The outputs for a colour of type `color` that is written to every draw buffer whose bit is set in `mask`; draw
/// buffer n has type `types[n]`. Only types are returned; the bits of every output are the colour's.
pub(crate) fn broadcast(
    color: &Type,
    mask: u32,
    types: &[Type],
) -> Result<Vec<BroadcastOutput>, BroadcastError> {
    if !is_four_wide(color) {
        return Err(BroadcastError::Color(color.clone()));
    }
    let named = (0..MAX_BROADCAST).filter(|buffer| mask >> buffer & 1 == 1);
    let output = |buffer| {
        let idx = usize::try_from(buffer).unwrap_or(usize::MAX);
        let ty = types.get(idx).ok_or(BroadcastError::Untyped(buffer))?.clone();
        if !is_four_wide(&ty) {
            return Err(BroadcastError::Width { buffer, ty });
        }
        Ok(BroadcastOutput { buffer, ty })
    };
    named.map(output).collect()
}

const fn is_four_wide(ty: &Type) -> bool {
    matches!(ty, Type::Vector { size: 4, scalar } if scalar.components() == 1)
}

/// Adds the outputs that `stage` writes to its shell. Returns the outputs, or the reason why they cannot be linked.
pub(crate) fn lower(
    stage: &StageModule,
    raster: &RasterState,
    shell: &mut Shell,
) -> Result<FragmentOutputs, LinkError> {
    let used: Vec<&Variable> = stage.outputs.iter().filter(|output| output.is_used).collect();
    let locations = assign(&used).map_err(LinkError::Refused)?;
    check_draw_buffers(&used, &locations).map_err(LinkError::Refused)?;
    check_shared_locations(&used, &locations).map_err(LinkError::Refused)?;
    let is_dual_source = check_dual_source(&used, &locations).map_err(LinkError::Refused)?;
    if is_dual_source {
        check_first_alone(&used, &locations, raster)?;
    }
    let mut lowering =
        Lowering { raster, shell, is_dual_source, rows: Vec::new(), undefined: None };
    let mut errors = Vec::new();
    for (variable, location) in used.into_iter().zip(locations) {
        errors.extend(lowering.add(variable, location));
    }
    if let (true, Some(undefined)) = (errors.is_empty(), lowering.undefined.take()) {
        return Err(undefined);
    }
    if is_dual_source && raster.targets.first().is_some_and(Option::is_some) {
        lowering.complete_sources();
    }
    let rows = lowering.rows;
    let mut written_targets: Vec<u32> = shell.outputs.iter().map(|slot| slot.location).collect();
    written_targets.dedup();
    let is_dual_source = is_dual_source && !written_targets.is_empty();
    if !errors.is_empty() {
        return Err(LinkError::Refused(errors));
    }
    Ok(FragmentOutputs { written_targets, is_dual_source, rows })
}

struct Lowering<'a> {
    raster: &'a RasterState,
    shell: &'a mut Shell,
    is_dual_source: bool,
    rows: Vec<OutputRow>,
    /// Error for a value that would be drawn but is undefined.
    undefined: Option<LinkError>,
}

impl Lowering<'_> {
    /// Connects one variable with its draw buffers.
    fn add(&mut self, variable: &Variable, location: u32) -> Vec<Diagnostic> {
        let mut errors = Vec::new();
        for (offset, (leaf, wire)) in (0..).zip(leaf_wires(variable)) {
            let scalar = leaf.scalar;
            let outputs = match self.outputs(variable, location + offset) {
                Ok(outputs) => outputs,
                Err(error) => return vec![error],
            };
            for (buffer, wanted) in outputs {
                match self.raster.outputs {
                    OutputRule::Typed if wanted != scalar => {
                        errors.push(kind_error(variable, buffer, wanted));
                        continue;
                    }
                    OutputRule::Undefined { is_drawn } if wanted != scalar => {
                        let span = variable.span;
                        let word = "an output of another kind than its target".to_owned();
                        let fault = LinkError::Unsupported { word, span };
                        self.undefined = is_drawn.then_some(fault).or(self.undefined.take());
                        continue;
                    }
                    OutputRule::Typed | OutputRule::Raw | OutputRule::Undefined { .. } => {}
                }
                let source = self.is_dual_source.then(|| variable.index.unwrap_or(0));
                let slot = slot_at(&mut self.shell.outputs, buffer, wanted, source);
                self.shell.output_wires.push(wire(&[slot]));
                self.rows.push(OutputRow {
                    buffer,
                    is_second: source == Some(1),
                    scalar: wanted,
                    name: variable.name.clone(),
                    raw: (wanted != scalar).then_some(scalar),
                });
            }
        }
        errors
    }

    /// The draw buffers to which a leaf at `location` is written, with their base types.
    fn outputs(
        &self,
        variable: &Variable,
        location: u32,
    ) -> Result<Vec<(u32, ScalarKind)>, Diagnostic> {
        let targets = &self.raster.targets;
        if variable.name != "gl_FragColor" {
            let idx = usize::try_from(location).unwrap_or(usize::MAX);
            let class = targets.get(idx).copied().flatten();
            return Ok(class.map(|class| (location, scalar_of(class))).into_iter().collect());
        }
        let buffers = (0..MAX_BROADCAST).zip(targets);
        let mask = buffers
            .filter(|(_, class)| class.is_some())
            .fold(0, |mask, (buffer, _)| mask | 1_u32 << buffer);
        let vector = |class: &Option<FormatClass>| {
            let scalar = class.map_or(ScalarKind::F32, scalar_of);
            Type::Vector { size: 4, scalar }
        };
        let types: Vec<Type> = targets.iter().map(vector).collect();
        let outputs = broadcast(&variable.ty, mask, &types).map_err(|error| {
            let message = format!("`{}` cannot be broadcast: {error}", variable.name);
            Diagnostic::error(variable.span, message)
        })?;
        let pair = |output: BroadcastOutput| match output.ty {
            Type::Vector { scalar, .. } => Some((output.buffer, scalar)),
            Type::Scalar(_) | Type::Matrix { .. } | Type::Array { .. } | Type::Struct { .. } => {
                None
            }
        };
        Ok(outputs.into_iter().filter_map(pair).collect())
    }

    /// Adds a missing blend source, because WebGPU requires both. A source that is not written is undefined in GL; here
    /// it is 0, 0, 0, 1.
    fn complete_sources(&mut self) {
        let class = self.raster.targets.first().copied().flatten();
        let kind = class.map_or(ScalarKind::F32, scalar_of);
        for source in [0, 1] {
            slot_at(&mut self.shell.outputs, 0, kind, Some(source));
        }
    }
}

const fn scalar_of(class: FormatClass) -> ScalarKind {
    match class {
        FormatClass::Float => ScalarKind::F32,
        FormatClass::Sint => ScalarKind::I32,
        FormatClass::Uint => ScalarKind::U32,
    }
}

fn kind_error(variable: &Variable, buffer: u32, wanted: ScalarKind) -> Diagnostic {
    let message = format!(
        "`{}` is {} but render target {buffer} holds {wanted} values",
        variable.name, variable.ty
    );
    Diagnostic::error(variable.span, message).with_help(
        "a fragment output and its render target must have the same base type; `outputs raw` in \
         `[link]` writes the bits",
    )
}

/// Checks that no output is beyond the last draw buffer, for locations of the shader and of the linker (GLSL 4.60,
/// 4.4.2).
fn check_draw_buffers(used: &[&Variable], locations: &[u32]) -> Result<(), Vec<Diagnostic>> {
    let mut errors = Vec::new();
    for (output, location) in used.iter().zip(locations) {
        let end = location.saturating_add(location_count(output));
        if end as usize > DRAW_BUFFERS {
            let message = format!(
                "`{}` takes locations {location} to {}, and the last draw buffer is {}",
                output.name,
                end - 1,
                DRAW_BUFFERS - 1
            );
            errors.push(Diagnostic::error(output.span, message));
        }
    }
    if errors.is_empty() { Ok(()) } else { Err(errors) }
}

/// Checks that outputs that share a location have the same base type (GLSL 4.60, 4.4.2). Outputs with different indices
/// do not share a location.
fn check_shared_locations(used: &[&Variable], locations: &[u32]) -> Result<(), Vec<Diagnostic>> {
    let mut first_at: BTreeMap<(u32, u32), &Variable> = BTreeMap::new();
    let mut errors = Vec::new();
    for (output, location) in used.iter().zip(locations) {
        let index = output.index.unwrap_or(0);
        for at in *location..location.saturating_add(location_count(output)) {
            let first = *first_at.entry((at, index)).or_insert(output);
            if base_type(first) != base_type(output) {
                let message = format!(
                    "`{}` and `{}` are at location {at} and differ in base type",
                    first.name, output.name
                );
                errors.push(Diagnostic::error(output.span, message));
                break;
            }
        }
    }
    if errors.is_empty() { Ok(()) } else { Err(errors) }
}

/// Rejects outputs to other draw buffers in a program with a second source, unless these draw buffers have no targets.
/// GL allows them if no draw that blends with the second source writes them. WebGPU never allows them.
fn check_first_alone(
    used: &[&Variable],
    locations: &[u32],
    raster: &RasterState,
) -> Result<(), LinkError> {
    let has_target = |at: u32| raster.targets.get(at as usize).is_some_and(Option::is_some);
    for (output, location) in used.iter().zip(locations) {
        let mut locations = *location..location.saturating_add(location_count(output));
        if locations.any(|at| at > 0 && has_target(at)) {
            let word = format!("`{}` beside a second source of draw buffer 0", output.name);
            return Err(LinkError::Unsupported { word, span: output.span });
        }
    }
    Ok(())
}

fn location_count(output: &Variable) -> u32 {
    u32::try_from(output.ty.leaves().len()).unwrap_or(u32::MAX)
}

/// Checks the second sources, and returns true if there is one. They are limited to one draw buffer (GL's minimum), and
/// both sources must have the same type.
fn check_dual_source(used: &[&Variable], locations: &[u32]) -> Result<bool, Vec<Diagnostic>> {
    let Some(second) = used.iter().find(|output| output.index.is_some_and(|index| index > 0))
    else {
        return Ok(false);
    };
    let mut errors = Vec::new();
    for (output, location) in used.iter().zip(locations) {
        let span = output.span;
        let last = location.saturating_add(location_count(output)).saturating_sub(1);
        if output.index.is_some_and(|index| index > 1) {
            let message = format!("`{}` has another index than 0 and 1", output.name);
            errors.push(Diagnostic::error(span, message));
        } else if output.index == Some(1) && last > 0 {
            let message = format!(
                "`{}` is at location {last}, but only location 0 can have a second source",
                output.name
            );
            errors.push(Diagnostic::error(span, message));
        } else if *location == 0 && base_type(output) != base_type(second) {
            let message =
                format!("the sources `{}` and `{}` differ in base type", output.name, second.name);
            errors.push(Diagnostic::error(span, message));
        }
    }
    if errors.is_empty() { Ok(true) } else { Err(errors) }
}

fn base_type(variable: &Variable) -> Option<ScalarKind> {
    variable.ty.leaves().first().map(|leaf| leaf.scalar)
}

#[cfg(test)]
mod tests {
    use crate::testing;
    use ir::stage::ShaderStage;

    use super::*;

    fn vector(scalar: ScalarKind) -> Type {
        Type::Vector { size: 4, scalar }
    }

    /// Checks the outputs of a broadcast, printed as `location type`, or the error.
    #[track_caller]
    fn check(color: &Type, mask: u32, types: &[Type], expected: Result<&str, &str>) {
        let outputs = broadcast(color, mask, types).map_err(|error| error.to_string());
        let shown = outputs.map(|outputs| {
            let one = |output: &BroadcastOutput| format!("{} {}", output.buffer, output.ty);
            outputs.iter().map(one).collect::<Vec<_>>().join(", ")
        });
        assert_eq!(shown.as_deref().map_err(String::as_str), expected);
    }

    #[test]
    fn every_bit_of_the_mask_is_one_output_at_its_own_location() {
        let float = vector(ScalarKind::F32);
        let types =
            [ScalarKind::F32, ScalarKind::I32, ScalarKind::U32, ScalarKind::U32].map(vector);
        check(&float, 0b1010, &types, Ok("1 ivec4, 3 uvec4"));
        check(&float, 0b0001, &types, Ok("0 vec4"));
        check(&float, 0, &types, Ok(""));
        let most = vec![float.clone(); 32];
        let outputs = broadcast(&float, u32::MAX, &most).map(|all| all.len());
        assert_eq!(outputs, Ok(32));
    }

    #[test]
    fn what_was_an_assertion_is_an_error() {
        let float = vector(ScalarKind::F32);
        let message = "the colour is vec4[2] and not a vector of four components";
        check(&float.clone().array(2), 1, std::slice::from_ref(&float), Err(message));
        check(&float, 0b10, std::slice::from_ref(&float), Err("draw buffer 1 has no type"));
        let narrow = Type::Vector { size: 3, scalar: ScalarKind::U32 };
        let message = "the type of draw buffer 0 is uvec3 and not one of four components";
        check(&float, 1, &[narrow], Err(message));
    }

    fn dual(variables: &[(&str, u32, Option<u32>, ScalarKind)]) -> Result<bool, String> {
        let variable = |(name, location, index, scalar): &(&str, u32, Option<u32>, ScalarKind)| {
            let (location, index) = (Some(*location), *index);
            Variable { location, index, ..Variable::new(*name, vector(*scalar)) }
        };
        let variables: Vec<Variable> = variables.iter().map(variable).collect();
        let used: Vec<&Variable> = variables.iter().collect();
        let locations: Vec<u32> =
            variables.iter().filter_map(|variable| variable.location).collect();
        check_dual_source(&used, &locations).map_err(|errors| errors[0].message.clone())
    }

    #[test]
    fn a_second_source_is_for_one_draw_buffer() {
        let float = ScalarKind::F32;
        assert_eq!(dual(&[("a", 0, None, float), ("b", 3, None, float)]), Ok(false));
        assert_eq!(dual(&[("a", 0, Some(0), float), ("b", 0, Some(1), float)]), Ok(true));
        // Index 0 is the first source, explicit or not.
        assert_eq!(dual(&[("a", 0, Some(0), float), ("b", 3, Some(0), float)]), Ok(false));
        let three = [("a", 0, None, float), ("b", 0, Some(1), float), ("c", 1, None, float)];
        assert_eq!(dual(&three), Ok(true));
        let message = "`b` is at location 1, but only location 0 can have a second source";
        let beyond = [("a", 0, None, float), ("b", 1, Some(1), float)];
        assert_eq!(dual(&beyond), Err(message.to_owned()));
        let message = "the sources `a` and `b` differ in base type";
        let mixed = [("a", 0, None, float), ("b", 0, Some(1), ScalarKind::U32)];
        assert_eq!(dual(&mixed), Err(message.to_owned()));
    }

    #[test]
    fn a_kind_that_differs_links_as_in_gl_until_it_is_drawn() {
        let text = "#version 440\nout ivec4 a; void main() { a = ivec4(1); }";
        let stage = testing::stage(ShaderStage::Fragment, text);
        let lowered = |outputs| {
            let targets = vec![Some(FormatClass::Float)];
            let raster = RasterState { targets, outputs, ..RasterState::default() };
            lower(&stage, &raster, &mut Shell::default()).map(|outputs| outputs.written_targets)
        };
        assert!(matches!(lowered(OutputRule::Typed), Err(LinkError::Refused(_))));
        let unseen = lowered(OutputRule::Undefined { is_drawn: false });
        assert!(unseen.is_ok_and(|written| written.is_empty()));
        let drawn = lowered(OutputRule::Undefined { is_drawn: true });
        assert!(matches!(drawn, Err(LinkError::Unsupported { .. })));
        assert!(lowered(OutputRule::Raw).is_ok_and(|written| written == [0]));
    }

    /// Links a fragment stage with the outputs `text` to the first `targets` render targets, and checks the map or the
    /// error.
    #[track_caller]
    fn check_outputs(text: &str, body: &str, targets: usize, expected: Result<&str, &str>) {
        let text = format!("#version 440\n{text}\nvoid main() {{ {body} }}");
        let stage = testing::stage(ShaderStage::Fragment, &text);
        let targets = vec![Some(FormatClass::Float); targets];
        let raster = RasterState { targets, ..RasterState::default() };
        let rows = lower(&stage, &raster, &mut Shell::default());
        let shown = rows.map_err(|error| match error {
            LinkError::Refused(errors) | LinkError::Forbidden(errors) => errors[0].message.clone(),
            LinkError::NoRoom(_)
            | LinkError::NoWideTypes { .. }
            | LinkError::Unsupported { .. }
            | LinkError::Invalid { .. } => error.to_string(),
        });
        let shown = shown.map(|outputs| {
            outputs.rows.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ")
        });
        assert_eq!(shown.as_deref().map_err(String::as_str), expected);
    }

    #[test]
    fn outputs_end_at_the_last_draw_buffer() {
        let one = |location: u32| format!("layout(location = {location}) out vec4 a;");
        check_outputs(&one(7), "a = vec4(1.0);", 8, Ok("output 7 vec4 <- a"));
        let message = "`a` takes locations 8 to 8, and the last draw buffer is 7";
        check_outputs(&one(8), "a = vec4(1.0);", 8, Err(message));
        // Mesa assigns no location to unwritten outputs.
        check_outputs(&one(8), "", 8, Ok(""));
        let message = "`a` takes locations 5 to 8, and the last draw buffer is 7";
        let array = "layout(location = 5) out vec4 a[4];";
        check_outputs(array, "a[0] = vec4(1.0);", 8, Err(message));
        let message = "`a` takes locations 0 to 8, and the last draw buffer is 7";
        check_outputs("out vec4 a[9];", "a[0] = vec4(1.0);", 8, Err(message));
        let message = "`a` takes locations 5 to 9, and the last draw buffer is 7";
        let behind = "layout(location = 4) out vec4 b; out vec4 a[5];";
        check_outputs(behind, "a[0] = b = vec4(1.0);", 8, Err(message));
    }

    #[test]
    fn the_second_source_leaves_its_location_free() {
        let second = "layout(location = 0, index = 1) out vec4 a; out vec4 b;";
        let both = "output 0 second source vec4 <- a, output 0 vec4 <- b";
        check_outputs(second, "a = b = vec4(1.0);", 1, Ok(both));
        let more = format!("{second} out vec4 c;");
        check_outputs(&more, "a = b = c = vec4(1.0);", 1, Ok(both));
        let message = "unsupported: `c` beside a second source of draw buffer 0";
        check_outputs(&more, "a = b = c = vec4(1.0);", 2, Err(message));
        let message = "`a` and `c` are both at location 0";
        let twice = format!("{second} layout(location = 0, index = 1) out vec4 c;");
        check_outputs(&twice, "a = b = c = vec4(1.0);", 1, Err(message));
    }

    #[test]
    fn outputs_share_a_location_component_by_component() {
        let pair = |ty: &str, component: u32| {
            format!(
                "layout(location = 0) out vec2 a;
                 layout(location = 0, component = {component}) out {ty} b;"
            )
        };
        let body = |ty: &str| format!("a = vec2(1.0); b = {ty}(1);");
        let row = "output 0 vec4 <- a, output 0 vec4 <- b";
        check_outputs(&pair("vec2", 2), &body("vec2"), 1, Ok(row));
        let message = "`a` and `b` are both at location 0";
        check_outputs(&pair("vec2", 1), &body("vec2"), 1, Err(message));
        let message = "`a` and `b` are at location 0 and differ in base type";
        check_outputs(&pair("ivec2", 2), &body("ivec2"), 1, Err(message));
    }
}
