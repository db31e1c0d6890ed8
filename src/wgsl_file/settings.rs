//! The settings beside a WGSL file: `FILE.wgsl.toml`.

use std::collections::BTreeMap;

use case::limits::{MAX_BUFFER_BYTES, MAX_TARGET_SIZE, MAX_WORKGROUPS};
use ir::diagnostic::{Diagnostic, counted, nearest_word};
use ir::source::Span;
use ir::vulkan;
use naga::{AddressSpace, GlobalVariable, Module};
use serde::Deserialize;
use toml::Spanned;

use crate::inputs;

/// All keys, for suggestions.
const KEYS: [&str; 7] =
    ["size", "tolerance", "workgroups", "exclude", "overrides", "elements", "values"];

/// A table of settings for named parts of the file.
type Table<T> = BTreeMap<Spanned<String>, T>;

/// Settings for the programs of a WGSL file.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Settings {
    /// Width and height of the render targets.
    size: Option<Spanned<[u32; 2]>>,
    /// How much further than by rounding floats may differ.
    tolerance: Option<Spanned<f64>>,
    /// Workgroups of compute entry points.
    workgroups: Table<Spanned<[u32; 3]>>,
    /// Entry points and programs that do not run, with reasons.
    exclude: Table<String>,
    /// Values of overrides, by name or identifier.
    overrides: Table<OverrideValue>,
    /// Numbers of elements of runtime-sized arrays, by binding.
    elements: Table<Spanned<u32>>,
    /// First scalars of buffers and uniforms, by binding.
    values: Table<Vec<f64>>,
}

/// The value of an override.
#[derive(Clone, Copy, Debug, PartialEq, Deserialize)]
#[serde(untagged)]
pub(super) enum OverrideValue {
    /// A boolean.
    Flag(bool),
    /// A number.
    Number(f64),
}

impl OverrideValue {
    /// The value as a number, as pipelines take it.
    pub(super) fn number(self) -> f64 {
        match self {
            Self::Flag(flag) => f64::from(u8::from(flag)),
            Self::Number(number) => number,
        }
    }
}

impl Settings {
    /// Reads the text of the settings.
    ///
    /// # Errors
    /// The text is no TOML, or has an unknown key or an impossible value.
    pub fn read(text: &str) -> Result<Self, Diagnostic> {
        let settings: Self = toml::from_str(text).map_err(|error| {
            let span = error.span().unwrap_or(0..0);
            Diagnostic::error(Span::new(span.start, span.end), explained(error.message()))
        })?;
        settings.check_values()?;
        Ok(settings)
    }

    fn check_values(&self) -> Result<(), Diagnostic> {
        if let Some(size) = &self.size
            && size.get_ref().iter().any(|side| !(1..=MAX_TARGET_SIZE).contains(side))
        {
            return Err(refused(size, format!("sides have 1 to {MAX_TARGET_SIZE} pixels")));
        }
        if let Some(tolerance) = &self.tolerance
            && !(tolerance.get_ref().is_finite() && *tolerance.get_ref() >= 0.0)
        {
            return Err(refused(tolerance, "a tolerance is a number from 0 on"));
        }
        for groups in self.workgroups.values() {
            if groups.get_ref().iter().any(|side| !(1..=MAX_WORKGROUPS).contains(side)) {
                let message = format!("there are 1 to {MAX_WORKGROUPS} workgroups per direction");
                return Err(refused(groups, message));
            }
        }
        for elements in self.elements.values() {
            if !(1..=MAX_BUFFER_BYTES).contains(elements.get_ref()) {
                return Err(refused(elements, "an array has at least one element"));
            }
        }
        Ok(())
    }

    /// Rejects settings for what the module does not have.
    ///
    /// # Errors
    /// A name or binding is unknown.
    pub fn check(&self, module: &Module) -> Result<(), Diagnostic> {
        let entries = module.entry_points.iter().map(|entry| entry.name.clone());
        let functions = module.functions.iter().filter_map(|(_, own)| own.name.clone());
        let names: Vec<String> = entries.chain(functions).collect();
        for (program, kind) in self.workgroups.keys().map(|key| (key, "entry point")) {
            check_known(program, &names, kind)?;
        }
        for program in self.exclude.keys() {
            let unknown = |part: &&str| !names.iter().any(|name| name == part);
            if program.get_ref().split('+').any(|part| unknown(&part)) {
                return check_known(program, &names, "entry point");
            }
        }
        let overrides = module.overrides.iter().flat_map(|(_, own)| {
            let id = own.id.map(|id| id.to_string());
            id.into_iter().chain(own.name.clone())
        });
        let overrides: Vec<_> = overrides.collect();
        self.overrides.keys().try_for_each(|key| check_known(key, &overrides, "override"))?;
        let variables = module.global_variables.iter();
        let points: Vec<_> = variables.filter_map(|(_, own)| point_of(own)).collect();
        let keys = self.elements.keys().chain(self.values.keys());
        keys.into_iter().try_for_each(|key| check_known(key, &points, "binding"))?;
        self.check_buffers(module)
    }

