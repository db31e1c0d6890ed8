//! A table of the profiles, for printing.

use super::Profile;
use crate::semantic::ARBITRARY_LABELS;

/// Headings of the columns.
pub const COLUMNS: [&str; 9] = [
    "profile",
    "GENERIC labels",
    "vectors to the fragment stage",
    "vectors to earlier stages",
    "labels below this keep their slot",
    "mechanism",
    "rewritten stage",
    "two-sided colour by",
    "unwritten inputs",
];

/// A profile's row.
pub fn row(profile: Profile) -> [String; 9] {
    let traits = profile.traits();
    let or_adapter = |number: Option<u32>| {
        number.map_or_else(|| "the adapter's".to_owned(), |number| number.to_string())
    };
    let labels = match (traits.labels, traits.labels_with_back_colors) {
        (ARBITRARY_LABELS, _) => "any".to_owned(),
        (labels, same) if labels == same => labels.to_string(),
        (labels, fewer) => format!("{labels}, {fewer} beside BCOLOR"),
    };
    let two_sided = if traits.has_two_sided_colors { "hardware" } else { "fragment stage" };
    [
        profile.to_string(),
        labels,
        or_adapter(traits.slots),
        traits.earlier_slots.to_string(),
        or_adapter(traits.efficient),
        traits.mechanism.to_string(),
        traits.patched.to_string(),
        two_sided.to_owned(),
        traits.unwritten.to_string(),
    ]
}
