//! Turns an entry point into a `main` without arguments and result, around the user's function.

#![expect(
    clippy::wildcard_enum_match_arm,
    reason = "naga's enums have dozens of variants of which a few matter here"
)]

use naga::{
    Binding, BuiltIn, EarlyDepthTest, EntryPoint, Expression, Function, FunctionArgument,
    FunctionResult, GlobalVariable, Handle, Interpolation, Module, Sampling, Scalar,
    Span as NagaSpan, StructMember, Type, TypeInner,
};

use ir::builder::{FunctionBuilder, add_private, insert_type};
use ir::diagnostic::{CompileError, Diagnostic};
use ir::interface::{self, Place, ScalarKind, Variable};
use ir::layout::natural;
use ir::operands;
use ir::source::Span;
use ir::stage::ShaderStage;
use ir::stage_module::{BuiltinVariable, Direction, LanguageRules, StageModule};

use crate::checked::Places;

/// Placeholder for one argument, one struct member or the whole result.
struct Port {
    name: String,
    ty: Handle<Type>,
    binding: Option<Binding>,
    is_used: bool,
    span: Span,
}

/// Parts of an entry point that a stage module keeps.
struct Carried {
    name: String,
    early_depth_test: Option<EarlyDepthTest>,
    workgroup_size: [u32; 3],
    function: Function,
}

/// Splits an entry point into the parts that a stage module keeps. The caller has chosen it by its name and stage.
fn carried(entry: EntryPoint, text: Span) -> Result<Carried, CompileError> {
    let EntryPoint {
        name,
        stage: _,
        early_depth_test,
        workgroup_size,
        workgroup_size_overrides,
        function,
        mesh_info,
        task_payload,
        incoming_ray_payload,
    } = entry;
    let lacking = [
        (workgroup_size_overrides.is_some(), "overridable constants in `@workgroup_size`"),
        (mesh_info.is_some(), "mesh stages"),
        (task_payload.is_some(), "payloads of task stages"),
        (incoming_ray_payload.is_some(), "payloads of rays"),
    ];
    match lacking.into_iter().find(|(is_there, _)| *is_there) {
        Some((_, word)) => Err(CompileError::unsupported(word, text)),
        None => Ok(Carried { name, early_depth_test, workgroup_size, function }),
    }
}

/// Builds the stage module around `entry`, which was taken out of `module`.
pub(super) fn turn_inside_out(
    mut module: Module,
    entry: EntryPoint,
    stage: ShaderStage,
    places: Places<'_>,
) -> Result<StageModule, CompileError> {
    let Carried { name, early_depth_test, workgroup_size, function: mut user } =
        carried(entry, places.text)?;
    let at = PortPlaces { places, function: places.of_function(&name) };
    let arguments = argument_ports(&module, &user, at);
    let results = result_ports(&module, &user, at);
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
        has_invariant_position: false,
        main,
    };
    building.call(user, arguments, results)?;
    let Building { kind: _, inputs, outputs, builtins, has_invariant_position, main } = building;
    let main = main.finish();
    let main = module.functions.append(main, NagaSpan::UNDEFINED);
    Ok(StageModule {
        inputs,
        outputs,
        builtins,
        workgroup_size,
        early_depth_test,
        has_invariant_position,
        ..StageModule::new(stage, LanguageRules::Wgsl, module, main)
    })
}

