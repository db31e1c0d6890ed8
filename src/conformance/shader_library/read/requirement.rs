//! Reads `require`.

use ir::diagnostic::Diagnostic;
use ir::source::Spanned;

use super::Reader;
use crate::shader_library::syntax::{Extension, Need};
use crate::shader_library::token::Kind;

/// Words behind `require`.
const WORDS: [&str; 5] = [
    "extension",
    "limit",
    "full_glsl_es_100_support",
    "only_glsl_es_100_support",
    "exactly_one_draw_buffer",
];

/// GL's names of the limits that cases may name.
const LIMITS: [&str; 4] = [
    "GL_MAX_VERTEX_IMAGE_UNIFORMS",
    "GL_MAX_VERTEX_ATOMIC_COUNTERS",
    "GL_MAX_VERTEX_SHADER_STORAGE_BLOCKS",
    "GL_MAX_FRAGMENT_SHADER_STORAGE_BLOCKS",
];

impl Reader<'_> {
    /// `require …`. Without `needs`, only extensions are allowed.
    pub(super) fn require(
        &mut self,
        needs: Option<&mut Vec<Spanned<Need>>>,
        extensions: &mut Vec<Extension>,
    ) -> Result<(), Diagnostic> {
        self.advance();
        let word = self.token;
        if self.take("extension") {
            extensions.push(self.extension()?);
            return Ok(());
        }
        let need = match self.text(word) {
            "limit" => {
                self.advance();
                self.limit()?
            }
            "full_glsl_es_100_support" => Need::FullEs100,
            "only_glsl_es_100_support" => Need::OnlyEs100,
            "exactly_one_draw_buffer" => Need::OneDrawBuffer,
            _ => return Err(self.unknown("a requirement", &WORDS)),
        };
        if !matches!(need, Need::Limit { .. }) {
            self.advance();
        }
        let Some(needs) = needs else {
            let message = "a pipeline program requires only extensions";
            return Err(Diagnostic::error(word.span, message));
        };
        needs.push(Spanned::new(need, word.span));
        Ok(())
    }

    /// `{ "NAME" | "NAME" … } [in { STAGE, … }]`.
    fn extension(&mut self) -> Result<Extension, Diagnostic> {
        let start = self.need("{")?;
        let mut alternatives = vec![self.quoted("the name of an extension")?.value];
        while self.take("|") {
            alternatives.push(self.quoted("the name of an extension")?.value);
        }
        let span = start.to(self.need("}")?);
        let is_name = |name: &String| {
            name.starts_with("GL_")
                && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
        };
        if let Some(name) = alternatives.iter().find(|name| !is_name(name)) {
            return Err(Diagnostic::error(span, format!("`{name}` is no name of an extension")));
        }
        let stages = if self.take("in") {
            Some(self.stage_list()?.into_iter().map(|stage| stage.value).collect())
        } else {
            None
        };
        Ok(Extension { alternatives, stages, span })
    }

    /// `"NAME" > N`.
    fn limit(&mut self) -> Result<Need, Diagnostic> {
        let name = self.quoted("the name of a limit")?;
        if !LIMITS.contains(&&*name.value) {
            let message = format!("`{}` is no limit that a case may name", name.value);
            return Err(Diagnostic::error(name.span, message));
        }
        self.need(">")?;
        let value = self.need_kind(Kind::Integer, "a number")?;
        let above = self.text(value).parse().map_err(|_| {
            Diagnostic::error(value.span, format!("`{}` is out of range", self.text(value)))
        })?;
        Ok(Need::Limit { name: name.value, above })
    }
}
