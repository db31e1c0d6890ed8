//! The drivers of the lab, and how each is selected.

use std::path::Path;

/// A driver of the lab.
pub(super) struct Driver {
    /// Name of the driver in options and file names.
    pub(super) name: &'static str,
    /// Description of the driver.
    pub(super) what: &'static str,
    /// Value for `--adapter`.
    pub(super) adapter: &'static str,
    /// The Vulkan driver to load.
    pub(super) place: Place,
    /// Additional environment variables.
    variables: &'static [(&'static str, &'static str)],
    /// The processor for which the driver generates code.
    processor: Processor,
}

/// Instruction set that a driver generates code for, if it is not this machine's.
#[derive(Clone, Copy, Debug)]
struct Processor {
    /// Environment variable and value.
    variable: Option<(&'static str, &'static str)>,
    /// Lower-case part of the adapter's title that shows that the setting is in force.
    part_of_title: &'static str,
    /// Known fault that ends the driver's process in many or all cases.
    fault: Option<&'static str>,
}

/// The instruction set of this machine.
const NATIVE: Processor = Processor { variable: None, part_of_title: "", fault: None };

/// At most these vector instructions.
const SSE2: Processor = instructions("sse2", "128 bits");
const SSE41: Processor = instructions("sse4.1", "128 bits");
const AVX: Processor = instructions("avx", "256 bits");
/// Vectors of this width, whatever the processor supports.
const WIDTH_128: Processor =
    width("128", "128 bits", "corrupts its heap where the processor has longer vectors");
const WIDTH_512: Processor =
    width("512", "512 bits", "crashes in the code for tiles that are covered completely");

const fn instructions(newest: &'static str, part_of_title: &'static str) -> Processor {
    let variable = Some(("GALLIUM_OVERRIDE_CPU_CAPS", newest));
    Processor { variable, part_of_title, fault: None }
}

const fn width(bits: &'static str, part_of_title: &'static str, fault: &'static str) -> Processor {
    let variable = Some(("LP_NATIVE_VECTOR_WIDTH", bits));
    Processor { variable, part_of_title, fault: Some(fault) }
}

/// Location of a Vulkan driver.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Place {
    /// Any installed driver.
    Any,
    /// Mesa's driver.
    Lavapipe,
    /// Chromium's driver.
    SwiftShader,
}

const fn vulkan(name: &'static str, what: &'static str, place: Place) -> Driver {
    Driver { name, what, adapter: "vulkan", place, variables: &[], processor: NATIVE }
}

const fn lavapipe(name: &'static str, what: &'static str, processor: Processor) -> Driver {
    Driver { processor, ..vulkan(name, what, Place::Lavapipe) }
}

const fn llvmpipe(name: &'static str, what: &'static str, processor: Processor) -> Driver {
    Driver { processor, ..gl(name, what, LLVMPIPE) }
}

const fn gl(
    name: &'static str,
    what: &'static str,
    variables: &'static [(&'static str, &'static str)],
) -> Driver {
    Driver { name, what, adapter: "gl", place: Place::Any, variables, processor: NATIVE }
}

/// Makes Mesa ignore GPU drivers.
const SOFTWARE: (&str, &str) = ("LIBGL_ALWAYS_SOFTWARE", "true");

const LLVMPIPE: &[(&str, &str)] = &[SOFTWARE, ("GALLIUM_DRIVER", "llvmpipe")];

/// All drivers; the first is the one that the others are compared with.
pub(super) const DRIVERS: [Driver; 22] = [
    lavapipe("lavapipe", "Mesa's Vulkan driver", NATIVE),
    lavapipe("lavapipe-sse2", "lavapipe for processors with SSE2", SSE2),
    lavapipe("lavapipe-sse4.1", "lavapipe for processors with SSE4.1", SSE41),
    lavapipe("lavapipe-avx", "lavapipe for processors with AVX", AVX),
    lavapipe("lavapipe-128", "lavapipe with vectors of 128 bits", WIDTH_128),
    lavapipe("lavapipe-512", "lavapipe with vectors of 512 bits", WIDTH_512),
    vulkan("swiftshader", "Chromium's Vulkan driver", Place::SwiftShader),
    llvmpipe("llvmpipe", "Mesa's GL driver", NATIVE),
    llvmpipe("llvmpipe-sse2", "llvmpipe for processors with SSE2", SSE2),
    llvmpipe("llvmpipe-sse4.1", "llvmpipe for processors with SSE4.1", SSE41),
    llvmpipe("llvmpipe-avx", "llvmpipe for processors with AVX", AVX),
    llvmpipe("llvmpipe-128", "llvmpipe with vectors of 128 bits", WIDTH_128),
    llvmpipe("llvmpipe-512", "llvmpipe with vectors of 512 bits", WIDTH_512),
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
    /// Lower-case parts of the adapter's title that identify the driver and the instruction set.
    pub(super) fn parts_of_title(&self) -> [&'static str; 2] {
        let driver = match self.name {
            "softpipe" | "zink" | "swiftshader" => self.name,
            _ => "llvmpipe",
        };
        [driver, self.processor.part_of_title]
    }

    /// Known fault because of which a run may end early or not start.
    pub(super) const fn fault(&self) -> Option<&'static str> {
        self.processor.fault
    }

    /// Environment variables that select the driver, in the system below `root` or in this one.
    ///
    /// # Errors
    /// The driver is not installed.
    pub(super) fn environment(
        &self,
        root: Option<&Path>,
    ) -> Result<Vec<(&'static str, String)>, String> {
        let own = self.variables.iter().chain(&self.processor.variable);
        let own = own.map(|(name, value)| (*name, (*value).to_owned()));
        let mut all: Vec<_> = own.collect();
        if let Some(file) = super::vulkan_file(self.place, root)? {
            let file = file.display().to_string();
            // Older loaders use the second name.
            all.extend(["VK_DRIVER_FILES", "VK_ICD_FILENAMES"].map(|name| (name, file.clone())));
        }
        Ok(all)
    }
}