struct Building<'a> {
    kind: ShaderStage,
    inputs: Vec<Variable>,
    outputs: Vec<Variable>,
    builtins: Vec<BuiltinVariable>,
    has_invariant_position: bool,
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
                let (pointer, narrow) = self.port(&port, Direction::Input)?;
                let value = self.main.load(pointer);
                parts.push(narrow.map_or(value, |scalar| self.converted(value, scalar)));
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
            let (pointer, narrow) = self.port(&port, Direction::Output)?;
            let part = narrow.map_or(part, |scalar| self.converted(part, widened(scalar)));
            self.main.store(pointer, part);
        }
        Ok(())
    }

    /// Converts a scalar or vector to one with scalars of type `to`.
    fn converted(&mut self, value: Handle<Expression>, to: Scalar) -> Handle<Expression> {
        let convert = Some(to.width);
        self.main.emit(Expression::As { expr: value, kind: to.kind, convert })
    }

    /// Creates the private global for `port`, adds it to the stage's tables, and returns a pointer to it. A port of
    /// 16-bit scalars has a global of 32-bit scalars, and its 16-bit scalar type is returned.
    fn port(
        &mut self,
        port: &Port,
        direction: Direction,
    ) -> Result<(Handle<Expression>, Option<Scalar>), CompileError> {
        let is_builtin = matches!(port.binding, Some(Binding::BuiltIn(_)));
        let narrow = narrow_scalar(&self.main.module.types[port.ty].inner);
        let narrow = narrow.filter(|_| !is_builtin);
        let ty = narrow.map_or(port.ty, |_| wide_type(self.main.module, port.ty));
        let name = Some(format!("interstage_{}", port.name));
        let global = add_private(self.main.module, name, ty);
        match port.binding {
            Some(Binding::BuiltIn(builtin)) => self.builtin(builtin, global, direction),
            Some(Binding::Location { .. }) | None => {
                let variable = self.variable(port, Place::whole(global), direction)?;
                let all = match direction {
                    Direction::Input => &mut self.inputs,
                    Direction::Output => &mut self.outputs,
                };
                add_distinct(all, variable, port.span)?;
            }
        }
        Ok((self.main.global(global), narrow))
    }

    fn builtin(&mut self, builtin: BuiltIn, global: Handle<GlobalVariable>, direction: Direction) {
        let builtin = match builtin {
            BuiltIn::Position { invariant } => {
                self.has_invariant_position |= invariant && direction == Direction::Output;
                BuiltIn::Position { invariant: false }
            }
            other => other,
        };
        let is_written = direction == Direction::Output;
        self.builtins.push(BuiltinVariable { builtin, global, direction, is_written });
    }

    fn variable(
        &self,
        port: &Port,
        place: Place,
        direction: Direction,
    ) -> Result<Variable, CompileError> {
        if self.kind == ShaderStage::Compute {
            let message = format!(
                "`{}` must be a built-in: a compute stage has no user-defined inputs or outputs",
                port.name
            );
            return Err(CompileError::Diagnostics(vec![Diagnostic::error(port.span, message)]));
        }
        let inner = &self.main.module.types[port.ty].inner;
        let ty = self.main.module.global_variables[place.global].ty;
        let ty = natural::type_of(self.main.module, ty)
            .filter(|_| !matches!(inner, TypeInner::Atomic(_)))
            .ok_or_else(|| {
                let what = format!("inputs and outputs of stages that are {}", type_word(inner));
                unsupported(port, &what)
            })?;
        if ty.leaves().iter().any(|leaf| leaf.scalar == ScalarKind::Bool) {
            let message =
                format!("`{}` has booleans, which no input or output of a stage has", port.name);
            return Err(CompileError::Diagnostics(vec![Diagnostic::error(port.span, message)]));
        }
        let mut variable = Variable {
            is_narrow: narrow_scalar(inner).is_some(),
            is_used: port.is_used,
            is_statically_used: port.is_used,
            place: Some(place),
            span: Some(port.span),
            ..Variable::new(&port.name, ty)
        };
        if let Some(binding) = &port.binding {
            self.locate(port, binding, direction, &mut variable)?;
        }
        Ok(variable)
    }

    /// Copies the properties of a binding to the variable.
    fn locate(
        &self,
        port: &Port,
        binding: &Binding,
        direction: Direction,
        variable: &mut Variable,
    ) -> Result<(), CompileError> {
        let (location, interpolation, sampling, blend_src) = match *binding {
            Binding::BuiltIn(_) => return Ok(()),
            Binding::Location { per_primitive: true, .. } => {
                return Err(unsupported(port, "`@per_primitive`"));
            }
            Binding::Location {
                location,
                interpolation,
                sampling,
                blend_src,
                per_primitive: false,
            } => (location, interpolation, sampling, blend_src),
        };
        variable.location = Some(location);
        variable.index = blend_src;
        let own = interpolation.map(|own| {
            our_interpolation(own).ok_or_else(|| unsupported(port, "`@interpolate(per_vertex)`"))
        });
        let own = own.transpose()?;
        let is_varying = matches!(
            (self.kind, direction),
            (ShaderStage::Vertex, Direction::Output) | (ShaderStage::Fragment, Direction::Input)
        );
        // naga makes its defaults explicit on all inputs and outputs, but only varyings are interpolated.
        if is_varying {
            variable.interpolation = own.unwrap_or_default();
            variable.sampling = sampling.map(our_sampling).unwrap_or_default();
            variable.is_either = sampling == Some(Sampling::Either);
        }
        Ok(())
    }
}

