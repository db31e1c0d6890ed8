//! Options that `interstage.toml` sets where the command line does not.

use std::path::PathBuf;
use std::time::Duration;

use crate::args::{ListOptions, OfProject, PoolOptions, ThroughOptions, WorkerLimits};
use crate::project::Project;

impl WorkerLimits {
    /// Default time limit of a case.
    const TIMEOUT: Duration = Duration::from_mins(1);

    /// Time limit of a case.
    pub fn timeout(&self) -> Duration {
        self.timeout.unwrap_or(Self::TIMEOUT)
    }

    /// Returns these limits; the project sets those that the command line does not.
    #[must_use]
    pub fn or_of(&self, project: Option<&Project>) -> Self {
        let timeout = self.timeout.or_else(|| project?.settings.timeout());
        Self { timeout, ..self.clone() }
    }
}

impl PoolOptions {
    /// Returns these options; the project sets those that the command line does not.
    #[must_use]
    pub fn or_of(&self, project: Option<&Project>) -> Self {
        let adapter = self.adapter.clone().or_else(|| project?.settings.adapter.clone());
        let workers = self.workers.or_of(project);
        Self { adapter, through: self.through.or_of(project), workers, ..self.clone() }
    }
}

impl ThroughOptions {
    /// Returns these compilers, or those of the project if the command line names none.
    #[must_use]
    pub fn or_of(&self, project: Option<&Project>) -> Self {
        match project {
            Some(Project { root, settings })
                if self.through.is_empty()
                    && (!settings.through.is_empty() || settings.through_language.is_some()) =>
            {
                Self {
                    through: settings.through.clone(),
                    through_language: self.through_language,
                    project: OfProject {
                        root: Some(root.clone()),
                        language: settings.through_language,
                        is_overridden: false,
                    },
                }
            }
            Some(_) | None => self.instead_of(project),
        }
    }

    /// Returns these compilers alone, also if the project's settings name others.
    #[must_use]
    pub fn instead_of(&self, project: Option<&Project>) -> Self {
        let is_overridden = project.is_some_and(|project| !project.settings.through.is_empty());
        let project = OfProject { is_overridden, ..OfProject::default() };
        Self { project, ..self.clone() }
    }
}

impl ListOptions {
    /// Returns these lists followed by those of the project.
    #[must_use]
    pub fn and_of(&self, project: Option<&Project>) -> Self {
        let Some(Project { root, settings }) = project else { return self.clone() };
        let join = |own: &[PathBuf], more: &[PathBuf]| {
            own.iter().cloned().chain(more.iter().map(|path| root.join(path))).collect()
        };
        Self {
            known_failures: join(&self.known_failures, &settings.known_failures),
            flakes: join(&self.flakes, &settings.flakes),
            skips: join(&self.skips, &settings.skips),
        }
    }
}
