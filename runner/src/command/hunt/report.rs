//! Writes the report of a fault, with the headings of the issue template of the project that it is for.

use std::fmt::Write as _;

use super::log::Fault;

/// A project that takes reports.
#[derive(Debug)]
struct Upstream {
    name: &'static str,
    /// Words of a title or a failure, one of which names the project.
    words: &'static [&'static str],
    issues: &'static str,
    /// Headings of its template: of the description, of how to repeat it, of what is expected and what happens, of the
    /// shaders, and of versions.
    headings: [&'static str; 5],
}

const PLAIN: [&str; 5] = [
    "## Description",
    "## Steps to reproduce",
    "## Expected and actual",
    "## Shaders",
    "## Versions",
];

/// Compilers come first: a failure that names one is not the driver's.
const UPSTREAMS: &[Upstream] = &[
    Upstream {
        name: "Tint",
        words: &["tint"],
        issues: "https://issues.chromium.org/issues/new?component=1456586",
        headings: PLAIN,
    },
    Upstream {
        name: "DirectXShaderCompiler",
        words: &["dxc"],
        issues: "https://github.com/microsoft/DirectXShaderCompiler/issues/new",
        headings: [
            "**Description**",
            "**Steps to Reproduce**",
            "**Actual Behavior**",
            "**Shaders**",
            "**Environment**",
        ],
    },
    Upstream {
        name: "SPIRV-Tools",
        words: &["spirv-opt"],
        issues: "https://github.com/KhronosGroup/SPIRV-Tools/issues/new",
        headings: PLAIN,
    },
    Upstream {
        name: "SPIRV-Cross",
        words: &["spirv-cross"],
        issues: "https://github.com/KhronosGroup/SPIRV-Cross/issues/new",
        headings: PLAIN,
    },
    Upstream {
        name: "glslang",
        words: &["glslang"],
        issues: "https://github.com/KhronosGroup/glslang/issues/new",
        headings: PLAIN,
    },
    Upstream {
        name: "naga",
        words: &["naga: without it"],
        issues: "https://github.com/gfx-rs/wgpu/issues/new",
        headings: [
            "**Description**",
            "**Repro steps**",
            "**Expected vs observed behavior**",
            "**Extra materials**",
            "**Platform**",
        ],
    },
    Upstream {
        name: "SwiftShader",
        words: &["SwiftShader"],
        issues: "https://issuetracker.google.com/issues/new?component=408217",
        headings: PLAIN,
    },
    Upstream {
        name: "Mesa",
        words: &["Mesa", "llvmpipe", "softpipe", "zink"],
        issues: "https://gitlab.freedesktop.org/mesa/mesa/-/issues/new",
        headings: [
            "### Description",
            "### How to reproduce",
            "### Expected and actual",
            "### Shaders",
            "### System information",
        ],
    },
];

/// For every other project.
const OTHER: Upstream = Upstream {
    name: "the driver",
    words: &[],
    issues: "the issue tracker of the driver",
    headings: PLAIN,
};

/// All that a report says.
#[derive(Debug)]
pub(super) struct Content<'a> {
    pub(super) fault: &'a Fault,
    /// What failed, as a run prints it.
    pub(super) failure: String,
    /// Sections of specifications.
    pub(super) sections: Vec<String>,
    pub(super) case: &'a str,
    /// The stages as the driver or the first compiler gets them, by name.
    pub(super) stages: &'a [(String, String)],
    /// What the case does elsewhere: a target and a result.
    pub(super) elsewhere: &'a [(String, String)],
    /// The commands that repeat the failure: of the reduced case, and of the whole program.
    pub(super) repeat: [String; 2],
}

/// The text of a report.
pub(super) fn write(content: &Content<'_>) -> String {
    let Content { fault, failure, sections, case, stages, elsewhere, repeat } = content;
    let upstream = upstream(&fault.signature.kind, &fault.signature.target);
    let [description, steps, results, shaders, versions] = upstream.headings;
    let mut text = format!("# {}\n\nFor {}: {}\n\n", title(fault), upstream.name, upstream.issues);
    let _ = write!(text, "{description}\n\n{}", described(fault));
    let [reduced, whole] = repeat;
    let _ = write!(text, "\n{steps}\n\n```sh\n{reduced}\n{whole}\n```\n");
    let _ = write!(text, "\n{results}\n\n```text\n{}\n```\n", failure.trim_end());
    if !sections.is_empty() {
        let _ = write!(text, "\nWhat is expected follows from {}.\n", sections.join("; "));
    }
    if !elsewhere.is_empty() {
        text += "\n| elsewhere | result |\n|---|---|\n";
        for (target, result) in *elsewhere {
            let _ = writeln!(text, "| {} | {} |", cell(target), cell(result));
        }
    }
    let _ = write!(text, "\n{shaders}\n\n```glsl\n{}\n```\n", case.trim_end());
    for (name, stage) in *stages {
        let _ = write!(text, "\n{name}:\n\n```text\n{}\n```\n", stage.trim_end());
    }
    let _ = write!(
        text,
        "\n{versions}\n\n* {}\n* interstage {}\n",
        fault.signature.target,
        env!("CARGO_PKG_VERSION")
    );
    text
}

