//! Turns an entry point into a `main` without arguments and result, around the user's function.

#![expect(
    clippy::wildcard_enum_match_arm,
    reason = "naga's enums have dozens of variants of which a few matter here"
)]

use naga::{
    Binding, EntryPoint, Expression, Function, GlobalVariable, Handle, Interpolation, Module,
    Sampling, Span as NagaSpan, Type, TypeInner,
};

use ir::builder::{FunctionBuilder, add_private};
use ir::diagnostic::{CompileError, Diagnostic};
use ir::interface::{self, Place, Variable};
use ir::layout::natural;
use ir::operands;
use ir::source::Span;
use ir::stage::ShaderStage;
use ir::stage_module::{BuiltinVariable, Direction, LanguageRules, StageModule};

/// Placeholder for one argument, one struct member or the whole result.
struct Port {
    name: String,
    ty: Handle<Type>,
    binding: Option<Binding>,
    is_used: bool,
    span: Span,
}

/// Builds the stage module around `entry`, which was taken out of `module`.
pub(super) fn turn_inside_out(
    mut module: Module,
    entry: EntryPoint,
    stage: ShaderStage,
    text: Span,
) -> Result<StageModule, CompileError> {
    let workgroup_size = entry.workgroup_size;
    let mut user = entry.function;
    let arguments = argument_ports(&module, &user, text);
    let results = result_ports(&module, &user, text);
    for argument in &mut user.arguments {
        argument.binding = None;
    }
    if let Some(result) = &mut user.result {
        result.binding = None;
    }
    let mut main = FunctionBuilder::new(&mut module);
    main.function.name = Some("interstage_main".into());
    let mut building = Building {
        kind: stage,
        inputs: Vec::new(),
        outputs: Vec::new(),
        builtins: Vec::new(),
        main,
    };
    building.call(user, arguments, results)?;
    let Building { inputs, outputs, builtins, main, .. } = building;
    let main = main.finish();
    let main = module.functions.append(main, NagaSpan::UNDEFINED);
    Ok(StageModule {
        inputs,
        outputs,
        builtins,
        workgroup_size,
        ..StageModule::new(stage, LanguageRules::Wgsl, module, main)
    })
}

struct Building<'a> {
    kind: ShaderStage,
    inputs: Vec<Variable>,
    outputs: Vec<Variable>,
    builtins: Vec<BuiltinVariable>,
    main: FunctionBuilder<&'a mut Module>,
}

impl Building<'_> {
    fn call(
        &mut self,
        user: Function,
        arguments: Vec<(Handle<Type>, Ports)>,
        results: Option<Ports>,
    ) -> Result<(), CompileError> {
        let mut values = Vec::new();
        for (ty, ports) in arguments {
            let mut parts = Vec::new();
            let is_struct = matches!(ports, Ports::Members(_));
            for port in ports.into_vec() {
                let pointer = self.port(&port, Direction::Input)?;
                parts.push(self.main.load(pointer));
            }
            values.push(if is_struct { self.main.compose(ty, parts) } else { parts[0] });
        }
        let function = self.main.module.functions.append(user, NagaSpan::UNDEFINED);
        let Some(ports) = results else {
            self.main.call(function, values);
            return Ok(());
        };
        let value = self.main.call_for_result(function, values);
        let is_struct = matches!(ports, Ports::Members(_));
        for (index, port) in (0..).zip(ports.into_vec()) {
            let part = if is_struct { self.main.part(value, index) } else { value };
            let pointer = self.port(&port, Direction::Output)?;
            self.main.store(pointer, part);
        }
        Ok(())
    }

    /// Creates the private global for `port`, adds it to the stage's tables, and returns a pointer to it.
    fn port(
        &mut self,
        port: &Port,
        direction: Direction,
    ) -> Result<Handle<Expression>, CompileError> {
        let name = Some(format!("interstage_{}", port.name));
        let global = add_private(self.main.module, name, port.ty);
        match port.binding {
            Some(Binding::BuiltIn(builtin)) => {
                self.builtins.push(BuiltinVariable {
                    builtin,
                    global,
                    direction,
                    is_written: direction == Direction::Output,
                });
            }
            Some(Binding::Location { .. }) | None => {
                let variable = self.variable(port, global, direction)?;
                match direction {
                    Direction::Input => self.inputs.push(variable),
                    Direction::Output => self.outputs.push(variable),
                }
            }
        }
        Ok(self.main.global(global))
    }

    fn variable(
        &self,
        port: &Port,
        global: Handle<GlobalVariable>,
        direction: Direction,
    ) -> Result<Variable, CompileError> {
        let error = |message: String| {
            CompileError::Diagnostics(vec![Diagnostic::error(port.span, message)])
        };
        if self.kind == ShaderStage::Compute {
            return Err(error(format!(
                "`{}` must be a built-in: a compute stage has no user-defined inputs or outputs",
                port.name
            )));
        }
        let ty = natural::type_of(self.main.module, port.ty).ok_or_else(|| {
            error(format!(
                "`{}` has a type that inputs and outputs of a stage cannot have",
                port.name
            ))
        })?;
        let mut variable = Variable {
            is_used: port.is_used,
            is_statically_used: port.is_used,
            place: Some(Place::whole(global)),
            span: Some(port.span),
            ..Variable::new(&port.name, ty)
        };
        if let Some(Binding::Location { location, interpolation, sampling, blend_src, .. }) =
            port.binding
        {
            variable.location = Some(location);
            variable.index = blend_src;
            let is_varying = matches!(
                (self.kind, direction),
                (ShaderStage::Vertex, Direction::Output)
                    | (ShaderStage::Fragment, Direction::Input)
            );
            // naga makes its defaults explicit everywhere, but only varyings are interpolated.
            if is_varying {
                variable.interpolation = interpolation.map(our_interpolation).unwrap_or_default();
                variable.sampling = sampling.map(our_sampling).unwrap_or_default();
                variable.is_either = sampling == Some(Sampling::Either);
            }
        }
        Ok(variable)
    }
}

