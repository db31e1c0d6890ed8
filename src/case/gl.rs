//! The GL that interstage provides, to evaluate the lines of `[require]` about GL. Versions are here, extensions in
//! [`extension`], limits in [`limit`].
//!
//! A name has one of three kinds of [`Support`]. *Lacking* names exist in real GL but not in interstage; they are
//! distinguished from names that no GL has. A piglit file that needs a lacking name is unsupported; one that needs an
//! unknown name is skipped, as on every driver. Versions are those that the front end reads and the case format can
//! express. If a part of such a version is missing, the case fails where it uses that part.

pub mod extension;
pub mod limit;

use crate::{Case, GlRequirement};
use limit::Limits;

/// Newest version of desktop GL, core and compatibility profile, times 10.
pub const DESKTOP_VERSION: u16 = 46;
/// Newest version of GL ES, times 10.
pub const ES_VERSION: u16 = 32;
/// Newest version of GLSL, times 100.
pub const GLSL_VERSION: u16 = 460;
/// Newest version of GLSL ES, times 100.
pub const GLSL_ES_VERSION: u16 = 320;

/// Kind of GL that a case is written for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Api {
    /// Desktop GL, any profile.
    Desktop,
    /// GL ES.
    Es,
}

/// Support for an extension or limit name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Support {
    /// Interstage has it.
    Provided,
    /// Some GL has it, but interstage does not.
    Lacking,
    /// No GL has it.
    Unknown,
}

/// The GL API of `case`: ES if a line of `[require]` names ES.
pub fn api(case: &Case) -> Api {
    let is_es = case.gl_requirements().any(|line| match line {
        GlRequirement::Version { is_es, .. } | GlRequirement::Glsl { is_es, .. } => *is_es,
        GlRequirement::Extension { .. } | GlRequirement::Limit { .. } => false,
    });
    if is_es { Api::Es } else { Api::Desktop }
}

/// The reason why a GL requirement is not met, or `None` if it is met.
///
/// `api` is the API provided, and `limits` are those of the case on its adapter.
pub fn lacks(requirement: &GlRequirement, api: Api, limits: &Limits) -> Option<String> {
    match requirement {
        GlRequirement::Version { is_es, version, .. } => {
            let (name, newest) =
                if *is_es { ("GL ES", ES_VERSION) } else { ("GL", DESKTOP_VERSION) };
            let is_newer = *version > newest;
            let [needed, newest] = [*version, newest].map(gl_version);
            is_newer.then(|| {
                format!("the case needs {name} {needed}, and interstage provides {newest}")
            })
        }
        GlRequirement::Glsl { is_es, version } => {
            let (name, newest) =
                if *is_es { ("GLSL ES", GLSL_ES_VERSION) } else { ("GLSL", GLSL_VERSION) };
            let is_newer = *version > newest;
            let [needed, newest] = [*version, newest].map(glsl_version);
            is_newer.then(|| {
                format!("the case needs {name} {needed}, and interstage provides {newest}")
            })
        }
        GlRequirement::Extension { name, is_wanted } => lacks_extension(name, *is_wanted, api),
        GlRequirement::Limit { name, minimum } => lacks_limit(name, *minimum, limits.value(name)),
    }
}

/// Formats 46 as `4.6`.
pub fn gl_version(version: u16) -> String {
    format!("{}.{}", version / 10, version % 10)
}

/// Formats 460 as `4.60`.
pub fn glsl_version(version: u16) -> String {
    format!("{}.{:02}", version / 100, version % 100)
}

fn lacks_extension(name: &str, is_wanted: bool, api: Api) -> Option<String> {
    match (extension::support(name, api), is_wanted) {
        (Support::Provided, true) | (Support::Lacking | Support::Unknown, false) => None,
        (Support::Provided, false) => Some(format!("interstage provides {name}")),
        (Support::Lacking, true) => Some(format!("interstage does not provide {name}")),
        (Support::Unknown, true) => Some(format!("no GL has an extension {name}")),
    }
}

