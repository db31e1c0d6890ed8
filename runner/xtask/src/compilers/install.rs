//! Puts compilers below `target/compilers`, without a package manager and without root.
//!
//! * Tint, SPIRV-Tools, glslang and SPIRV-Cross are Debian's newest packages, unpacked with all libraries that they need.
//!   A script for each program starts it with Debian's own loader, so the machine's libraries do not matter.
//! * DXC's library is in a package of Python's index. `runner/lab/dxc.cpp` is the program in front of it.
//! * naga's program is built by cargo, in the version of the naga inside interstage.
//!
//! Everything that is downloaded is compared with its SHA-256. What is there already stays.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use super::debian::{Index, Package};
use crate::step::say;

const MIRROR: &str = "https://deb.debian.org/debian";

const PACKAGES: [&str; 4] = ["dawn-tools", "spirv-tools", "glslang-tools", "spirv-cross"];

/// Programs of [`PACKAGES`] that get a script.
const PROGRAMS: [&str; 8] = [
    "tint",
    "spirv-opt",
    "spirv-val",
    "spirv-as",
    "spirv-dis",
    "glslang",
    "glslangValidator",
    "spirv-cross",
];

/// Folder of libraries in Debian's packages.
const LIBRARIES: &str = "usr/lib/x86_64-linux-gnu";

/// A source distribution of Python's index that holds DXC's library for Linux.
const COMPUSHADY: Archive = Archive {
    name: "compushady-0.17.5",
    url: "https://files.pythonhosted.org/packages/da/2f/e84188f13e07c444fa8593e6980b9db85c0aea3fde699f509d11bd7ca6c7/compushady-0.17.5.tar.gz",
    sha256: "5052caf9e955d8e7a48e22f536e82b44b72e83af46e824a9e99157c7809de691",
};

struct Archive {
    /// Name of the folder inside.
    name: &'static str,
    url: &'static str,
    sha256: &'static str,
}

/// Folders of an installation.
struct Place {
    /// Root of the workspace.
    root: PathBuf,
    /// `target/compilers`.
    top: PathBuf,
    /// Programs.
    programs: PathBuf,
}

/// Installs what is missing.
///
/// # Errors
/// A tool or the network is missing, or a file is not what it should be. What was installed before that stays.
pub(super) fn run(root: &Path) -> Result<(), String> {
    if !cfg!(all(target_os = "linux", target_arch = "x86_64")) {
        return Err(format!(
            "the compilers come from packages for Linux on x86-64, and this machine is {} on {}; put programs of these \
             names in PATH instead: {}",
            std::env::consts::OS,
            std::env::consts::ARCH,
            PROGRAMS.join(", ")
        ));
    }
    let top = super::folder(root);
    let place = Place { root: root.to_owned(), programs: top.join("bin"), top };
    create(&place.programs)?;
    install(
        "Debian's tint, SPIRV-Tools, glslang and SPIRV-Cross",
        &place.programs.join("tint"),
        || debian(&place),
    )?;
    install("DXC", &place.programs.join("dxc"), || dxc(&place))?;
    let version = naga_version(root)?;
    let what = format!("naga {version}");
    install(&what, &place.programs.join("naga"), || naga(&place, &version))?;
    say("`cargo xtask compilers` runs cases through them; delete target/compilers for newer ones");
    Ok(())
}

/// Runs `action` unless its last file is there.
fn install(
    what: &str,
    last: &Path,
    action: impl FnOnce() -> Result<(), String>,
) -> Result<(), String> {
    if last.exists() {
        say(&format!("== {what}: already there"));
        return Ok(());
    }
    say(&format!("== {what}"));
    action().map_err(|message| format!("{what}: {message}"))
}

fn debian(place: &Place) -> Result<(), String> {
    let folder = place.top.join("debian");
    let packed = folder.join("Packages.xz");
    create(&folder)?;
    download(&format!("{MIRROR}/dists/sid/main/binary-amd64/Packages.xz"), &packed)?;
    let text = output("xz", Command::new("xz").args(["--decompress", "--stdout"]).arg(&packed))?;
    let index = Index::parse(&String::from_utf8_lossy(&text));
    let packages = index.closure(&PACKAGES)?;
    say(&format!("{} packages", packages.len()));
    for package in packages {
        unpack(package, &folder)?;
    }
    // The last one shows that all are there.
    for program in PROGRAMS.iter().rev() {
        script(program, &folder, &place.programs.join(program))?;
    }
    Ok(())
}

/// Downloads a package and unpacks it below `folder`.
fn unpack(package: &Package, folder: &Path) -> Result<(), String> {
    let Package { name, version, file, sha256, .. } = package;
    if PACKAGES.contains(&name.as_str()) {
        say(&format!("{name} {version}"));
    }
    let path = folder.join("package.deb");
    download(&format!("{MIRROR}/{file}"), &path)?;
    verify(&path, sha256)?;
    let mut command = Command::new("dpkg-deb");
    output("dpkg-deb", command.arg("--extract").arg(&path).arg(folder))?;
    remove(&path)
}

/// Writes a script that starts a program with the loader and the libraries below `folder`.
fn script(program: &str, folder: &Path, path: &Path) -> Result<(), String> {
    let libraries = folder.join(LIBRARIES);
    let quoted = |path: PathBuf| format!("'{}'", path.display().to_string().replace('\'', r"'\''"));
    let text = format!(
        "#!/bin/sh\nexec {} --library-path {} {} \"$@\"\n",
        quoted(libraries.join("ld-linux-x86-64.so.2")),
        quoted(libraries),
        quoted(folder.join("usr/bin").join(program)),
    );
    std::fs::write(path, text).map_err(|error| at(path, &error))?;
    make_executable(path)
}

