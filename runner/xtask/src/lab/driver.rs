//! The drivers of the lab, and how each is selected.

use std::path::Path;

/// A driver.
pub(super) struct Driver {
    /// Name in options and file names.
    pub(super) name: &'static str,
    /// Description.
    pub(super) what: &'static str,
    /// Value for `--adapter`.
    pub(super) adapter: &'static str,
    /// The Vulkan driver to load.
    pub(super) place: Place,
    /// Additional environment variables.
    variables: &'static [(&'static str, &'static str)],
}

/// Location of a Vulkan driver.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Place {
    /// Any installed driver.
    Any,
    /// Mesa's.
    Lavapipe,
    /// Chromium's.
    SwiftShader,
}

const fn vulkan(name: &'static str, what: &'static str, place: Place) -> Driver {
    Driver { name, what, adapter: "vulkan", place, variables: &[] }
}

const fn gl(
    name: &'static str,
    what: &'static str,
    variables: &'static [(&'static str, &'static str)],
) -> Driver {
    Driver { name, what, adapter: "gl", place: Place::Any, variables }
}

/// Makes Mesa ignore GPU drivers.
const SOFTWARE: (&str, &str) = ("LIBGL_ALWAYS_SOFTWARE", "true");

/// All drivers; the others are compared with the first.
pub(super) const DRIVERS: [Driver; 12] = [
    vulkan("lavapipe", "Mesa's Vulkan driver", Place::Lavapipe),
    vulkan("swiftshader", "Chromium's Vulkan driver", Place::SwiftShader),
    gl("llvmpipe", "Mesa's GL driver", &[SOFTWARE, ("GALLIUM_DRIVER", "llvmpipe")]),
    gl(
        "softpipe",
        "Mesa's GL driver without LLVM, an interpreter: GL 3.3",
        &[SOFTWARE, ("GALLIUM_DRIVER", "softpipe")],
    ),
    Driver {
        place: Place::Lavapipe,
        ..gl("zink", "GL on lavapipe", &[SOFTWARE, ("MESA_LOADER_DRIVER_OVERRIDE", "zink")])
    },
    gl(
        "gl46",
        "llvmpipe as GL 4.6",
        &[
            SOFTWARE,
            ("GALLIUM_DRIVER", "llvmpipe"),
            ("MESA_GL_VERSION_OVERRIDE", "4.6"),
            ("MESA_GLSL_VERSION_OVERRIDE", "460"),
        ],
    ),
    gl(
        "gl42",
        "llvmpipe as GL 4.2",
        &[
            SOFTWARE,
            ("GALLIUM_DRIVER", "llvmpipe"),
            ("MESA_GL_VERSION_OVERRIDE", "4.2"),
            ("MESA_GLSL_VERSION_OVERRIDE", "420"),
        ],
    ),
    gl(
        "gl33",
        "llvmpipe as GL 3.3",
        &[
            SOFTWARE,
            ("GALLIUM_DRIVER", "llvmpipe"),
            ("MESA_GL_VERSION_OVERRIDE", "3.3"),
            ("MESA_GLSL_VERSION_OVERRIDE", "330"),
        ],
    ),
    gl(
        "noblend",
        "llvmpipe without blending of single targets",
        &[
            SOFTWARE,
            ("GALLIUM_DRIVER", "llvmpipe"),
            ("MESA_EXTENSION_OVERRIDE", "-GL_ARB_draw_buffers_blend"),
        ],
    ),
    gl(
        "gles32",
        "llvmpipe as GL ES 3.2",
        // wgpu falls back to ES if GL 3.3 is rejected.
        &[
            SOFTWARE,
            ("GALLIUM_DRIVER", "llvmpipe"),
            ("MESA_GL_VERSION_OVERRIDE", "2.1"),
            ("MESA_GLES_VERSION_OVERRIDE", "3.2"),
        ],
    ),
    gl(
        "gles31",
        "llvmpipe as GL ES 3.1",
        // wgpu falls back to ES if GL 3.3 is rejected.
        &[
            SOFTWARE,
            ("GALLIUM_DRIVER", "llvmpipe"),
            ("MESA_GL_VERSION_OVERRIDE", "2.1"),
            ("MESA_GLES_VERSION_OVERRIDE", "3.1"),
        ],
    ),
    gl(
        "gles30",
        "llvmpipe as GL ES 3.0",
        // wgpu falls back to ES if GL 3.3 is rejected.
        &[
            SOFTWARE,
            ("GALLIUM_DRIVER", "llvmpipe"),
            ("MESA_GL_VERSION_OVERRIDE", "2.1"),
            ("MESA_GLES_VERSION_OVERRIDE", "3.0"),
        ],
    ),
];

impl Driver {
    /// Part of the adapter's name by which the driver is known, in lower case.
    pub(super) fn part_of_name(&self) -> &'static str {
        match self.name {
            "softpipe" | "zink" | "swiftshader" => self.name,
            _ => "llvmpipe",
        }
    }

    /// Environment variables that select it, in the system below `root` or in this one.
    ///
    /// # Errors
    /// The driver is not installed.
    pub(super) fn environment(
        &self,
        root: Option<&Path>,
    ) -> Result<Vec<(&'static str, String)>, String> {
        let own = self.variables.iter().map(|(name, value)| (*name, (*value).to_owned()));
        let mut all: Vec<_> = own.collect();
        if let Some(file) = super::vulkan_file(self.place, root)? {
            let file = file.display().to_string();
            // Older loaders use the second name.
            all.extend(["VK_DRIVER_FILES", "VK_ICD_FILENAMES"].map(|name| (name, file.clone())));
        }
        Ok(all)
    }
}