fn lacks_limit(name: &str, minimum: i64, value: Option<i64>) -> Option<String> {
    match (limit::support(name), value) {
        (_, Some(value)) => {
            (value < minimum).then(|| format!("{name} is {value}, and the case needs {minimum}"))
        }
        (Support::Unknown, None) => Some(format!("no GL has a limit {name}")),
        (Support::Provided | Support::Lacking, None) => {
            Some(format!("interstage does not provide {name}"))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(requirement: GlRequirement, api: Api, expected: Option<&str>) {
        let found = lacks(&requirement, api, &Limits::new(&|_| 16, &[]));
        assert_eq!(found.as_deref(), expected);
    }

    fn gl(is_es: bool, version: u16) -> GlRequirement {
        GlRequirement::Version { is_es, version, profile: None }
    }

    fn extension(name: &str, is_wanted: bool) -> GlRequirement {
        GlRequirement::Extension { name: name.to_owned(), is_wanted }
    }

    fn limit(name: &str, minimum: i64) -> GlRequirement {
        GlRequirement::Limit { name: name.to_owned(), minimum }
    }

    #[test]
    fn versions_are_met_up_to_the_newest() {
        check(gl(false, 46), Api::Desktop, None);
        let message = "the case needs GL 4.7, and interstage provides 4.6";
        check(gl(false, 47), Api::Desktop, Some(message));
        let message = "the case needs GL 9.9, and interstage provides 4.6";
        check(gl(false, 99), Api::Desktop, Some(message));
        check(gl(true, 32), Api::Es, None);
        let message = "the case needs GL ES 3.3, and interstage provides 3.2";
        check(gl(true, 33), Api::Es, Some(message));
        let glsl = |is_es, version| GlRequirement::Glsl { is_es, version };
        check(glsl(false, 460), Api::Desktop, None);
        let message = "the case needs GLSL 9.90, and interstage provides 4.60";
        check(glsl(false, 990), Api::Desktop, Some(message));
        check(glsl(true, 320), Api::Es, None);
        let message = "the case needs GLSL ES 3.30, and interstage provides 3.20";
        check(glsl(true, 330), Api::Es, Some(message));
    }

    #[test]
    fn extensions_are_provided_lacking_or_unknown() {
        check(extension("GL_ARB_cull_distance", true), Api::Desktop, None);
        let message = "interstage does not provide GL_ARB_cull_distance";
        check(extension("GL_ARB_cull_distance", true), Api::Es, Some(message));
        check(extension("GL_ARB_cull_distance", false), Api::Es, None);
        let message = "interstage provides GL_ARB_cull_distance";
        check(extension("GL_ARB_cull_distance", false), Api::Desktop, Some(message));
        let message = "interstage does not provide GL_ARB_bindless_texture";
        check(extension("GL_ARB_bindless_texture", true), Api::Desktop, Some(message));
        check(extension("GL_ARB_bindless_texture", false), Api::Desktop, None);
        let message = "no GL has an extension GL_ARB_nonexistent_thing";
        check(extension("GL_ARB_nonexistent_thing", true), Api::Desktop, Some(message));
        check(extension("GL_ARB_nonexistent_thing", false), Api::Desktop, None);
    }

    #[test]
    fn limits_are_compared_with_what_is_provided() {
        check(limit("GL_MAX_DRAW_BUFFERS", 8), Api::Desktop, None);
        let message = "GL_MAX_DRAW_BUFFERS is 8, and the case needs 9";
        check(limit("GL_MAX_DRAW_BUFFERS", 9), Api::Desktop, Some(message));
        // Four components for each of the adapter's 16 slots.
        check(limit("GL_MAX_VARYING_COMPONENTS", 64), Api::Desktop, None);
        let message = "GL_MAX_VARYING_COMPONENTS is 64, and the case needs 65";
        check(limit("GL_MAX_VARYING_COMPONENTS", 65), Api::Desktop, Some(message));
        let message = "interstage does not provide GL_MAX_TASK_ATOMIC_COUNTERS_NV";
        check(limit("GL_MAX_TASK_ATOMIC_COUNTERS_NV", 1), Api::Desktop, Some(message));
        let message = "no GL has a limit GL_MAX_NONSENSE";
        check(limit("GL_MAX_NONSENSE", 1), Api::Desktop, Some(message));
    }
}
