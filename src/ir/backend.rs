//! The GPU interfaces through which adapters are accessed.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

/// The interface through which an adapter is accessed, in the order in which adapters are listed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Backend {
    /// Vulkan.
    Vulkan,
    /// Metal.
    Metal,
    /// Direct3D 12.
    Dx12,
    /// OpenGL or OpenGL ES.
    Gl,
    /// No GPU interface: the executor, on the CPU.
    Cpu,
}

impl Backend {
    /// All backends.
    pub const ALL: [Self; 5] = [Self::Vulkan, Self::Metal, Self::Dx12, Self::Gl, Self::Cpu];

    /// The backend's name for users, cases and result files.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Vulkan => "vulkan",
            Self::Metal => "metal",
            Self::Dx12 => "dx12",
            Self::Gl => "gl",
            Self::Cpu => "cpu",
        }
    }
}

/// The user's fault: a name that is no backend's.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("unknown backend `{0}`; backends are `vulkan`, `metal`, `dx12`, `gl` and `cpu`")]
pub struct UnknownBackend(pub String);

impl FromStr for Backend {
    type Err = UnknownBackend;

    fn from_str(name: &str) -> Result<Self, UnknownBackend> {
        let found = Self::ALL.into_iter().find(|backend| backend.name() == name);
        found.ok_or_else(|| UnknownBackend(name.to_owned()))
    }
}

impl fmt::Display for Backend {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_name_is_read_back_and_an_unknown_one_is_told_the_known() {
        for backend in Backend::ALL {
            assert_eq!(backend.to_string().parse(), Ok(backend));
        }
        let message = "vulcan".parse::<Backend>().map_err(|error| error.to_string()).unwrap_err();
        for backend in Backend::ALL {
            assert!(message.contains(&format!("`{backend}`")), "{message}");
        }
    }
}
