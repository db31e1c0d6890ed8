//! The file for the reduced case. It is opened before anything runs, so that an unwritable path is reported at once. A
//! text that cannot be written after all is printed.

use std::fs::OpenOptions;
use std::io::Write as _;
use std::path::{Path, PathBuf};

use anyhow::Context as _;

/// A file that will be written.
#[derive(Debug)]
pub(super) struct Output {
    path: PathBuf,
    /// True if [`Output::open`] created the file.
    is_new: bool,
    is_written: bool,
}

impl Output {
    /// Opens the file and creates missing folders; an existing file keeps its content for now.
    pub(super) fn open(path: &Path) -> anyhow::Result<Self> {
        let explain = || format!("cannot write {}", path.display());
        let folder = path.parent().filter(|folder| *folder != Path::new(""));
        folder.map_or(Ok(()), std::fs::create_dir_all).with_context(explain)?;
        let is_new = !path.exists();
        OpenOptions::new().append(true).create(true).open(path).with_context(explain)?;
        Ok(Self { path: path.to_owned(), is_new, is_written: false })
    }

    /// Writes the text; if that fails, prints it, so that it is not lost.
    pub(super) fn write(&mut self, text: &str) -> anyhow::Result<()> {
        let written = std::fs::write(&self.path, text);
        self.is_written = written.is_ok();
        if let Err(error) = written {
            std::io::stdout().lock().write_all(text.as_bytes())?;
            let path = self.path.display();
            return Err(error).with_context(|| {
                format!("cannot write {path}; the reduced case is printed instead")
            });
        }
        Ok(())
    }

    pub(super) fn path(&self) -> &Path {
        &self.path
    }
}

impl Drop for Output {
    fn drop(&mut self) {
        if self.is_new && !self.is_written {
            // Remove the empty file that was created only to check that the path is writable.
            let _ = std::fs::remove_file(&self.path);
        }
    }
}