/// The error for a port that stage modules do not support.
fn unsupported(port: &Port, what: &str) -> CompileError {
    CompileError::unsupported(format!("{what} (`{}`)", port.name), port.span)
}

/// The scalar of a scalar or vector, if it has 16 bits.
const fn narrow_scalar(inner: &TypeInner) -> Option<Scalar> {
    match inner {
        TypeInner::Scalar(scalar) | TypeInner::Vector { scalar, .. } if scalar.width == 2 => {
            Some(*scalar)
        }
        _ => None,
    }
}

/// The 32-bit scalar of the same kind, which represents every value of the 16-bit one.
const fn widened(scalar: Scalar) -> Scalar {
    Scalar { kind: scalar.kind, width: 4 }
}

/// The type with 32-bit scalars in place of 16-bit ones.
fn wide_type(module: &mut Module, ty: Handle<Type>) -> Handle<Type> {
    let inner = match module.types[ty].inner {
        TypeInner::Scalar(scalar) => TypeInner::Scalar(widened(scalar)),
        TypeInner::Vector { size, scalar } => TypeInner::Vector { size, scalar: widened(scalar) },
        _ => return ty,
    };
    insert_type(module, inner)
}

/// Kind of a type in messages, in the plural.
const fn type_word(inner: &TypeInner) -> &'static str {
    match inner {
        TypeInner::Scalar(_) | TypeInner::Vector { .. } => "numbers of other sizes",
        TypeInner::Matrix { .. } => "matrices of other numbers",
        TypeInner::Atomic(_) => "atomics",
        TypeInner::Pointer { .. } | TypeInner::ValuePointer { .. } => "pointers",
        TypeInner::Array { .. } => "arrays of other types",
        TypeInner::Struct { .. } => "structs of other types",
        TypeInner::Image { .. } => "textures",
        TypeInner::Sampler { .. } => "samplers",
        TypeInner::AccelerationStructure { .. } => "acceleration structures",
        TypeInner::RayQuery { .. } => "ray queries",
        TypeInner::BindingArray { .. } => "binding arrays",
        TypeInner::CooperativeMatrix { .. } => "cooperative matrices",
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

/// Adds a variable whose name differs from those of the others. Members of several structs may have the same name; those
/// with a location are then known by it.
fn add_distinct(
    all: &mut Vec<Variable>,
    mut variable: Variable,
    span: Span,
) -> Result<(), CompileError> {
    if let Some(same) = all.iter_mut().find(|other| other.name == variable.name) {
        let renamed = if variable.location.is_some() { &mut variable } else { same };
        let Some(location) = renamed.location else {
            let message = format!("two inputs without `@location` are called `{}`", variable.name);
            return Err(CompileError::Diagnostics(vec![Diagnostic::error(span, message)]));
        };
        renamed.name = format!("location {location}");
    }
    all.push(variable);
    Ok(())
}

/// Positions of the declarations of an entry point's ports.
#[derive(Clone, Copy)]
struct PortPlaces<'a> {
    places: Places<'a>,
    /// Position of the entry point's name in its declaration.
    function: Span,
}

