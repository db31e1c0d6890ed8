//! Entry points for functions that no entry point of a file calls: they call a function with generated arguments.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use naga::valid::{ModuleInfo, ShaderStages};
use naga::{
    AddressSpace, ArraySize, Block, Function, Handle, Module, ScalarKind, Statement, Type,
    TypeInner,
};

use crate::inputs;

/// Prefix of the names of generated entry points.
const PREFIX: &str = "interstage_calls_";

/// Maximum number of scalars of the arguments of a function.
const MAX_SCALARS: usize = 4096;

/// The functions that no entry point calls, directly or through others.
pub(super) fn unreached(module: &Module) -> Vec<Handle<Function>> {
    let mut reached = BTreeSet::new();
    for entry in &module.entry_points {
        add_calls(module, &entry.function.body, &mut reached);
    }
    module.functions.iter().map(|(handle, _)| handle).filter(|own| !reached.contains(own)).collect()
}

/// Adds the functions that the statements call, and those that these call.
fn add_calls(module: &Module, block: &Block, reached: &mut BTreeSet<Handle<Function>>) {
    for statement in block {
        match statement {
            Statement::Call { function, .. } if reached.insert(*function) => {
                add_calls(module, &module.functions[*function].body, reached);
            }
            Statement::Block(inner) => add_calls(module, inner, reached),
            Statement::If { accept, reject, .. } => {
                add_calls(module, accept, reached);
                add_calls(module, reject, reached);
            }
            Statement::Switch { cases, .. } => {
                for case in cases {
                    add_calls(module, &case.body, reached);
                }
            }
            Statement::Loop { body, continuing, .. } => {
                add_calls(module, body, reached);
                add_calls(module, continuing, reached);
            }
            _ => {}
        }
    }
}

/// The name and the text of an entry point that calls the function. The error is the reason why there is none.
pub(super) fn caller(
    module: &Module,
    info: &ModuleInfo,
    handle: Handle<Function>,
) -> Result<(String, String), String> {
    let function = &module.functions[handle];
    let name = function.name.as_deref().unwrap_or_default();
    let stages = info[handle].available_stages;
    let head = if stages.contains(ShaderStages::COMPUTE) {
        "@compute @workgroup_size(1)"
    } else if stages.contains(ShaderStages::FRAGMENT) {
        "@fragment"
    } else {
        return Err("functions of stages other than these".to_owned());
    };
    let mut call = Call { module, number: 0, variables: String::new() };
    let arguments = function.arguments.iter().enumerate();
    let arguments = arguments.map(|(index, argument)| call.argument(index, argument.ty));
    let arguments: Option<Vec<_>> = arguments.collect();
    let arguments = arguments.ok_or("functions with arguments of this type")?.join(", ");
    let result = if function.result.is_some() { "let interstage_result = " } else { "" };
    let entry = format!("{PREFIX}{name}");
    let variables = call.variables;
    let text =
        format!("\n{head} fn {entry}() {{\n{variables}    {result}{name}({arguments});\n}}\n");
    Ok((entry, text))
}

/// The arguments of a call.
struct Call<'a> {
    module: &'a Module,
    /// Number of scalars so far.
    number: usize,
    /// Declarations of the variables that arguments point to.
    variables: String,
}

impl Call<'_> {
    /// The expression for an argument.
    fn argument(&mut self, index: usize, ty: Handle<Type>) -> Option<String> {
        let TypeInner::Pointer { base, space: AddressSpace::Function } =
            self.module.types[ty].inner
        else {
            return self.value(ty);
        };
        let value = self.value(base)?;
        let _ = writeln!(self.variables, "    var interstage_{index} = {value};");
        Some(format!("&interstage_{index}"))
    }

    /// An expression that constructs a value of this type.
    fn value(&mut self, ty: Handle<Type>) -> Option<String> {
        if self.number > MAX_SCALARS {
            return None;
        }
        let parts = match &self.module.types[ty].inner {
            TypeInner::Scalar(scalar) => {
                self.number += 1;
                return inputs::literal(self.number - 1, *scalar);
            }
            TypeInner::Vector { size, scalar } => self.scalars(*size as usize, *scalar)?,
            TypeInner::Matrix { columns, rows, scalar } => {
                self.scalars(*columns as usize * *rows as usize, *scalar)?
            }
            TypeInner::Array { base, size: ArraySize::Constant(count), .. } => {
                let elements = (0..count.get()).map(|_| self.value(*base));
                elements.collect::<Option<Vec<_>>>()?
            }
            TypeInner::Struct { members, .. } => {
                members.iter().map(|member| self.value(member.ty)).collect::<Option<Vec<_>>>()?
            }
            _ => return None,
        };
        Some(format!("{}({})", self.name(ty)?, parts.join(", ")))
    }

    fn scalars(&mut self, count: usize, scalar: naga::Scalar) -> Option<Vec<String>> {
        self.number += count;
        (self.number - count..self.number).map(|number| inputs::literal(number, scalar)).collect()
    }

    /// The type in WGSL.
    fn name(&self, ty: Handle<Type>) -> Option<String> {
        let ty = &self.module.types[ty];
        Some(match &ty.inner {
            TypeInner::Scalar(own) => scalar(*own)?.to_owned(),
            TypeInner::Vector { size, scalar: own } => {
                format!("vec{}<{}>", *size as u8, scalar(*own)?)
            }
            TypeInner::Matrix { columns, rows, scalar: own } => {
                format!("mat{}x{}<{}>", *columns as u8, *rows as u8, scalar(*own)?)
            }
            TypeInner::Array { base, size: ArraySize::Constant(count), .. } => {
                format!("array<{}, {count}>", self.name(*base)?)
            }
            TypeInner::Struct { .. } => ty.name.clone()?,
            _ => return None,
        })
    }
}

/// The name of a scalar type in WGSL.
fn scalar(scalar: naga::Scalar) -> Option<&'static str> {
    match (scalar.kind, scalar.width) {
        (ScalarKind::Float, 2) => Some("f16"),
        (ScalarKind::Float, 4) => Some("f32"),
        (ScalarKind::Float, 8) => Some("f64"),
        (ScalarKind::Sint, 4) => Some("i32"),
        (ScalarKind::Sint, 8) => Some("i64"),
        (ScalarKind::Uint, 4) => Some("u32"),
        (ScalarKind::Uint, 8) => Some("u64"),
        (ScalarKind::Bool, _) => Some("bool"),
        _ => None,
    }
}
