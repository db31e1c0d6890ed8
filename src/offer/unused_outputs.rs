//! Removes outputs and inputs of a fragment stage that a draw does not use.
//!
//! GL lets a stage write `gl_FragDepth` without a depth buffer. If a pixel has one sample, GL ignores `gl_SampleMask`
//! (OpenGL 4.6, 14.9.1) and sets only that sample's bit in `gl_SampleMaskIn`. WebGPU rejects the first and obeys the
//! second. So unused built-in variables are removed from the entry point. This is done per pipeline, because one
//! program may draw to targets of both kinds.

use naga::{
    BuiltIn, EarlyDepthTest, Expression, Function, Handle, Literal, Module, Statement, TypeInner,
};

use case::Case;
use ir::backend::Backend;
use ir::options::DRAW_BUFFERS;
use link::program::{LinkedProgram, LinkedStages, MaskRule};
use plan::{Attachments, DrawSetup, Operation, Plan, Programs, RenderTo};

use super::offer::Offer;

/// The parts of a fragment stage's interface that a draw uses.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct UsedOutputs {
    /// True if depths are used.
    pub depth: bool,
    /// True if sample masks are used.
    pub masks: bool,
    /// For each colour attachment, the draw buffer of the stage that it corresponds to.
    pub buffers: [u32; DRAW_BUFFERS],
}

impl UsedOutputs {
    /// The parts that draws of `program` use, with or without a depth buffer and with `samples` samples per pixel.
    pub fn of(program: &LinkedProgram, has_depth: bool, samples: u32) -> Self {
        let masks = samples > 1 || program.draw.masks == MaskRule::Always;
        Self { depth: has_depth, masks, buffers: Attachments::default().buffers }
    }
}

/// The fragment stage `module` without its unused outputs and inputs; `None` if nothing changes.
pub fn reduced(module: &Module, used: UsedOutputs) -> Option<Module> {
    let is_unused = |builtin: BuiltIn| {
        builtin == BuiltIn::FragDepth && !used.depth
            || builtin == BuiltIn::SampleMask && !used.masks
    };
    let mut result = module.clone();
    let entry = result.entry_points.first_mut()?;
    let has_fewer_arguments = drop_masks(&mut entry.function, &is_unused);
    let has_less_result = drop_members(&mut result, &is_unused);
    if let Some(entry) = result.entry_points.first_mut()
        && !used.depth
    {
        // Without a depth output, conservative depth has no meaning.
        entry.early_depth_test =
            entry.early_depth_test.filter(|test| *test == EarlyDepthTest::Force);
    }
    let has_moved = move_outputs(&mut result, &used.buffers);
    (has_fewer_arguments || has_less_result || has_moved).then_some(result)
}

/// Gives each output the location of the colour attachment that corresponds to its draw buffer.
fn move_outputs(module: &mut Module, buffers: &[u32]) -> bool {
    let Some(entry) = module.entry_points.first_mut() else { return false };
    let Some(result) = &mut entry.function.result else { return false };
    let ty = module.types[result.ty].clone();
    if let TypeInner::Struct { mut members, span } = ty.inner {
        let bindings = members.iter_mut().filter_map(|member| member.binding.as_mut());
        let moved = bindings.filter_map(|binding| move_output(binding, buffers)).count();
        if moved == 0 {
            return false;
        }
        let inner = TypeInner::Struct { members, span };
        let old = result.ty;
        let new = module.types.insert(naga::Type { name: ty.name, inner }, naga::Span::UNDEFINED);
        result.ty = new;
        retype(&mut entry.function, old, new);
        return true;
    }
    result.binding.as_mut().is_some_and(|binding| move_output(binding, buffers).is_some())
}

/// Changes the type of the expression that composes the result.
fn retype(function: &mut Function, old: Handle<naga::Type>, new: Handle<naga::Type>) {
    for (_, expression) in function.expressions.iter_mut() {
        if let Expression::Compose { ty, .. } = expression
            && *ty == old
        {
            *ty = new;
        }
    }
}

/// Moves an output to the location of its colour attachment. Returns `None` if the location is already right.
fn move_output(binding: &mut naga::Binding, buffers: &[u32]) -> Option<()> {
    let naga::Binding::Location { location, .. } = binding else { return None };
    let place = buffers.iter().position(|buffer| buffer == location)?;
    let place = u32::try_from(place).ok().filter(|place| place != location)?;
    *location = place;
    Some(())
}

