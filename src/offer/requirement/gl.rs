//! Checks the GL requirements of a case with an adapter's limits.

use crate::language::Language;
use crate::limits::LIMITS;
use crate::offer::Offer;
use case::gl;
use case::gl::limit::{self, Limits};
use case::{Case, Dialect, GlRequirement};
use ir::format::Format;

/// The first line of `[require]` about GL that is not met, in words. Without an `offer`, WebGPU's guarantees are used.
pub fn missing_gl(offer: Option<&Offer>, case: &Case) -> Option<String> {
    let api = gl::api(case);
    let limits = gl_limits(offer, case);
    let language = offer.and_then(|offer| offer.abilities.language);
    let language = language.filter(|_| case.dialect == Dialect::Piglit);
    case.gl_requirements().find_map(|requirement| {
        let lacking = gl::lacks(requirement, api, &limits);
        lacking.or_else(|| lacks_version(language?, requirement))
    })
}

/// The reason why an OpenGL driver with this language is too old for a line of `[require]` in a piglit file. In piglit
/// files the line is about the driver. In interstage's own cases it names the language of the case, whose missing
/// features are checked where they are used.
fn lacks_version(language: Language, requirement: &GlRequirement) -> Option<String> {
    // wgpu writes no newer version, whatever the driver supports.
    if language.is_es || language.number >= 450 {
        return None;
    }
    match requirement {
        GlRequirement::Glsl { is_es: false, version } if *version > language.number => {
            let needed = gl::glsl_version(*version);
            Some(format!("the adapter has {language}, and the file needs {needed}"))
        }
        GlRequirement::Version { is_es: false, version, .. } if *version > language.number / 10 => {
            let [own, needed] = [language.number / 10, *version].map(gl::gl_version);
            Some(format!("the adapter has GL {own}, and the file needs {needed}"))
        }
        GlRequirement::Version { .. }
        | GlRequirement::Glsl { .. }
        | GlRequirement::Extension { .. }
        | GlRequirement::Limit { .. } => None,
    }
}

/// GL's limits for a case. Without an `offer`, WebGPU's guarantees are used.
pub fn gl_limits(offer: Option<&Offer>, case: &Case) -> Limits {
    match offer {
        Some(offer) => Limits::new(&|name| adapter_limit(offer, name), &case.link.limits),
        None => Limits::guaranteed(&case.link.limits),
    }
}

impl Offer {
    /// Names and values of GL's limits on this device, as `[require]` accepts them.
    pub fn gl_limits(&self) -> Vec<(&'static str, i64)> {
        Limits::new(&|name| adapter_limit(self, name), &[]).values().to_vec()
    }
}

fn adapter_limit(offer: &Offer, name: &str) -> i64 {
    if name == limit::SAMPLES {
        let counts = offer.format_support(Format::RGBA8_UNORM).samples;
        return i64::from(counts.checked_ilog2().map_or(1, |bit| 1 << bit));
    }
    let found = LIMITS.iter().find(|(known, _, _)| *known == name);
    found.map_or(0, |(_, get, _)| i64::try_from(get(&offer.abilities.limits)).unwrap_or(i64::MAX))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_guarantees_are_wgpus_defaults() {
        let defaults = wgpu_types::Limits::default();
        for (name, value) in limit::GUARANTEED.iter().filter(|(name, _)| *name != limit::SAMPLES) {
            let known = LIMITS.iter().find(|(known, _, _)| known == name);
            let (_, get, _) = known.unwrap_or_else(|| panic!("wgpu has no {name}"));
            assert_eq!(i64::try_from(get(&defaults)), Ok(*value), "{name}");
        }
    }

    #[test]
    fn a_file_of_piglits_asks_for_the_drivers_own_version() {
        let check = |number, is_es, requirement: GlRequirement, expected: Option<&str>| {
            let found = lacks_version(Language { number, is_es }, &requirement);
            assert_eq!(found.as_deref(), expected);
        };
        let glsl = |version| GlRequirement::Glsl { is_es: false, version };
        let gl = |version| GlRequirement::Version { is_es: false, version, profile: None };
        let message = "the adapter has GLSL 3.30, and the file needs 4.00";
        check(330, false, glsl(400), Some(message));
        check(330, false, glsl(330), None);
        check(450, false, glsl(460), None);
        check(310, true, glsl(400), None);
        check(330, false, gl(40), Some("the adapter has GL 3.3, and the file needs 4.0"));
        check(420, false, gl(42), None);
        check(330, false, GlRequirement::Glsl { is_es: true, version: 310 }, None);
    }

    #[test]
    fn without_an_adapter_there_is_what_webgpu_guarantees() {
        let value = |name| Limits::guaranteed(&[]).value(name);
        assert_eq!(value("GL_MAX_SAMPLES"), Some(4));
        assert_eq!(value("GL_MAX_VERTEX_ATTRIBS"), Some(16));
        assert_eq!(value("GL_MAX_FRAGMENT_UNIFORM_COMPONENTS"), Some(16_384));
        assert_eq!(value("GL_MAX_DRAW_BUFFERS"), Some(8));
    }
}