impl PortPlaces<'_> {
    fn of_argument(&self, name: &str) -> Span {
        self.places.of_declared(self.function.start, name).unwrap_or(self.function)
    }

    fn of_member(&self, structure: naga::Span, name: &str) -> Span {
        let whole = self.places.of(structure);
        let own = self.places.of_declared(whole.start, name);
        own.filter(|own| own.end <= whole.end).unwrap_or(whole)
    }
}

fn argument_ports(
    module: &Module,
    user: &Function,
    at: PortPlaces<'_>,
) -> Vec<(Handle<Type>, Ports)> {
    let ports = |(idx, argument): (u32, &FunctionArgument)| {
        let FunctionArgument { name, ty, binding } = argument;
        let name = name.clone().unwrap_or_else(|| format!("argument{idx}"));
        let used = |member: u32| is_member_used(user, idx, member);
        let span = at.of_argument(&name);
        let one = Port { name, ty: *ty, binding: binding.clone(), is_used: true, span };
        (*ty, ports_of(module, one, used, at))
    };
    (0..).zip(&user.arguments).map(ports).collect()
}

fn result_ports(module: &Module, user: &Function, at: PortPlaces<'_>) -> Option<Ports> {
    let FunctionResult { ty, binding } = user.result.as_ref()?;
    let (name, span) = ("result".to_owned(), at.function);
    let one = Port { name, ty: *ty, binding: binding.clone(), is_used: true, span };
    Some(ports_of(module, one, |_| true, at))
}

/// The port `one`, or the ports of its members if it is a struct.
fn ports_of(
    module: &Module,
    one: Port,
    is_used: impl Fn(u32) -> bool,
    at: PortPlaces<'_>,
) -> Ports {
    match &module.types[one.ty].inner {
        TypeInner::Struct { members, .. } if one.binding.is_none() => {
            let structure = module.types.get_span(one.ty);
            let port = |(idx, member): (u32, &StructMember)| {
                // Offsets have no meaning for a value.
                let StructMember { name, ty, binding, offset: _ } = member;
                let name = name.clone().unwrap_or_else(|| format!("member{idx}"));
                let span = at.of_member(structure, &name);
                Port { name, ty: *ty, binding: binding.clone(), is_used: is_used(idx), span }
            };
            Ports::Members((0..).zip(members).map(port).collect())
        }
        _ => Ports::One(one),
    }
}