/// Replaces unused arguments, which are sample masks, by the mask of a single sample.
fn drop_masks(function: &mut Function, is_unused: &impl Fn(BuiltIn) -> bool) -> bool {
    let is_dropped = |binding: &Option<naga::Binding>| matches!(binding, Some(naga::Binding::BuiltIn(builtin)) if is_unused(*builtin));
    let Some(dropped) =
        function.arguments.iter().position(|argument| is_dropped(&argument.binding))
    else {
        return false;
    };
    function.arguments.remove(dropped);
    for (_, expression) in function.expressions.iter_mut() {
        let Expression::FunctionArgument(idx) = expression else { continue };
        match (*idx as usize).cmp(&dropped) {
            std::cmp::Ordering::Less => {}
            std::cmp::Ordering::Equal => *expression = Expression::Literal(Literal::U32(1)),
            std::cmp::Ordering::Greater => *idx -= 1,
        }
    }
    true
}

/// Removes unused members from the result, which the last statement returns.
fn drop_members(module: &mut Module, is_unused: &impl Fn(BuiltIn) -> bool) -> bool {
    let Some(entry) = module.entry_points.first_mut() else { return false };
    let function = &mut entry.function;
    let Some(result) = &mut function.result else { return false };
    let ty = module.types[result.ty].clone();
    let TypeInner::Struct { members, span } = &ty.inner else { return false };
    let is_kept = |member: &naga::StructMember| !matches!(member.binding, Some(naga::Binding::BuiltIn(builtin)) if is_unused(builtin));
    let kept: Vec<bool> = members.iter().map(is_kept).collect();
    if !kept.contains(&false) {
        return false;
    }
    let remaining: Vec<_> = members
        .iter()
        .zip(&kept)
        .filter(|(_, kept)| **kept)
        .map(|(member, _)| member.clone())
        .collect();
    if remaining.is_empty() {
        function.result = None;
        if let Some((Statement::Return { value }, _)) = function.body.span_iter_mut().last() {
            *value = None;
        }
        return true;
    }
    let inner = TypeInner::Struct { members: remaining, span: *span };
    let ty = naga::Type { name: ty.name, inner };
    result.ty = module.types.insert(ty, naga::Span::UNDEFINED);
    let returned = match function.body.last() {
        Some(Statement::Return { value }) => *value,
        _ => None,
    };
    if let Some(returned) = returned {
        drop_components(function, returned, &kept);
    }
    true
}

/// Removes the components of unused members from the expression that composes the result.
fn drop_components(function: &mut Function, value: Handle<Expression>, kept: &[bool]) {
    let Some(result) = &function.result else { return };
    let whole = result.ty;
    if let Expression::Compose { ty, components } = &mut function.expressions[value] {
        *ty = whole;
        let mut kept = kept.iter();
        components.retain(|_| kept.next() == Some(&true));
    }
}

/// True if some draw uses sample masks on an adapter that has none.
pub(crate) fn lacks_masks(
    offer: &Offer,
    case: &Case,
    programs: Programs<'_>,
    plan: &Plan,
) -> Option<String> {
    if offer.info().backend != Backend::Gl {
        return None;
    }
    // naga writes `gl_SampleMask` as a number, although it is an array in GLSL.
    let is_lacking = |setup: &DrawSetup| {
        let samples = if setup.to == RenderTo::Window { case.samples } else { 1 };
        programs.all.get(setup.program).is_some_and(|program| {
            UsedOutputs::of(program, true, samples).masks && uses_masks(program)
        })
    };
    let setups = plan.operations.iter().filter_map(Operation::setup);
    let mut lacking = setups.filter(|setup| is_lacking(setup));
    lacking.next().map(|_| "the GL backend has no masks of samples".to_owned())
}

fn uses_masks(program: &LinkedProgram) -> bool {
    let LinkedStages::Render { fragment: Some(fragment), .. } = &program.stages else {
        return false;
    };
    let used = UsedOutputs { depth: true, masks: false, buffers: Attachments::default().buffers };
    reduced(fragment, used).is_some()
}

