//! Examples in the help of the subcommands and in the manual pages: a command per line, with what it does below it.

/// Examples of `run`.
pub(super) const RUN: &str = "\
Examples:
  interstage run
      runs the cases of the project on the first adapter
  interstage run cases/varying --adapter vulkan:0,gl --results results
      runs a folder on two adapters, and writes results/index.html
  interstage run 'cases/varying/counts.shader_test#type=vec3;n=2' --keep out
      runs one case by its name, and keeps images and shaders if it fails
  interstage run --failed results
      runs again what failed in that run
  interstage run cases --adapter all --known-failures 'lists/{adapter}-fails.txt'
      reports only what differs from the lists, on every adapter
  interstage run cases --shard 2/4 --results shard-2
      runs the second of four parts
  interstage run --oracle shader.wgsl
      runs the entry points of a WGSL file, and compares with the executor
  interstage run data/gles3/shaders
      runs files of the shader library of the conformance tests (`*.test`)
  interstage run cases --pretend gl33 --adapter vulkan
      runs on a device with the features of OpenGL 3.3
  interstage run --resume results
      continues an interrupted run";

/// Examples of `list`.
pub(super) const LIST: &str = "\
Examples:
  interstage list cases/block
      prints the names of the cases in a folder
  interstage list -t 'type=vec3' -x geometry
      prints those whose names match one expression and not the other";

/// Examples of `generate`.
pub(super) const GENERATE: &str = "\
Examples:
  interstage generate varyings --seed 7 --count 20
      writes twenty cases to out/cases
  interstage generate programs --language spirv --count 50 --output out/spirv/cases
      writes programs in SPIR-V that compare with the executor
  interstage generate wgsl shader.wgsl --output cases/shader
      writes a case for each entry point of a WGSL file
  interstage generate invalid --rule recursion --count 10
      writes programs that break one rule";

/// Examples of `hunt`.
pub(super) const HUNT: &str = "\
Examples:
  interstage hunt --time 30m
      runs random programs in GLSL, WGSL and SPIR-V for half an hour, and writes hunt/index.html
  interstage hunt --adapter all --language spirv -o found
      runs programs in SPIR-V on every adapter until Ctrl-C; the same command goes on later
  interstage hunt --through tint --leave-out 'abs of uint'
      looks for faults of Tint other than those of one operation
  interstage hunt cases --count 20000
      runs variants of cases";

/// Examples of `new`.
pub(super) const NEW: &str = "\
Examples:
  interstage new varying/half_reaches_the_fragment
      writes cases/varying/half_reaches_the_fragment.shader_test
  interstage new wgsl/a_texture_is_black --wgsl --texture
      writes a case with WGSL stages that read a texture";

/// Examples of `inspect`.
pub(super) const INSPECT: &str = "\
Examples:
  interstage inspect cases/varying/double_parked_vec3.shader_test
      prints the link map, and every stage in WGSL
  interstage inspect case.shader_test --stage fragment --format msl
      prints the fragment stage for Metal
  interstage inspect cases --format spirv --out out
      writes the SPIR-V of all cases";

/// Examples of `convert`.
pub(super) const CONVERT: &str = "\
Examples:
  interstage convert script.amber -o cases/script.shader_test
      writes the case that says what the script says";

/// Examples of `labels`.
pub(super) const LABELS: &str = "\
Examples:
  interstage labels
      prints all profiles and labels
  interstage labels GENERIC[17] TEXCOORD3
      prints the names of two labels in both directions";

/// Examples of `doctor`.
pub(super) const DOCTOR: &str = "\
Examples:
  interstage doctor
      prints the adapters and their drivers
  interstage doctor --skips cases/texture
      prints which of these cases would not run, and why
  interstage doctor --adapter vulkan:0 --features
      prints features, limits and formats of one adapter";

/// Examples of `census`.
pub(super) const CENSUS: &str = "\
Examples:
  interstage census cases
      counts why cases do not link, without a GPU
  interstage census cases --pretend webgl2
      counts what a device with WebGL 2 would skip";

/// Examples of `agree`.
pub(super) const AGREE: &str = "\
Examples:
  interstage agree results/results.json reference.tsv --root tests/
      counts the files on which both implementations agree";

/// Examples of `merge`.
pub(super) const MERGE: &str = "\
Examples:
  interstage merge shard-1 shard-2 --results results
      joins the results of two shards";

/// Examples of `report`.
pub(super) const REPORT: &str = "\
Examples:
  interstage report old new -o page.html
      writes a page with both runs side by side, and marks regressions and fixes";

/// Examples of `fmt`.
pub(super) const FMT: &str = "\
Examples:
  interstage fmt cases
      formats all cases of a folder
  interstage fmt --check cases/varying
      names the files that are not formatted, and changes nothing";

/// Examples of `lsp`.
pub(super) const LSP: &str = "\
Examples:
  interstage lsp
      serves an editor on stdin and stdout";

/// Examples of `bless`.
pub(super) const BLESS: &str = "\
Examples:
  interstage bless cases/target/disc.shader_test --dry-run
      prints what would change
  interstage bless cases/target/disc.shader_test --review
      asks before the changes of each case are written";

/// Examples of `compare`.
pub(super) const COMPARE: &str = "\
Examples:
  interstage compare old new
      prints what differs between two runs
  interstage compare results
      prints what differs between the adapters of one run";

/// Examples of `watch`.
pub(super) const WATCH: &str = "\
Examples:
  interstage watch cases/varying --adapter gl
      runs the cases of a folder, and each again when its file is saved";

/// Examples of `reduce`.
pub(super) const REDUCE: &str = "\
Examples:
  interstage reduce failing.shader_test --adapter vulkan:0 -o cases/small.shader_test
      writes a smaller case that fails in the same way
  interstage reduce failing.shader_test --adapter vulkan:0 --against gl
      also keeps that it passes on the other adapter";

/// Examples of `completions`.
pub(super) const COMPLETIONS: &str = "\
Examples:
  interstage completions bash > ~/.local/share/bash-completion/completions/interstage
      completes commands and options in bash";

/// Examples of `man`.
pub(super) const MAN: &str = "\
Examples:
  interstage man | man -l -
      shows the manual page
  interstage man --out ~/.local/share/man/man1
      writes a page for every subcommand";
