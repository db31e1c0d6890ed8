//! Compilers that are known by name.

use super::command::{CommandError, Known, Step};
use super::language::Language;
use super::language::Language::{Glsl, Hlsl, Spirv, Wgsl};

/// A known compiler: how to call it.
struct Preset {
    name: &'static str,
    /// The program if the user gives no path.
    program: &'static str,
    /// Languages that it reads; the first is the one that naga writes for it.
    reads: &'static [Language],
    /// Languages that it writes, the best for a next program first.
    writes: &'static [Language],
    /// Arguments. `{options}` stands for the user's.
    arguments: &'static str,
    /// Options if the user gives none.
    options: &'static str,
}

/// All presets.
const PRESETS: [Preset; 6] = [
    Preset {
        name: "naga",
        program: "naga",
        reads: &[Wgsl, Spirv],
        writes: &[Wgsl, Hlsl, Spirv],
        arguments: "--keep-coordinate-space --spirv-version 1.3 {options} {in} {out}",
        options: "",
    },
    Preset {
        name: "tint",
        program: "tint",
        reads: &[Wgsl, Spirv],
        writes: &[Wgsl, Spirv],
        arguments: "{options} {in} -o {out}",
        options: "",
    },
    Preset {
        name: "spirv-opt",
        program: "spirv-opt",
        reads: &[Spirv],
        writes: &[Spirv],
        arguments: "--preserve-bindings {options} {in} -o {out}",
        options: "-O",
    },
    Preset {
        name: "dxc",
        program: "dxc",
        reads: &[Hlsl],
        writes: &[Spirv],
        arguments: "-spirv -fspv-target-env=vulkan1.1 -enable-16bit-types -no-warnings -E main -T {profile} {options} {in} -Fo {out}",
        options: "",
    },
    Preset {
        name: "glslang",
        program: "glslangValidator",
        reads: &[Hlsl, Glsl],
        writes: &[Spirv],
        arguments: "-V {from} --target-env vulkan1.1 -e main -S {stage} {options} {in} -o {out}",
        options: "",
    },
    Preset {
        name: "spirv-cross",
        program: "spirv-cross",
        reads: &[Spirv],
        writes: &[Glsl, Hlsl],
        arguments: "{in} {to} {options} --output {out}",
        options: "",
    },
];

/// Names of the presets, for messages and help.
pub fn names() -> impl Iterator<Item = &'static str> {
    PRESETS.iter().map(|preset| preset.name)
}

/// The presets whose programs are in `PATH`, with their versions.
pub fn installed() -> Vec<Step> {
    let steps = names().filter_map(|name| Step::of_text(name, None).ok());
    steps.filter(|step| step.file().is_some()).map(Step::identified).collect()
}

impl Step {
    /// A program as users name it: `NAME[=PATH][:OPTIONS]` with the name of a preset ([`names`]), or a command with
    /// `{in}` and `{out}` that reads `language`, by default SPIR-V. A preset knows its language.
    ///
    /// # Errors
    /// There is no such preset, or the command is wrong.
    pub fn of_text(text: &str, language: Option<Language>) -> Result<Self, CommandError> {
        if text.contains(['{', ' ']) && !PRESETS.iter().any(|preset| preset.takes(text)) {
            return Self::of_command(text, language);
        }
        let preset = PRESETS.iter().find(|preset| preset.takes(text));
        let preset = preset.ok_or_else(|| no_preset(text))?;
        let rest = &text[preset.name.len()..];
        let (path, options) = rest
            .split_once(":-")
            .map_or((rest, None), |(path, options)| (path, Some(format!("-{options}"))));
        let program = path.strip_prefix('=').unwrap_or(preset.program);
        if program.is_empty() {
            return Err(CommandError::Empty);
        }
        let options = options.as_deref().unwrap_or(preset.options);
        let arguments = preset.arguments.replace("{options}", options);
        let &Preset { name, reads, writes, .. } = preset;
        let arguments = &arguments;
        Self::of_known(Known { given: text, name, program, arguments, reads, writes })
    }
}

fn no_preset(text: &str) -> CommandError {
    CommandError::NoPreset { text: text.to_owned(), names: names().collect::<Vec<_>>().join(", ") }
}

impl Preset {
    /// True if the text begins with this name.
    fn takes(&self, text: &str) -> bool {
        let rest = text.strip_prefix(self.name);
        rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('=') || rest.starts_with(":-"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, name: &str, words: &[&str]) {
        let step = Step::of_text(text, None).expect("a program");
        let words: Vec<String> = words.iter().map(|word| (*word).to_owned()).collect();
        assert_eq!((step.name(), step.words()), (name, &words[..]), "{text}");
    }

    #[test]
    fn presets_take_paths_and_options() {
        let keep = ["--preserve-bindings"];
        let opt = |program, options: &[&'static str]| {
            [&[program], &keep[..], options, &["{in}", "-o", "{out}"]].concat()
        };
        check("spirv-opt", "spirv-opt", &opt("spirv-opt", &["-O"]));
        check("spirv-opt:-Os", "spirv-opt", &opt("spirv-opt", &["-Os"]));
        let path = "spirv-opt=/x/spirv-opt:--merge-blocks --merge-return";
        check(path, "spirv-opt", &opt("/x/spirv-opt", &["--merge-blocks", "--merge-return"]));
        check(
            "naga=C:\\naga.exe",
            "naga",
            &["C:\\naga.exe", "--keep-coordinate-space", "--spirv-version", "1.3", "{in}", "{out}"],
        );
        check(
            "naga=/a b/naga",
            "naga",
            &["/a b/naga", "--keep-coordinate-space", "--spirv-version", "1.3", "{in}", "{out}"],
        );
        check("cp {in} {out}", "cp", &["cp", "{in}", "{out}"]);
        let of = |text: &str| Step::of_text(text, None);
        assert_eq!(of("nagaa"), Err(no_preset("nagaa")));
        assert_eq!(of("naga="), Err(CommandError::Empty));
        let told = of("nagaa").expect_err("no preset").to_string();
        assert!(told.contains("naga, tint, spirv-opt, dxc, glslang, spirv-cross"), "{told}");
    }
}