/// The ports of one argument or of the result.
enum Ports {
    One(Port),
    Members(Vec<Port>),
}

impl Ports {
    fn into_vec(self) -> Vec<Port> {
        match self {
            Self::One(port) => vec![port],
            Self::Members(ports) => ports,
        }
    }
}

fn argument_ports(module: &Module, user: &Function, text: Span) -> Vec<(Handle<Type>, Ports)> {
    let ports = |(idx, argument): (u32, &naga::FunctionArgument)| {
        let name = argument.name.clone().unwrap_or_else(|| format!("argument{idx}"));
        let used = |member: u32| is_member_used(user, idx, member);
        (argument.ty, ports_of(module, argument.ty, &name, argument.binding.as_ref(), used, text))
    };
    (0..).zip(&user.arguments).map(ports).collect()
}

fn result_ports(module: &Module, user: &Function, text: Span) -> Option<Ports> {
    let result = user.result.as_ref()?;
    Some(ports_of(module, result.ty, "result", result.binding.as_ref(), |_| true, text))
}

fn ports_of(
    module: &Module,
    ty: Handle<Type>,
    name: &str,
    binding: Option<&Binding>,
    is_used: impl Fn(u32) -> bool,
    text: Span,
) -> Ports {
    let span = module
        .types
        .get_span(ty)
        .to_range()
        .map_or(text, |range| Span::new(range.start, range.end));
    match &module.types[ty].inner {
        TypeInner::Struct { members, .. } if binding.is_none() => {
            let port = |(idx, member): (u32, &naga::StructMember)| Port {
                name: member.name.clone().unwrap_or_else(|| format!("member{idx}")),
                ty: member.ty,
                binding: member.binding.clone(),
                is_used: is_used(idx),
                span,
            };
            Ports::Members((0..).zip(members).map(port).collect())
        }
        _ => Ports::One(Port {
            name: name.to_owned(),
            ty,
            binding: binding.cloned(),
            is_used: true,
            span,
        }),
    }
}

/// True if the function uses member `member` of its struct argument `argument`, or the whole of it.
fn is_member_used(user: &Function, argument: u32, member: u32) -> bool {
    let Some((whole, _)) = user
        .expressions
        .iter()
        .find(|(_, expression)| **expression == Expression::FunctionArgument(argument))
    else {
        return false;
    };
    let mut picks_other = false;
    for (_, expression) in user.expressions.iter() {
        match expression {
            Expression::AccessIndex { base, index } if *base == whole => {
                if *index == member {
                    return true;
                }
                picks_other = true;
            }
            _ => {}
        }
    }
    // Without any member access the struct is passed on or stored as a whole.
    !picks_other || is_passed_whole(user, whole)
}

fn is_passed_whole(user: &Function, whole: Handle<Expression>) -> bool {
    let is_operand = |expression: &Expression| {
        !matches!(expression, Expression::AccessIndex { .. })
            && operands::of_expression(&mut expression.clone())
                .into_iter()
                .any(|operand| *operand == whole)
    };
    let mut is_read = user.expressions.iter().any(|(_, expression)| is_operand(expression));
    operands::read_by_block(&user.body, |operand| is_read |= operand == whole);
    is_read
}

/// naga makes its defaults explicit, so a plain `@location` arrives as perspective.
const fn our_interpolation(interpolation: Interpolation) -> interface::Interpolation {
    match interpolation {
        Interpolation::Perspective => interface::Interpolation::Smooth,
        Interpolation::Linear => interface::Interpolation::NoPerspective,
        Interpolation::Flat | Interpolation::PerVertex => interface::Interpolation::Flat,
    }
}

const fn our_sampling(sampling: Sampling) -> interface::Sampling {
    match sampling {
        Sampling::Center | Sampling::First | Sampling::Either => interface::Sampling::Center,
        Sampling::Centroid => interface::Sampling::Centroid,
        Sampling::Sample => interface::Sampling::Sample,
    }
}

#[cfg(test)]
mod tests {
    use naga::BuiltIn;

    use super::*;

    #[test]
    fn only_members_that_are_looked_at_count_as_used() {
        let text = "struct In { a: f32, b: f32 }
            fn all(v: In) -> f32 { return v.a; }
            @fragment fn one(v: In) -> @location(0) f32 { return v.b; }
            @fragment fn whole(v: In) -> @location(0) f32 { return all(v) + v.b; }";
        let module = naga::front::wgsl::parse_str(text).expect("valid");
        let used = |name: &str| {
            let entry = module.entry_points.iter().find(|entry| entry.name == name).expect("there");
            [0, 1].map(|member| is_member_used(&entry.function, 0, member))
        };
        assert_eq!(used("one"), [false, true]);
        assert_eq!(used("whole"), [true, true]);
    }

    #[test]
    fn the_position_is_a_builtin_and_not_a_variable() {
        let text = "@vertex fn main() -> @builtin(position) vec4f { return vec4f(); }";
        let mut module = naga::front::wgsl::parse_str(text).expect("valid");
        let entry = module.entry_points.remove(0);
        let stage =
            turn_inside_out(module, entry, ShaderStage::Vertex, Span::new(0, 0)).expect("a stage");
        assert!(stage.outputs.is_empty());
        assert!(matches!(stage.builtins[0].builtin, BuiltIn::Position { invariant: false }));
    }
}
