//! Requirements of a case: the keys `feature`, `limit`, `backend` and `adapter` of `[require]`, its render targets, and
//! the sizes in its steps.

mod binding;
mod gl;
mod language;
mod program;
mod sampler;
mod shape;

use case::{Action, Case, DeviceRequirement, GlRequirement, Requirement, Setting, Step};
use ir::diagnostic::{Diagnostic, nearest_word};
use ir::source::Spanned;

use super::limits::{LIMITS, limit_names};
use super::need::Subject;
use super::offer::Offer;

pub use gl::{gl_limits, missing_gl};
pub use program::{lacks_case, lacks_plan, lacks_planned, lacks_programs, needs};

/// The first requirement of `case` that the adapter lacks, in words.
pub fn missing_requirement(offer: &Offer, case: &Case) -> Option<String> {
    let lacks = |line: &Spanned<Requirement>| {
        let Requirement::Device(requirement) = &line.value else { return None };
        offer.lacks(requirement)
    };
    case.requirements
        .iter()
        .find_map(lacks)
        .or_else(|| case.steps.iter().find_map(|step| offer.lacks_step(&step.value)))
        .or_else(|| Subject::new(offer, case, &[], None).lacks(offer))
}

/// True if a line of `[require]` is about the adapter and WebGPU's guarantees do not answer it. Even a case that draws
/// nothing then needs the adapter.
pub fn asks_adapter(case: &Case) -> bool {
    case.requirements.iter().any(|requirement| match &requirement.value {
        Requirement::Device(_) => true,
        Requirement::Gl(requirement @ GlRequirement::Limit { .. }) => {
            let (api, guaranteed) = (case::gl::api(case), gl_limits(None, case));
            case::gl::lacks(requirement, api, &guaranteed).is_some()
        }
        Requirement::Gl(_)
        | Requirement::DepthBuffer
        | Requirement::ClipDistances
        | Requirement::Size(_) => false,
    })
}

/// The first feature or limit that `case` requires and wgpu does not know. This needs no adapter.
pub fn unknown_requirement(case: &Case) -> Option<Diagnostic> {
    case.requirements.iter().find_map(|requirement| {
        let Requirement::Device(value) = &requirement.value else { return None };
        let (kind, word, known): (&str, &str, Vec<&str>) = match value {
            DeviceRequirement::Feature(name) => ("feature", name, feature_names()),
            DeviceRequirement::Limit { name, .. } => ("limit", name, limit_names()),
            DeviceRequirement::Backend(_) | DeviceRequirement::Adapter { .. } => return None,
        };
        if known.contains(&word) {
            return None;
        }
        let error = Diagnostic::error(requirement.span, format!("unknown {kind} `{word}`"));
        Some(match nearest_word(word, known) {
            Some(near) => error.with_help(format!("did you mean `{near}`?")),
            None => error,
        })
    })
}

fn feature_names() -> Vec<&'static str> {
    wgpu_types::Features::all().iter_names().map(|(name, _)| name).collect()
}

impl Offer {
    fn lacks(&self, requirement: &DeviceRequirement) -> Option<String> {
        match requirement {
            DeviceRequirement::Feature(name) => {
                let has = wgpu_types::Features::from_name(name)
                    .is_some_and(|feature| self.abilities.features.contains(feature));
                (!has).then(|| format!("the adapter lacks the feature {name}"))
            }
            DeviceRequirement::Limit { name, minimum } => self.lacks_limit(name, *minimum),
            DeviceRequirement::Backend(backends) => {
                let is_among = backends.contains(&self.info.backend);
                let names: Vec<_> = backends.iter().map(|backend| backend.name()).collect();
                (!is_among).then(|| format!("the backend is not {}", names.join(" or ")))
            }
            DeviceRequirement::Adapter { pattern, is_wanted, reason } => {
                let name = self.info.name.to_lowercase();
                let is_there = name.contains(&pattern.to_lowercase());
                let sign = if *is_wanted { "~" } else { "!~" };
                (is_there != *is_wanted).then(|| format!("adapter {sign} \"{pattern}\": {reason}"))
            }
        }
    }

