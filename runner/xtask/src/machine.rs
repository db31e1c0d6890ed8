//! System requirements: a Vulkan and a GL adapter, in software if there is no GPU. The tests of `index.html` also need
//! Chromium.
//!
//! Only Linux needs packages: macOS and Windows have adapters.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use crate::step::say;

/// Paths of `SwiftShader`, a software driver for Vulkan, in browser packages.
const SWIFTSHADER: [&str; 3] = [
    "/usr/lib/chromium/vk_swiftshader_icd.json",
    "/usr/lib64/chromium-browser/vk_swiftshader_icd.json",
    "/opt/google/chrome/vk_swiftshader_icd.json",
];

/// A system requirement.
struct Need {
    what: &'static str,
    is_there: fn() -> bool,
    /// Packages that provide it, by package manager in the order of [`MANAGERS`].
    packages: [&'static str; 3],
}

/// Requirements of the cases.
const FOR_CASES: [Need; 2] = [
    Need {
        what: "a Vulkan adapter",
        is_there: has_vulkan,
        packages: [
            "libvulkan1 mesa-vulkan-drivers",
            "vulkan-loader mesa-vulkan-drivers",
            "vulkan-icd-loader vulkan-swrast",
        ],
    },
    Need {
        what: "a GL adapter",
        is_there: has_gl,
        packages: [
            "libegl1 libgl1-mesa-dri",
            "libglvnd-egl mesa-libEGL mesa-dri-drivers",
            "libglvnd mesa",
        ],
    },
];

/// The browser, which has `SwiftShader`, too.
const CHROMIUM: Need = Need {
    what: "Chromium",
    is_there: has_chromium,
    packages: ["chromium fonts-dejavu-core", "chromium", "chromium"],
};

/// Additional requirements of the tests.
const FOR_TESTS: [Need; 3] = [
    CHROMIUM,
    Need {
        what: "SPIRV-Tools",
        is_there: || in_path("spirv-opt") && in_path("spirv-val"),
        packages: ["spirv-tools", "spirv-tools", "spirv-tools"],
    },
    Need {
        what: "glslang and SPIRV-Cross",
        is_there: has_glsl_compilers,
        packages: ["glslang-tools spirv-cross", "glslang", "glslang spirv-cross"],
    },
];

/// True if there are a writer and a compiler of Vulkan's GLSL. No package of the writer is known for `dnf`.
pub(crate) fn has_glsl_compilers() -> bool {
    in_path("glslangValidator") && in_path("spirv-cross")
}

/// A package manager.
struct Manager {
    program: &'static str,
    /// Command that fetches the list of packages; a fresh machine may not have it.
    refresh: Option<&'static [&'static str]>,
    install: &'static [&'static str],
}

const MANAGERS: [Manager; 3] = [
    Manager {
        program: "apt-get",
        refresh: Some(&["update"]),
        install: &["install", "--yes", "--no-install-recommends"],
    },
    Manager { program: "dnf", refresh: None, install: &["install", "--assumeyes"] },
    Manager { program: "pacman", refresh: None, install: &["-Sy", "--needed", "--noconfirm"] },
];

/// Installs missing packages, and prints their names. Without a known package manager it only prints the names, since
/// an adapter may exist anyway.
pub(crate) fn prepare_for_cases() -> Result<(), String> {
    prepare(&FOR_CASES.iter().collect::<Vec<_>>())
}

/// The note that a run of the cases prints first on a machine where requirements are missing. Nothing is installed.
pub(crate) fn note_for_cases() -> Option<String> {
    let is_known = cfg!(target_os = "linux");
    let is_missing = |need: &&Need| is_known && !(need.is_there)();
    let missing: Vec<_> = FOR_CASES.iter().filter(is_missing).map(|need| need.what).collect();
    note(&missing)
}

fn note(missing: &[&str]) -> Option<String> {
    let help = "`cargo xtask cases --mesa` installs Mesa's software drivers, and so does `cargo xtask test`";
    match missing {
        [] => None,
        _ if missing.len() == FOR_CASES.len() => Some(format!(
            "no driver is tested: this machine has none, and interstage's executor runs the cases; {help}"
        )),
        some => {
            Some(format!("this machine lacks {}, which is not tested; {help}", some.join(" and ")))
        }
    }
}

/// Installs the packages for the cases and the additional ones for the tests.
pub(crate) fn prepare_for_tests() -> Result<(), String> {
    prepare(&FOR_CASES.iter().chain(&FOR_TESTS).collect::<Vec<_>>())
}

/// Path of `SwiftShader`'s driver file for the Vulkan loader. Installs Chromium if needed.
pub(crate) fn swiftshader() -> Result<PathBuf, String> {
    let find = || SWIFTSHADER.iter().map(PathBuf::from).find(|path| path.exists());
    if find().is_none() {
        prepare(&[&CHROMIUM])?;
    }
    find().ok_or_else(|| {
        format!("SwiftShader was not found; none of these exists: {}", SWIFTSHADER.join(", "))
    })
}