    /// Rejects elements of what is no runtime-sized array, and values that a buffer or uniform cannot have.
    fn check_buffers(&self, module: &Module) -> Result<(), Diagnostic> {
        for (_, variable) in module.global_variables.iter() {
            let Some(point) = point_of(variable) else { continue };
            let elements = self.elements.get_key_value(point.as_str());
            if let Some((key, _)) =
                elements.filter(|_| !inputs::is_sized_at_runtime(module, variable.ty))
            {
                return Err(refused(key, "the buffer has no runtime-sized array"));
            }
            let Some((key, values)) = self.values.get_key_value(point.as_str()) else { continue };
            let elements = self.elements(&point).unwrap_or(inputs::ELEMENTS);
            let leaves = inputs::leaves(module, variable.ty, elements);
            let Some((_, leaves)) = leaves.filter(|(_, leaves)| !leaves.is_empty()) else {
                return Err(refused(key, "the resource has no scalars"));
            };
            if values.len() > leaves.len() {
                let message = format!(
                    "{} for {}",
                    counted(values.len(), "value"),
                    counted(leaves.len(), "scalar")
                );
                return Err(refused(key, message));
            }
            let wrong = values.iter().zip(&leaves).find(|(value, leaf)| !leaf.takes(**value));
            if let Some((value, _)) = wrong {
                return Err(refused(key, format!("{value} is no value of an integer there")));
            }
        }
        Ok(())
    }

    /// Width and height of the render targets.
    pub(super) fn size(&self) -> Option<[u32; 2]> {
        self.size.as_ref().map(|size| *size.get_ref())
    }

    /// How much further than by rounding floats may differ.
    pub(super) fn tolerance(&self) -> Option<f64> {
        self.tolerance.as_ref().map(|tolerance| *tolerance.get_ref())
    }

    /// Workgroups of a compute entry point.
    pub(super) fn workgroups(&self, entry: &str) -> Option<[u32; 3]> {
        self.workgroups.get(entry).map(|groups| *groups.get_ref())
    }

    /// The reason why a program does not run.
    pub(super) fn excluded(&self, program: &str) -> Option<&str> {
        let parts = std::iter::once(program).chain(program.split('+'));
        parts.into_iter().find_map(|name| self.exclude.get(name)).map(String::as_str)
    }

    /// The value of an override with this identifier and name.
    pub(super) fn value_of(&self, id: Option<u16>, name: Option<&str>) -> Option<OverrideValue> {
        let id = id.map(|id| id.to_string());
        let keys = id.as_deref().into_iter().chain(name);
        keys.into_iter().find_map(|key| self.overrides.get(key)).copied()
    }

    /// Number of elements of the runtime-sized array at a binding.
    pub(super) fn elements(&self, point: &str) -> Option<u32> {
        self.elements.get(point).map(|elements| *elements.get_ref())
    }

    /// The first scalars of the buffer or uniform at a binding.
    pub(super) fn values(&self, point: &str) -> &[f64] {
        self.values.get(point).map_or(&[], Vec::as_slice)
    }
}

/// The name of a variable's place in settings: its binding, or `immediates`.
fn point_of(variable: &GlobalVariable) -> Option<String> {
    let binding = variable.binding.as_ref();
    let immediates =
        || (variable.space == AddressSpace::Immediate).then(|| "immediates".to_owned());
    let shown = binding.map(|own| vulkan::shown(vulkan::point(own.group, own.binding)));
    shown.or_else(immediates)
}

fn refused<T>(value: &Spanned<T>, message: impl Into<String>) -> Diagnostic {
    Diagnostic::error(Span::new(value.span().start, value.span().end), message)
}

/// Rejects a key that is none of the names.
fn check_known(key: &Spanned<String>, names: &[String], kind: &str) -> Result<(), Diagnostic> {
    if names.contains(key.get_ref()) {
        return Ok(());
    }
    let help = match (names, nearest_word(key.get_ref(), names.iter().map(String::as_str))) {
        ([], _) => "there is none".to_owned(),
        (_, Some(nearest)) => format!("did you mean `{nearest}`?"),
        (_, None) => format!("there are {}", names.join(", ")),
    };
    Err(refused(key, format!("the file has no {kind} `{}`; {help}", key.get_ref())))
}

/// A message of the reader, with help for unknown keys.
fn explained(message: &str) -> String {
    let unknown = message.strip_prefix("unknown field `").and_then(|rest| rest.split('`').next());
    let Some(key) = unknown else { return message.to_owned() };
    let help = nearest_word(key, KEYS).map_or_else(
        || format!("the keys are {}", KEYS.join(", ")),
        |nearest| format!("did you mean `{nearest}`?"),
    );
    format!("unknown key `{key}`; {help}")
}