    fn lacks_limit(&self, name: &str, minimum: u64) -> Option<String> {
        let Some((_, get, _)) = LIMITS.iter().find(|(known, _, _)| *known == name) else {
            return Some(format!("the adapter has no limit {name}"));
        };
        let value = get(&self.abilities.limits);
        (value < minimum).then(|| format!("{name} is {value}, and the case needs {minimum}"))
    }

    fn lacks_step(&self, step: &Step) -> Option<String> {
        if let Step::Set(Setting::Ssbo { size, .. }) = step {
            let size = u64::from(*size);
            return self
                .lacks_limit("max_storage_buffer_binding_size", size)
                .or_else(|| self.lacks_limit("max_buffer_size", size));
        }
        let Step::Run(Action::Compute(groups)) = step else { return None };
        let most = groups.iter().max().copied().unwrap_or(0);
        self.lacks_limit("max_compute_workgroups_per_dimension", u64::from(most))
    }
}

#[cfg(test)]
mod tests {
    use crate::ability::Abilities;
    use crate::adapter_info::{AdapterInfo, DeviceType};
    use crate::format::FormatTable;
    use ir::backend::Backend;
    use ir::source::Span;

    use super::*;

    fn info() -> AdapterInfo {
        AdapterInfo {
            backend: Backend::Gl,
            index: 0,
            name: "llvmpipe".to_owned(),
            driver: String::new(),
            device_type: DeviceType::Cpu,
            bus: String::new(),
        }
    }

    #[track_caller]
    fn check(requirement: DeviceRequirement, expected: Option<&str>) {
        let abilities = Abilities {
            features: wgpu_types::Features::CLIP_DISTANCES,
            flags: wgpu_types::DownlevelFlags::all(),
            limits: wgpu_types::Limits::default(),
            language: None,
        };
        let offer = Offer::new(info(), abilities, FormatTable::default());
        assert_eq!(offer.lacks(&requirement).as_deref(), expected);
    }

    #[track_caller]
    fn check_unknown(requirement: DeviceRequirement, expected: Option<(&str, Option<&str>)>) {
        let mut case = fixture::case(Vec::new());
        case.requirements.push(Spanned::new(requirement.into(), Span::new(0, 0)));
        let found = unknown_requirement(&case);
        let found = found
            .as_ref()
            .map(|diagnostic| (diagnostic.message.as_str(), diagnostic.help.as_deref()));
        assert_eq!(found, expected);
    }

    #[test]
    fn what_the_adapter_lacks_is_named() {
        check(DeviceRequirement::Feature("CLIP_DISTANCES".to_owned()), None);
        let message = "the adapter lacks the feature SHADER_F64";
        check(DeviceRequirement::Feature("SHADER_F64".to_owned()), Some(message));
        let limit =
            |minimum| DeviceRequirement::Limit { name: "max_bind_groups".to_owned(), minimum };
        check(limit(4), None);
        check(limit(5), Some("max_bind_groups is 4, and the case needs 5"));
        check(DeviceRequirement::Backend(vec![Backend::Vulkan, Backend::Gl]), None);
        let message = "the backend is not metal or dx12";
        check(DeviceRequirement::Backend(vec![Backend::Metal, Backend::Dx12]), Some(message));
    }

    #[test]
    fn an_adapter_pattern_gives_its_reason() {
        let not_llvmpipe = DeviceRequirement::Adapter {
            pattern: "LLVMpipe".to_owned(),
            is_wanted: false,
            reason: "rasterises lines otherwise".to_owned(),
        };
        check(not_llvmpipe, Some("adapter !~ \"LLVMpipe\": rasterises lines otherwise"));
    }

    #[test]
    fn a_name_that_wgpu_does_not_know_is_an_error_with_a_suggestion() {
        check_unknown(DeviceRequirement::Feature("CLIP_DISTANCES".to_owned()), None);
        check_unknown(
            DeviceRequirement::Feature("CLIP_DISTANCE".to_owned()),
            Some(("unknown feature `CLIP_DISTANCE`", Some("did you mean `CLIP_DISTANCES`?"))),
        );
        check_unknown(
            DeviceRequirement::Limit { name: "max_bind_group".to_owned(), minimum: 1 },
            Some(("unknown limit `max_bind_group`", Some("did you mean `max_bind_groups`?"))),
        );
    }
}