/// True if the function uses member `member` of its struct argument `argument`, or the whole of it.
pub fn is_member_used(user: &Function, argument: u32, member: u32) -> bool {
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
    // Without any member access, the struct is passed or stored as a whole.
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

/// Converts naga's interpolation. naga makes its defaults explicit, so a plain `@location` arrives as perspective.
/// Returns `None` for inputs that hold a value for each vertex.
const fn our_interpolation(interpolation: Interpolation) -> Option<interface::Interpolation> {
    match interpolation {
        Interpolation::Perspective => Some(interface::Interpolation::Smooth),
        Interpolation::Linear => Some(interface::Interpolation::NoPerspective),
        Interpolation::Flat => Some(interface::Interpolation::Flat),
        Interpolation::PerVertex => None,
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

    fn whole(source: &str) -> Places<'_> {
        Places { source, text: Span::new(0, source.len()) }
    }

    /// The only entry point of a module, and the module without it.
    fn parsed(text: &str) -> (Module, EntryPoint) {
        let mut module = naga::front::wgsl::parse_str(text).expect("valid");
        let entry = module.entry_points.remove(0);
        (module, entry)
    }

    /// The construct that is rejected in a changed entry point.
    #[track_caller]
    fn refused(text: &str, change: impl FnOnce(&Module, &mut EntryPoint)) -> String {
        let (module, mut entry) = parsed(text);
        change(&module, &mut entry);
        let stage = match entry.stage {
            naga::ShaderStage::Vertex => ShaderStage::Vertex,
            naga::ShaderStage::Fragment => ShaderStage::Fragment,
            _ => ShaderStage::Compute,
        };
        match turn_inside_out(module, entry, stage, whole(text)) {
            Err(CompileError::Unsupported { word, .. }) => word,
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn what_no_stage_module_has_is_refused() {
        let compute = "var<private> g: u32; @compute @workgroup_size(1) fn main() { g = 1u; }";
        let global = |module: &Module| module.global_variables.iter().next().expect("one").0;
        let word = refused(compute, |_, entry| entry.workgroup_size_overrides = Some([None; 3]));
        assert_eq!(word, "overridable constants in `@workgroup_size`");
        let word = refused(compute, |module, entry| entry.task_payload = Some(global(module)));
        assert_eq!(word, "payloads of task stages");
        let word =
            refused(compute, |module, entry| entry.incoming_ray_payload = Some(global(module)));
        assert_eq!(word, "payloads of rays");
        let word = refused(compute, |module, entry| {
            let ty = module.types.iter().next().expect("a type").0;
            entry.mesh_info = Some(naga::MeshStageInfo {
                topology: naga::MeshOutputTopology::Points,
                max_vertices: 1,
                max_vertices_override: None,
                max_primitives: 1,
                max_primitives_override: None,
                vertex_output_type: ty,
                primitive_output_type: ty,
                output_variable: global(module),
            });
        });
        assert_eq!(word, "mesh stages");
    }

    #[test]
    fn bindings_that_no_varying_has_are_refused() {
        let fragment =
            "@fragment fn main(@location(1) v: f32) -> @location(0) vec4f { return vec4f(v); }";
        let word = refused(fragment, |_, entry| {
            let binding = entry.function.arguments[0].binding.as_mut().expect("a location");
            let Binding::Location { per_primitive, .. } = binding else { panic!("{binding:?}") };
            *per_primitive = true;
        });
        assert_eq!(word, "`@per_primitive` (`v`)");
        let word = refused(fragment, |_, entry| {
            let binding = entry.function.arguments[0].binding.as_mut().expect("a location");
            let Binding::Location { interpolation, .. } = binding else { panic!("{binding:?}") };
            *interpolation = Some(Interpolation::PerVertex);
        });
        assert_eq!(word, "`@interpolate(per_vertex)` (`v`)");
    }

    #[test]
    fn halves_cross_an_interface_as_floats() {
        let text =
            "enable f16; struct Out { @builtin(position) p: vec4f, @location(0) h: vec3<f16> }
            @vertex fn main(@location(1) v: f16) -> Out { return Out(vec4f(f32(v)), vec3(v)); }";
        let (module, entry) = parsed(text);
        let stage =
            turn_inside_out(module, entry, ShaderStage::Vertex, whole(text)).expect("a stage");
        assert_eq!(stage.inputs[0].ty, interface::Type::F32);
        assert_eq!(stage.outputs[0].ty.to_string(), "vec3");
    }

    #[test]
    fn the_position_is_a_builtin_and_not_a_variable() {
        let text = "@vertex fn main() -> @builtin(position) @invariant vec4f { return vec4f(); }";
        let (module, entry) = parsed(text);
        let stage =
            turn_inside_out(module, entry, ShaderStage::Vertex, whole(text)).expect("a stage");
        assert!(stage.outputs.is_empty());
        assert!(stage.has_invariant_position);
        assert_eq!(stage.builtins[0].builtin, BuiltIn::Position { invariant: false });
    }
}