/// A line that says what is wrong.
pub(super) fn title(fault: &Fault) -> String {
    let kind = &fault.signature.kind;
    let features: Vec<_> = fault.features.iter().take(4).map(String::as_str).collect();
    if features.is_empty() { kind.clone() } else { format!("{kind}: {}", features.join(", ")) }
}

fn described(fault: &Fault) -> String {
    let Fault { source, number, lines, .. } = fault;
    let mut text = if source == "variants" {
        format!(
            "A variant of a shader fails, and its original does not. The case has {lines} lines.\n"
        )
    } else {
        format!(
            "A random program ({source}, seed {number}) fails. It is reduced to {lines} lines.\n"
        )
    };
    if !fault.features.is_empty() {
        let _ = writeln!(text, "\nIt uses: {}.", fault.features.join(", "));
    }
    text
}

/// The project that a failure is for.
fn upstream(kind: &str, target: &str) -> &'static Upstream {
    let names = |text: &str| {
        UPSTREAMS.iter().find(|upstream| upstream.words.iter().any(|word| text.contains(word)))
    };
    names(kind).or_else(|| names(target)).unwrap_or(&OTHER)
}

/// Text for a cell of a table.
fn cell(text: &str) -> String {
    text.lines().next().unwrap_or_default().replace('|', "\\|")
}

#[cfg(test)]
mod tests {
    use super::super::signature::Signature;
    use super::*;

    fn fault(kind: &str, target: &str) -> Fault {
        let signature =
            Signature { target: target.to_owned(), kind: kind.to_owned(), is_value: true };
        Fault {
            name: "fault_1".to_owned(),
            signature,
            features: vec!["abs of int".to_owned(), "if".to_owned()],
            source: "programs_glsl".to_owned(),
            number: 7,
            lines: 12,
        }
    }

    #[test]
    fn a_report_is_for_the_one_at_fault() {
        let name = |kind, target| upstream(kind, target).name;
        let lavapipe = "vulkan · llvmpipe (LLVM 15) · llvmpipe Mesa 22.3.6";
        assert_eq!(name("wrong value, naga or the driver", lavapipe), "Mesa");
        assert_eq!(name("wrong value, tint: without it, …", lavapipe), "Tint");
        assert_eq!(name("wrong value, naga: without it, …", lavapipe), "naga");
        assert_eq!(name("crash", "vulkan · SwiftShader Device"), "SwiftShader");
        assert_eq!(name("crash", "vulkan · NVIDIA"), "the driver");
    }

    #[test]
    fn a_report_has_all_that_is_known() {
        let fault = fault("wrong value, naga or the driver", "gl · llvmpipe Mesa 22.3.6");
        let stages = [("fragment.glsl".to_owned(), "void main() {}\n".to_owned())];
        let elsewhere = [("cpu".to_owned(), "passed".to_owned())];
        let text = write(&Content {
            fault: &fault,
            failure: "the adapter gives 0".to_owned(),
            sections: vec!["8.3 Common Functions".to_owned()],
            case: "[test]\n",
            stages: &stages,
            elsewhere: &elsewhere,
            repeat: ["interstage run a".to_owned(), "interstage run b".to_owned()],
        });
        for part in [
            "# wrong value, naga or the driver: abs of int, if",
            "For Mesa: https://gitlab",
            "### How to reproduce\n\n```sh\ninterstage run a\ninterstage run b\n```",
            "the adapter gives 0",
            "follows from 8.3 Common Functions",
            "| cpu | passed |",
            "seed 7",
            "fragment.glsl:\n\n```text\nvoid main() {}\n```",
            "* gl · llvmpipe Mesa 22.3.6",
        ] {
            assert!(text.contains(part), "{part} is missing in:\n{text}");
        }
    }
}
