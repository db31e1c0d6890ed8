//! The compilers that cases run through.

/// A chain of compilers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Compiler {
    /// Name in options, in the list of known faults, and of the folder of results.
    pub(super) name: String,
    /// Programs that must be there.
    pub(super) programs: Vec<&'static str>,
    /// Arguments of `--through`.
    pub(super) through: Vec<String>,
}

/// A chain that is known by name: name, programs, and arguments of `--through`.
type Known = (&'static str, &'static [&'static str], &'static [&'static str]);

const COMPILERS: [Known; 8] = [
    ("naga", &["naga"], &["naga"]),
    ("tint", &["tint"], &["tint"]),
    ("spirv-opt-O", &["spirv-opt"], &["spirv-opt:-O"]),
    ("spirv-opt-Os", &["spirv-opt"], &["spirv-opt:-Os"]),
    ("dxc", &["dxc"], &["dxc"]),
    ("glslang", &["glslangValidator"], &["glslang"]),
    ("tint-spirv-opt", &["tint", "spirv-opt"], &["tint", "spirv-opt:-O"]),
    ("spirv-cross", &["spirv-cross", "glslangValidator"], &["spirv-cross", "glslang"]),
];

/// Compilers of these names; all if there is none.
///
/// # Errors
/// A name is unknown.
pub(super) fn named(names: &[String]) -> Result<Vec<Compiler>, String> {
    let known = COMPILERS.map(|(name, ..)| name);
    if let Some(unknown) = names.iter().find(|name| !known.contains(&name.as_str())) {
        return Err(format!("unknown compiler `{unknown}`; available: {}", known.join(", ")));
    }
    let is_wanted = |name: &str| names.is_empty() || names.iter().any(|wanted| wanted == name);
    let chosen = COMPILERS.into_iter().filter(|(name, ..)| is_wanted(name));
    Ok(chosen.map(|(name, programs, through)| compiler(name, programs, through)).collect())
}

fn compiler(name: &str, programs: &[&'static str], through: &[&str]) -> Compiler {
    let through = through.iter().map(|one| (*one).to_owned()).collect();
    Compiler { name: name.to_owned(), programs: programs.to_vec(), through }
}

/// SPIRV-Tools' optimiser with one pass.
pub(super) fn of_pass(pass: &str) -> Compiler {
    compiler(pass.trim_start_matches('-'), &["spirv-opt"], &[&format!("spirv-opt:{pass}")])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn compilers_are_chosen_by_name_in_the_order_of_the_table() {
        let names = |given: &[&str]| {
            let given: Vec<_> = given.iter().map(|name| (*name).to_owned()).collect();
            named(&given).map(|all| all.into_iter().map(|one| one.name).collect::<Vec<_>>())
        };
        assert_eq!(names(&["dxc", "naga"]).expect("both are known"), ["naga", "dxc"]);
        assert_eq!(names(&[]).expect("all are known").len(), COMPILERS.len());
        let error = names(&["tinto"]).expect_err("there is none");
        assert!(error.starts_with("unknown compiler `tinto`; available: naga, tint, "), "{error}");
    }
}