fn prepare(needs: &[&Need]) -> Result<(), String> {
    if !cfg!(target_os = "linux") {
        return Ok(());
    }
    let missing: Vec<_> = needs.iter().filter(|need| !(need.is_there)()).collect();
    if missing.is_empty() {
        return Ok(());
    }
    let what: Vec<_> = missing.iter().map(|need| need.what).collect();
    say(&format!("this machine lacks {}", what.join(" and ")));
    let manager = MANAGERS.iter().enumerate().find(|(_, manager)| in_path(manager.program));
    let Some((idx, manager)) = manager else {
        say("no known package manager (apt-get, dnf, pacman) was found; install it manually");
        return Ok(());
    };
    let packages = missing.iter().flat_map(|need| need.packages[idx].split(' '));
    let install: Vec<_> = manager.install.iter().copied().chain(packages).collect();
    for arguments in manager.refresh.into_iter().chain([&install[..]]) {
        run_as_root(manager.program, arguments)?;
    }
    Ok(())
}

fn run_as_root(program: &str, arguments: &[&str]) -> Result<(), String> {
    let mut words = vec![program];
    words.extend(arguments);
    if !is_root() {
        words.insert(0, "sudo");
    }
    let line = words.join(" ");
    say(&format!("$ {line}"));
    let status = Command::new(words[0])
        .args(&words[1..])
        .env("DEBIAN_FRONTEND", "noninteractive")
        .status()
        .map_err(|error| format!("cannot start `{line}`: {error}"))?;
    if status.success() { Ok(()) } else { Err(format!("`{line}` failed: {status}")) }
}

fn is_root() -> bool {
    let id = Command::new("id").arg("-u").stderr(Stdio::null()).output();
    id.is_ok_and(|output| output.stdout.trim_ascii() == b"0")
}

/// True if there is a loader, and a driver that it finds.
fn has_vulkan() -> bool {
    let folders = ["/usr/share/vulkan/icd.d", "/usr/local/share/vulkan/icd.d", "/etc/vulkan/icd.d"];
    let is_named =
        ["VK_DRIVER_FILES", "VK_ICD_FILENAMES"].iter().any(|name| std::env::var_os(name).is_some());
    let has_driver = is_named || folders.iter().any(|folder| has_file(Path::new(folder), is_json));
    has_library(|name| name == "libvulkan.so.1") && has_driver
}

/// True if there is EGL, and a driver behind it: Mesa's software driver (a `dri` module up to Mesa 24.1, one common
/// library in later versions) or NVIDIA's.
fn has_gl() -> bool {
    let has_module =
        library_folders().iter().any(|folder| folder.join("dri/swrast_dri.so").exists());
    let has_driver = has_module
        || has_library(|name| name.starts_with("libgallium-") || name == "libEGL_nvidia.so.0");
    has_library(|name| name == "libEGL.so.1") && has_driver
}

fn has_chromium() -> bool {
    chromium().is_some()
}

/// Finds Chromium under any of its names; `CHROME` may name another program.
pub(crate) fn chromium() -> Option<OsString> {
    let names = ["chromium", "chromium-browser", "google-chrome"];
    let found = || names.into_iter().find(|name| in_path(name)).map(OsString::from);
    std::env::var_os("CHROME").or_else(found)
}

fn in_path(program: &str) -> bool {
    let path = std::env::var_os("PATH").unwrap_or_default();
    std::env::split_paths(&path).any(|folder| folder.join(program).is_file())
}

fn has_library(is_it: impl Fn(&str) -> bool) -> bool {
    library_folders().iter().any(|folder| has_file(folder, &is_it))
}

fn has_file(folder: &Path, is_it: impl Fn(&str) -> bool) -> bool {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    entries.into_iter().any(|entry| entry.file_name().to_str().is_some_and(&is_it))
}

/// Folders for shared libraries on Linux distributions: a common folder, and on Debian one per architecture inside it.
fn library_folders() -> Vec<PathBuf> {
    let common = ["/usr/lib", "/usr/lib64", "/lib", "/lib64", "/usr/local/lib"];
    let architecture = format!("{}-linux-gnu", std::env::consts::ARCH);
    let loader_path = std::env::var_os("LD_LIBRARY_PATH").unwrap_or_default();
    let own: Vec<_> = std::env::split_paths(&loader_path).collect();
    common
        .iter()
        .flat_map(|folder| [PathBuf::from(folder), Path::new(folder).join(&architecture)])
        .chain(own)
        .collect()
}

fn is_json(name: &str) -> bool {
    Path::new(name).extension().is_some_and(|extension| extension == "json")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_not_tested_is_told() {
        assert_eq!(note(&[]), None);
        let none = note(&["a Vulkan adapter", "a GL adapter"]).expect("nothing is there");
        assert!(none.starts_with("no driver is tested: "), "{none}");
        let some = note(&["a GL adapter"]).expect("something is missing");
        assert!(
            some.starts_with("this machine lacks a GL adapter, which is not tested; "),
            "{some}"
        );
        assert!([none, some].iter().all(|note| note.contains("`cargo xtask cases --mesa`")));
    }
}