#[cfg(test)]
mod tests {
    use naga::valid::{Capabilities, ValidationFlags, Validator};

    use super::*;

    const WGSL: &str = "
        struct Result { @builtin(frag_depth) d: f32, @builtin(sample_mask) m: u32, @location(0) c: vec4f }
        @fragment fn main(@builtin(position) p: vec4f, @builtin(sample_mask) m: u32, @builtin(front_facing) f: bool)
            -> Result {
            return Result(p.x, m, vec4f(p.y, f32(m), f32(f), 1.0));
        }";

    /// The bindings of the arguments and of the result after the removal, which must leave a valid module.
    #[track_caller]
    fn shown(wgsl: &str, depth: bool, masks: bool) -> Option<String> {
        let buffers = Attachments::default().buffers;
        let module = reduced(&fixture::module(wgsl), UsedOutputs { depth, masks, buffers })?;
        let mut validator = Validator::new(ValidationFlags::all(), Capabilities::all());
        validator.validate(&module).expect("what is left is valid");
        let function = &module.entry_points[0].function;
        let arguments = function.arguments.iter().map(|argument| argument.binding.clone());
        let members = function.result.iter().flat_map(|result| {
            let TypeInner::Struct { members, .. } = &module.types[result.ty].inner else {
                panic!("the result is a struct")
            };
            members.iter().map(|member| member.binding.clone())
        });
        let name = |binding: Option<naga::Binding>| match binding.expect("all have bindings") {
            naga::Binding::BuiltIn(builtin) => format!("{builtin:?}"),
            naga::Binding::Location { location, .. } => location.to_string(),
        };
        let [arguments, members] =
            [arguments.map(name).collect::<Vec<_>>(), members.map(name).collect()];
        Some(format!("{} -> {}", arguments.join(" "), members.join(" ")))
    }

    #[test]
    fn what_is_not_seen_is_neither_taken_nor_given() {
        let position = "Position { invariant: false }";
        assert_eq!(shown(WGSL, true, true), None);
        let expected = format!("{position} SampleMask FrontFacing -> SampleMask 0");
        assert_eq!(shown(WGSL, false, true), Some(expected));
        let expected = format!("{position} FrontFacing -> FragDepth 0");
        assert_eq!(shown(WGSL, true, false), Some(expected));
        let expected = format!("{position} FrontFacing -> 0");
        assert_eq!(shown(WGSL, false, false), Some(expected));
    }

    #[test]
    fn outputs_go_to_the_attachments_of_their_draw_buffers() {
        let buffers = [2, 0, 1, 3, 4, 5, 6, 7];
        let used = UsedOutputs { depth: true, masks: true, buffers };
        let locations = |wgsl: &str| {
            let module = reduced(&fixture::module(wgsl), used)?;
            let mut validator = Validator::new(ValidationFlags::all(), Capabilities::all());
            validator.validate(&module).expect("it is as valid as before");
            let result = module.entry_points[0].function.result.clone()?;
            let members = if let TypeInner::Struct { members, .. } = &module.types[result.ty].inner
            {
                members.iter().map(|member| member.binding.clone()).collect()
            } else {
                vec![result.binding]
            };
            let location = |binding: Option<naga::Binding>| match binding {
                Some(naga::Binding::Location { location, .. }) => location,
                binding => panic!("{binding:?} is no location"),
            };
            Some(members.into_iter().map(location).collect::<Vec<_>>())
        };
        let two = "struct Result { @location(0) a: vec4f, @location(2) b: vec4f }
            @fragment fn main() -> Result { return Result(vec4f(1.0), vec4f(2.0)); }";
        assert_eq!(locations(two), Some(vec![1, 0]));
        let one = "@fragment fn main() -> @location(2) vec4f { return vec4f(1.0); }";
        assert_eq!(locations(one), Some(vec![0]));
        let same = "@fragment fn main() -> @location(3) vec4f { return vec4f(1.0); }";
        assert_eq!(locations(same), None);
    }

    #[test]
    fn nothing_may_be_left() {
        let only_depth = "struct Result { @builtin(frag_depth) d: f32 }
            @fragment fn main() -> Result { return Result(0.5); }";
        assert_eq!(shown(only_depth, false, true), Some(" -> ".to_owned()));
    }
}
