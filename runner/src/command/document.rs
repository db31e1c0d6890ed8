//! `interstage completions` and `interstage man`: shell completions and manual pages, generated from the definition of
//! the command line.

use std::io::Write as _;

use anyhow::Context as _;
use clap::CommandFactory as _;

use crate::args::{Args, CompletionsOptions, ManOptions};
use crate::exit::Exit;

/// Prints the completions for a shell.
pub fn completions(options: &CompletionsOptions) -> anyhow::Result<Exit> {
    let mut script = Vec::new();
    clap_complete::generate(options.shell, &mut Args::command(), "interstage", &mut script);
    std::io::stdout().lock().write_all(&script)?;
    Ok(Exit::AsExpected)
}

/// Prints the manual page, or writes a page for the program and one for each command.
pub fn man(options: &ManOptions) -> anyhow::Result<Exit> {
    let command = Args::command();
    let Some(folder) = &options.out else {
        let mut page = Vec::new();
        clap_mangen::Man::new(command).render(&mut page)?;
        std::io::stdout().lock().write_all(&page)?;
        return Ok(Exit::AsExpected);
    };
    std::fs::create_dir_all(folder)
        .and_then(|()| clap_mangen::generate_to(command, folder))
        .with_context(|| format!("cannot write the pages into {}", folder.display()))?;
    Ok(Exit::AsExpected)
}
