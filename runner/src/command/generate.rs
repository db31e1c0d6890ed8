//! `interstage generate`.

use std::io::Write as _;
use std::path::Path;

use anyhow::Context as _;

use crate::args::{GenerateOptions, Generated};
use crate::exit::Exit;
use crate::generate::{blocks, varyings};

/// Writes case files, one for every seed.
pub fn generate(options: &GenerateOptions) -> anyhow::Result<Exit> {
    let folder = Path::new(&options.output);
    std::fs::create_dir_all(folder)
        .with_context(|| format!("cannot create `{}`", folder.display()))?;
    for seed in options.seed..options.seed.saturating_add(options.count) {
        let (name, text) = match options.what {
            Generated::Varyings => ("varyings", varyings::case(seed)),
            Generated::Blocks => ("blocks", blocks::case(seed)),
        };
        let path = folder.join(format!("{name}_{seed}.shader_test"));
        std::fs::write(&path, text)
            .with_context(|| format!("cannot write `{}`", path.display()))?;
    }
    writeln!(std::io::stdout(), "{} cases in {}", options.count, folder.display())?;
    Ok(Exit::AsExpected)
}
