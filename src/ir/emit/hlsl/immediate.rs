//! Puts immediates into structs: naga's HLSL writer refuses others (gfx-rs/wgpu#5683).

use naga::{
    AddressSpace, Arena, Expression, Function, GlobalVariable, Handle, Module, Span, StructMember,
    Type, TypeInner,
};

use crate::operands;
use crate::operands::renumber::{Renumbering, with_functions};

/// `module` with a struct around each immediate that is none; `None` if there is no such immediate.
pub fn in_structs(module: &Module) -> Option<Module> {
    let bare = |variable: &GlobalVariable| {
        variable.space == AddressSpace::Immediate
            && !matches!(module.types[variable.ty].inner, TypeInner::Struct { .. })
    };
    let bare = module.global_variables.iter().filter(|(_, variable)| bare(variable));
    let bare: Vec<_> = bare.map(|(handle, _)| handle).collect();
    let mut result = with_functions(module, |function, _| Some(through_members(function, &bare)))?;
    for handle in bare {
        let ty = result.global_variables[handle].ty;
        let inner = &result.types[ty].inner;
        let span = inner.size(result.to_ctx()).next_multiple_of(4);
        let member = StructMember { name: Some("value".into()), ty, binding: None, offset: 0 };
        let name = Some(format!("Immediate{}", handle.index()));
        let inner = TypeInner::Struct { members: vec![member], span };
        let ty = result.types.insert(Type { name, inner }, Span::UNDEFINED);
        result.global_variables.get_mut(handle).ty = ty;
    }
    Some(result)
}

/// `function` with an access of the only member before each use of a variable of `bare`; `None` if it uses none.
fn through_members(function: &Function, bare: &[Handle<GlobalVariable>]) -> Option<Function> {
    let mut new = function.clone();
    new.expressions = Arena::new();
    let mut renumbering = Renumbering::default();
    let mut has_some = false;
    for (_, expression) in function.expressions.iter() {
        let mut expression = expression.clone();
        renumbering.expression(&mut expression);
        let before = new.expressions.len();
        for operand in operands::of_expression(&mut expression) {
            let is_bare = matches!(new.expressions[*operand], Expression::GlobalVariable(global) if bare.contains(&global));
            if is_bare {
                let member = Expression::AccessIndex { base: *operand, index: 0 };
                *operand = new.expressions.append(member, Span::UNDEFINED);
                has_some = true;
            }
        }
        let last = new.expressions.append(expression, Span::UNDEFINED);
        let first = new.expressions.iter().nth(before).map_or(last, |(first, _)| first);
        renumbering.note(first, last);
    }
    renumbering.rest(&mut new);
    has_some.then_some(new)
}

#[cfg(test)]
mod tests {
    use naga::front::wgsl::parse_str;
    use naga::valid::{Capabilities, ValidationFlags, Validator};

    use super::*;

    const BARE: &str = "var<immediate> v: vec4f;
        fn third() -> f32 { return v.z; }
        @fragment fn main(@location(0) @interpolate(flat) i: u32) -> @location(0) vec4f {
            let all = v;
            return all + vec4f(v[i], third(), v.xy);
        }";

    #[test]
    fn an_immediate_without_a_struct_gets_one() {
        let module = parse_str(BARE).expect("valid WGSL");
        let lowered = in_structs(&module).expect("its immediate is a vector");
        let mut validator = Validator::new(ValidationFlags::all(), Capabilities::all());
        validator.validate(&lowered).expect("it stays valid");
        let text = super::super::write(&module).expect("is expressible");
        for part in [
            "ConstantBuffer<Immediate0_> v",
            "v.value.z",
            "all_ = v.value;",
            "v.value[min(uint(i), 3u)]",
        ] {
            assert!(text.contains(part), "{part}: {text}");
        }
    }

    #[test]
    fn other_variables_stay() {
        let stays = |text: &str| in_structs(&parse_str(text).expect("valid WGSL")).is_none();
        assert!(stays(
            "struct A { a: f32 } var<immediate> v: A;
             @fragment fn main() -> @location(0) vec4f { return vec4f(v.a); }"
        ));
        assert!(stays(
            "@group(0) @binding(0) var<uniform> v: vec4f;
             @fragment fn main() -> @location(0) vec4f { return v; }"
        ));
    }
}
