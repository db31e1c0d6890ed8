//! Runs one case under every linkage profile: all of them must read back the same.

use crate::device::Device;
use crate::{CaseReport, execution_verdict, rules_of};
use case::Case;
use check::verdict::{Failure, Verdict};
use ir::profile::Profile;
use ir::readback::{Extent, Readback};
use link::LinkError;
use prepare::{Compiled, Linking};

/// Runs the case under every other profile. The results must agree bit for bit. A profile that refuses the stages is
/// left out, with a line in the report; if the case names refusing profiles, exactly these must refuse.
pub(crate) fn compare_profiles(
    case: &Case,
    device: Option<&Device>,
    compiled: &Compiled,
    report: &mut CaseReport,
) -> Result<Vec<Failure>, Verdict> {
    let mut failures = Vec::new();
    for (name, profile) in
        Profile::ALL.into_iter().filter(|(_, profile)| *profile != Profile::Webgpu)
    {
        let linked = match compiled.link(case, rules_of(device), profile) {
            // Under the first profile there was room.
            Err(Verdict::Skip(reason)) => {
                failures.push(failure(name, reason));
                continue;
            }
            linked => linked?,
        };
        let programs = match linked {
            Linking::Done(_) if refuses(case, profile) == Some(true) => {
                let message =
                    "the profile takes the stages, and the case says that it refuses them";
                failures.push(failure(name, message.to_owned()));
                continue;
            }
            Linking::Done(programs) => programs,
            // Only what the profile itself forbids excludes it; any other refusal is a bug in the linker.
            Linking::Failed(LinkError::Forbidden(reasons)) => {
                let reason = reasons.first().map_or("", |reason| &reason.message);
                if refuses(case, profile) == Some(false) {
                    failures.push(failure(name, format!("{reason}, which the case does not say")));
                }
                report.slots.push(format!("refused by {name}: {reason}"));
                continue;
            }
            Linking::Failed(LinkError::Refused(reasons)) => {
                let reasons =
                    reasons.iter().map(|reason| reason.message.as_str()).collect::<Vec<_>>();
                failures.push(failure(name, reasons.join("; ")));
                continue;
            }
            Linking::Failed(
                error @ (LinkError::NoRoom(_)
                | LinkError::NoWideTypes { .. }
                | LinkError::Unsupported { .. }
                | LinkError::Invalid { .. }),
            ) => {
                failures.push(failure(name, error.to_string()));
                continue;
            }
        };
        let (Some(device), Some(first)) = (device, &report.readback) else { continue };
        let readback = device
            .execute(case, &programs, Extent::Whole)
            .map_err(|error| execution_verdict(case, &error))?;
        failures.extend(difference(case, name, first, &readback));
    }
    Ok(failures)
}

/// Whether the case says that this profile refuses its stages; `None` if the case names no refusing profile.
fn refuses(case: &Case, profile: Profile) -> Option<bool> {
    Some(case.link.refusing.as_ref()?.contains(&profile))
}

/// The first difference between two readbacks, as a failure.
fn difference(
    case: &Case,
    profile: &str,
    first: &Readback,
    readback: &Readback,
) -> Option<Failure> {
    if let Some(message) = readback.messages.iter().chain(&readback.objections).next() {
        return Some(failure(profile, message.clone()));
    }
    let mut pairs = first.snapshots.iter().zip(&readback.snapshots);
    let at = pairs.position(|(first, other)| first != other)?;
    let detail = "the results differ from those under profile webgpu".to_owned();
    let (line, _) = case.source.line_and_column(case.steps[at].span.start);
    Some(Failure { line: Some(line), ..failure(profile, detail) })
}

fn failure(profile: &str, detail: String) -> Failure {
    Failure::of_case(format!("profile {profile}"), vec![detail])
}

#[cfg(test)]
mod tests {
    use case::Dialect;
    use case::parse::parse;
    use check::Goldens;
    use check::verdict::Verdict;

    /// Checks the failures of a case that links a varying at location 11 under `profiles`, without an adapter.
    #[track_caller]
    fn check_failures(profiles: &str, expected: &[&str]) {
        let text = format!(
            "[vertex shader]\n#version 450\nlayout(location = 11) out vec4 a;\n\
             void main() {{ gl_Position = vec4(0.0); a = vec4(1.0); }}\n\
             [fragment shader]\n#version 450\nlayout(location = 11) in vec4 a;\nout vec4 color;\n\
             void main() {{ color = a; }}\n[link]\nprofile {profiles}\n[test]\nlink success\n"
        );
        let parsed = parse("a.shader_test", text.as_bytes(), Dialect::Interstage).remove(0);
        let case = parsed.result.expect("a case");
        let verdict = crate::run_case(&case, None, &Goldens::default()).verdict;
        let found = if let Verdict::Fail(failures) = &verdict {
            failures.iter().map(|one| format!("{}: {}", one.step, one.details[0])).collect()
        } else {
            vec![format!("{verdict:?}")]
        };
        assert_eq!(found, expected);
    }

    #[test]
    fn the_profiles_that_refuse_are_those_that_the_case_names() {
        check_failures("all", &["Pass"]);
        check_failures("all but i915", &["Pass"]);
        let i915 = "profile i915: profile i915 has no `GENERIC[11]`: the labels are 0 to 7, which the case does not say";
        let takes = "the profile takes the stages, and the case says that it refuses them";
        check_failures("all but sm3", &[&format!("profile sm3: {takes}"), i915]);
    }
}
