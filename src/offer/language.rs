//! The versions of GLSL that the GL backend writes.

/// A version of GLSL that naga writes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Language {
    /// The version number: 330 for 3.30.
    pub number: u16,
    /// True for GLSL ES.
    pub is_es: bool,
}

impl Language {
    /// The language of a driver that calls itself `3.3 (Core Profile) Mesa 22.3.6` or `OpenGL ES 3.2 Mesa 22.3.6`. From
    /// GL 3.3 and ES 3.0 on, GL and GLSL versions correspond; wgpu writes at most 4.50.
    pub fn of_driver(version: &str) -> Option<Self> {
        let is_es = version.contains("ES");
        let start = version.find(|first: char| first.is_ascii_digit())?;
        let mut digits = version.get(start..)?.split(['.', ' ']);
        let major: u16 = digits.next()?.parse().ok()?;
        let minor: u16 = digits.next()?.parse().ok()?;
        let number = major.checked_mul(100)?.checked_add(minor.checked_mul(10)?)?;
        Some(Self { number: if is_es { number } else { number.min(450) }, is_es })
    }

    /// True if naga writes explicit bindings of buffers and textures in this version. Otherwise wgpu sets them by name,
    /// unless the driver has compute stages. Memory barriers exist in the same versions.
    pub const fn has_bindings(self) -> bool {
        self.number >= if self.is_es { 310 } else { 420 }
    }

    /// True if the language has arrays of arrays.
    pub const fn has_arrays_of_arrays(self) -> bool {
        self.number >= if self.is_es { 310 } else { 430 }
    }

    /// True if the language has layouts of `gl_FragDepth` without an extension.
    pub const fn has_conservative_depth(self) -> bool {
        !self.is_es && self.number >= 420
    }

    /// True if `mix` takes vectors of integers and booleans.
    pub const fn mixes_integers(self) -> bool {
        self.number >= if self.is_es { 310 } else { 450 }
    }

    /// True if the language has `textureGather`.
    pub const fn gathers(self) -> bool {
        self.number >= if self.is_es { 310 } else { 400 }
    }

    /// True if everything that naga can write in this version exists in all other versions too.
    pub const fn is_complete(self) -> bool {
        !self.is_es && self.number >= 430
    }
}

impl std::fmt::Display for Language {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let es = if self.is_es { " ES" } else { "" };
        write!(f, "GLSL{es} {}.{:02}", self.number / 100, self.number % 100)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn drivers_tell_their_language() {
        let check = |version: &str, expected: Option<&str>| {
            let found = Language::of_driver(version).map(|language| language.to_string());
            assert_eq!(found.as_deref(), expected, "{version}");
        };
        check("3.3 (Core Profile) Mesa 22.3.6", Some("GLSL 3.30"));
        check("4.6.0 NVIDIA 550.54", Some("GLSL 4.50"));
        check("OpenGL ES 3.1 Mesa 22.3.6", Some("GLSL ES 3.10"));
        check("none", None);
    }
}
