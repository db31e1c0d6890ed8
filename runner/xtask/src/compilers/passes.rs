//! The passes of SPIRV-Tools' optimiser, from its help.

/// Options that are no passes, or whose pass may change what a stage does or what its interface is.
const LEFT_OUT: [(&str, &[&str]); 5] = [
    (
        "settings",
        &[
            "--before-hlsl-legalization",
            "--loop-peeling-threshold",
            "--preserve-bindings",
            "--preserve-interface",
            "--preserve-spec-constants",
            "--print-all",
            "--relax-block-layout",
            "--relax-logical-pointer",
            "--relax-struct-store",
            "--scalar-block-layout",
            "--skip-block-layout",
            "--skip-validation",
            "--time-report",
            "--validate-after-all",
            "--workgroup-scalar-block-layout",
            "--help",
            "--version",
        ],
    ),
    (
        "need a number, which the help does not say",
        &["--loop-fission", "--loop-fusion", "--loop-unroll-partial"],
    ),
    ("change precision", &["--convert-relaxed-to-half", "--relax-float-ops"]),
    (
        "change bindings",
        &[
            "--descriptor-scalar-replacement",
            "--descriptor-composite-scalar-replacement",
            "--descriptor-array-scalar-replacement",
            "--resolve-binding-conflicts",
            "--split-combined-image-sampler",
        ],
    ),
    ("need the stage before or behind", &["--eliminate-dead-input-components"]),
];

/// The passes that can be applied to any module, and need no argument, in the order of the help.
pub(super) fn of_help(help: &str) -> Vec<String> {
    let is_left_out = |name: &str| LEFT_OUT.iter().any(|(_, names)| names.contains(&name));
    let lines = help.lines().filter_map(option);
    lines.filter(|name| !is_left_out(name)).map(str::to_owned).collect()
}

/// The option that a line of the help introduces, unless it has one letter or needs an argument.
fn option(line: &str) -> Option<&str> {
    let text = line.strip_prefix("  ").filter(|text| text.starts_with("--"))?.trim_end();
    // `[=<n>]` may be absent.
    let name = text.split_once("[=").map_or(text, |(name, _)| name);
    let is_plain = |letter: char| letter.is_ascii_lowercase() || "-0123456789".contains(letter);
    name.chars().all(is_plain).then_some(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn passes_need_no_argument_and_keep_the_meaning() {
        let help = "\
USAGE: spirv-opt [options]
  --ccp
               Apply the conditional constant propagation transform. See
               --eliminate-dead-branches
  --convert-to-sampled-image \"<descriptor set>:<binding> ...\"
  -O
  --max-id-bound=<n>
  --modify-maximal-reconvergence=[add|remove]
  --print-all
  --reduce-load-size[=<threshold>]
  --workaround-1209
  -h, --help
  --version
";
        assert_eq!(of_help(help), ["--ccp", "--reduce-load-size", "--workaround-1209"]);
    }
}
