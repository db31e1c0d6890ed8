//! `use` with names of stage objects.

use crate::Setting;
use crate::read::line::Words;
use crate::read::problem::Parsed;
use crate::read::stage_names;

/// The words after the command.
pub(super) const WORDS: &str = "VERTEX [CONTROL] [EVALUATION] [GEOMETRY] [FRAGMENT]";

/// Reads the rest of the line.
pub(super) fn read(words: &mut Words<'_>) -> Parsed<Setting> {
    stage_names::read(words).map(Setting::Use)
}

#[cfg(test)]
mod tests {
    use expect_test::expect;
    use ir::stage::ShaderStage;

    use crate::UsedStages;
    use crate::read::commands::tests::{check, check_error};

    use super::*;

    #[test]
    fn every_later_stage_may_be_missing() {
        let stages = |geometry: Option<&str>, fragment: Option<&str>| {
            let later = [(ShaderStage::Geometry, geometry), (ShaderStage::Fragment, fragment)];
            let later =
                later.into_iter().filter_map(|(stage, name)| Some((stage, name?.to_owned())));
            Setting::Use(UsedStages::new("a".to_owned(), later))
        };
        check("use a", stages(None, None));
        check("use a c", stages(None, Some("c")));
        check("use a b c", stages(Some("b"), Some("c")));
        check_error(
            "use",
            &expect![[r"
            missing the name of a vertex stage (usage: use VERTEX [CONTROL] [EVALUATION] [GEOMETRY] [FRAGMENT])
            use
            ^^^"]],
        );
        check_error(
            "use a b c d e f",
            &expect![[r"
            words are left
            use a b c d e f
                          ^"]],
        );
    }
}