#[cfg(unix)]
fn make_executable(path: &Path) -> Result<(), String> {
    use std::os::unix::fs::PermissionsExt as _;
    let permissions = std::fs::Permissions::from_mode(0o755);
    std::fs::set_permissions(path, permissions).map_err(|error| at(path, &error))
}

#[cfg(not(unix))]
fn make_executable(_: &Path) -> Result<(), String> {
    Ok(())
}

fn dxc(place: &Place) -> Result<(), String> {
    const LIBRARY: &str = "libdxcompiler_x86_64.so.3.7";
    let folder = place.top.join("dxc");
    let packed = folder.join("compushady.tar.gz");
    create(&folder)?;
    download(COMPUSHADY.url, &packed)?;
    verify(&packed, COMPUSHADY.sha256)?;
    let backends = format!("{}/compushady/backends", COMPUSHADY.name);
    let mut command = Command::new("tar");
    command.args(["--extract", "--strip-components=3"]).arg("--file").arg(&packed);
    command.arg("--directory").arg(&folder);
    command.args(["dxcapi.h", "WinAdapter.h", LIBRARY].map(|name| format!("{backends}/{name}")));
    output("tar", &mut command)?;
    let library = folder.join(LIBRARY);
    let mut command = Command::new("c++");
    command.args(["-std=c++17", "-O1", "-w"]).arg("-I").arg(&folder);
    command.arg(format!("-DLIBRARY=\"{}\"", library.display()));
    command.arg(format!("-DVERSION=\"dxc 3.7 of {}\"", COMPUSHADY.name));
    command.arg(place.root.join("runner/lab/dxc.cpp")).arg("-ldl");
    output("c++", command.arg("-o").arg(place.programs.join("dxc")))?;
    remove(&packed)
}

fn naga(place: &Place, version: &str) -> Result<(), String> {
    let mut command = crate::build::cargo(&["install", "--quiet", "--locked", "naga-cli"]);
    command.args(["--version", version]).arg("--root").arg(&place.top);
    output("cargo", &mut command).map(drop)
}

/// Version of the naga inside interstage.
fn naga_version(root: &Path) -> Result<String, String> {
    let path = root.join("Cargo.lock");
    let text = std::fs::read_to_string(&path).map_err(|error| at(&path, &error))?;
    locked(&text, "naga").ok_or_else(|| "Cargo.lock has no naga".to_owned())
}

/// Version of a package in the text of a `Cargo.lock`.
fn locked(text: &str, package: &str) -> Option<String> {
    let (_, rest) = text.split_once(&format!("\nname = \"{package}\"\nversion = \""))?;
    rest.split('"').next().map(str::to_owned)
}

fn download(url: &str, path: &Path) -> Result<(), String> {
    let mut command = Command::new("curl");
    command.args(["--fail", "--silent", "--show-error", "--location", "--retry", "2", "--output"]);
    output("curl", command.arg(path).arg(url))
        .map(drop)
        .map_err(|message| format!("cannot download {url}: {message}"))
}

/// Compares a file with its SHA-256.
fn verify(path: &Path, expected: &str) -> Result<(), String> {
    let found = output("sha256sum", Command::new("sha256sum").arg(path))?;
    let found = String::from_utf8_lossy(&found);
    let found = found.split_whitespace().next().unwrap_or_default();
    // A backslash marks a path with special characters.
    if found.trim_start_matches('\\') == expected {
        return Ok(());
    }
    Err(format!("{}: its SHA-256 is {found} instead of {expected}", path.display()))
}

/// Runs a tool. Returns what it writes to stdout; an error has what it writes to stderr.
fn output(tool: &str, command: &mut Command) -> Result<Vec<u8>, String> {
    let output = command.stdin(Stdio::null()).output().map_err(|error| {
        if error.kind() == std::io::ErrorKind::NotFound {
            return format!("`{tool}` is needed and not installed");
        }
        format!("cannot start `{tool}`: {error}")
    })?;
    if output.status.success() {
        return Ok(output.stdout);
    }
    let words = String::from_utf8_lossy(&output.stderr);
    Err(format!("`{tool}` failed ({}): {}", output.status, words.trim()))
}

fn create(folder: &Path) -> Result<(), String> {
    std::fs::create_dir_all(folder).map_err(|error| at(folder, &error))
}

fn remove(path: &Path) -> Result<(), String> {
    std::fs::remove_file(path).map_err(|error| at(path, &error))
}

fn at(path: &Path, error: &std::io::Error) -> String {
    format!("{}: {error}", path.display())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_version_is_that_of_the_package_alone() {
        let text = "[[package]]\nname = \"naga-cli\"\nversion = \"1.0.0\"\n\n\
                    [[package]]\nname = \"naga\"\nversion = \"30.0.1\"\n";
        assert_eq!(locked(text, "naga").as_deref(), Some("30.0.1"));
        assert_eq!(locked(text, "nag"), None);
    }

    #[test]
    fn a_tool_that_is_missing_or_fails_is_named() {
        let failed = |tool: &str, arguments: &[&str]| {
            output(tool, Command::new(tool).args(arguments)).expect_err("it fails")
        };
        assert_eq!(failed("no-such-tool", &[]), "`no-such-tool` is needed and not installed");
        let words = failed("cargo", &["no-such-command"]);
        assert!(
            words.starts_with("`cargo` failed (") && words.contains("no-such-command"),
            "{words}"
        );
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn a_file_with_another_sum_is_refused() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("empty");
        std::fs::write(&path, "").expect("a file");
        let sum = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";
        assert_eq!(verify(&path, sum), Ok(()));
        let error = verify(&path, &sum.replace("e3", "e4")).expect_err("another sum");
        assert!(error.contains("its SHA-256 is e3b0c4"), "{error}");
    }
}
