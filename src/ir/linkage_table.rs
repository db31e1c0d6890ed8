//! The linkage table connects pairs of different labels of the vertex and fragment stages (second open issue of the
//! gallium proposal of April 2010: a state object for linkage other than the identity).
//!
//! An output named by a line goes only to that line's input, and an input named by a line reads only that line's
//! output. Every other label matches its equal. Each stage keeps its own labels, and a profile's rules and limits
//! apply to those.

use std::borrow::Cow;
use std::ops::Range;

use crate::diagnostic::Diagnostic;
use crate::source::Spanned;
use crate::stage::stage_module::StageModule;

use super::interface::Variable;
use super::semantic::Semantic;

/// A line of the table: an output's label, and the label of the input that reads it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LinkageLine {
    /// Label in the vertex stage.
    pub output: Semantic,
    /// Label in the fragment stage.
    pub input: Semantic,
}

/// The whole table. A label occurs at most once on each side.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LinkageTable {
    /// The lines, in file order.
    pub lines: Vec<Spanned<LinkageLine>>,
}

/// Flag in the key of an input that no output feeds.
const UNFED: u32 = 1 << 31;

impl LinkageTable {
    /// True if every label matches its equal.
    pub fn is_empty(&self) -> bool {
        self.lines.is_empty()
    }

    /// Keys of all labels in the table.
    pub fn keys(&self) -> impl Iterator<Item = u32> + '_ {
        self.lines.iter().flat_map(|line| [line.value.output.key(), line.value.input.key()])
    }

    /// Key of the output that an input reads; `None` if the output with the same label feeds another input.
    pub fn output_of(&self, input: u32) -> Option<u32> {
        let is_elsewhere = || self.line_of_output(input).is_some();
        self.line_of_input(input).or_else(|| (!is_elsewhere()).then_some(input))
    }

    /// Key of the input that reads an output; `None` if the input with the same label reads another output.
    fn input_of(&self, output: u32) -> Option<u32> {
        let is_taken = || self.line_of_input(output).is_some();
        self.line_of_output(output).or_else(|| (!is_taken()).then_some(output))
    }

    /// Key in the vertex stage that is paired with an input's: [`Self::output_of`], or an unused label if there is
    /// none. The pairing is one-to-one, so that it also maps slots that the packer places at a label which a line
    /// redirects.
    pub fn paired_output(&self, input: u32) -> u32 {
        if let Some(output) = self.output_of(input) {
            return output;
        }
        // Follows the lines to the label that no line continues from.
        let mut key = input;
        while let Some(next) = self.line_of_output(key) {
            key = next;
        }
        key
    }

    /// Key in the fragment stage that is paired with an output's: the inverse of [`Self::paired_output`].
    pub fn paired_input(&self, output: u32) -> u32 {
        if let Some(input) = self.input_of(output) {
            return input;
        }
        let mut key = output;
        while let Some(before) = self.line_of_input(key) {
            key = before;
        }
        key
    }

    /// The inputs, with the labels of the outputs that they read.
    pub fn seen_from_outputs<'a>(&self, inputs: &'a [Variable]) -> Cow<'a, [Variable]> {
        if self.is_empty() {
            return Cow::Borrowed(inputs);
        }
        let seen = |input: &Variable| {
            let output = |key: u32| self.output_of(key).unwrap_or(UNFED | key);
            Variable { location: input.location.map(output), ..input.clone() }
        };
        Cow::Owned(inputs.iter().map(seen).collect())
    }

    /// Checks the lines against all stages that may be paired.
    ///
    /// # Errors
    /// If no stage has a label that a line names, or if a line moves only part of a variable.
    pub fn check<'a>(
        &self,
        producers: impl Iterator<Item = &'a StageModule> + Clone,
        consumers: impl Iterator<Item = &'a StageModule> + Clone,
    ) -> Result<(), Vec<Diagnostic>> {
        let outputs = || producers.clone().flat_map(|stage| &stage.outputs);
        let inputs = || consumers.clone().flat_map(|stage| &stage.inputs);
        let mut errors = Vec::new();
        for line in &self.lines {
            let LinkageLine { output, input } = line.value;
            if !outputs().any(|line| keys_of(line).contains(&output.key())) {
                let message = format!("no vertex stage has an output `{output}`");
                errors.push(Diagnostic::error(line.span, message));
            }
            if !inputs().any(|line| keys_of(line).contains(&input.key())) {
                let message = format!("no fragment stage has an input `{input}`");
                errors.push(Diagnostic::error(line.span, message));
            }
        }
        let torn_outputs = outputs().filter(|line| is_torn(line, |key| self.input_of(key)));
        let torn_inputs = inputs().filter(|line| is_torn(line, |key| self.output_of(key)));
        errors.extend(torn_outputs.chain(torn_inputs).map(torn));
        if errors.is_empty() { Ok(()) } else { Err(errors) }
    }

    /// Key of the input in the line with this output.
    fn line_of_output(&self, output: u32) -> Option<u32> {
        let line = self.lines.iter().find(|line| line.value.output.key() == output)?;
        Some(line.value.input.key())
    }

    /// Key of the output in the line with this input.
    fn line_of_input(&self, input: u32) -> Option<u32> {
        let line = self.lines.iter().find(|line| line.value.input.key() == input)?;
        Some(line.value.output.key())
    }
}

/// Keys of a variable's labels; empty without an explicit location.
fn keys_of(variable: &Variable) -> Range<u32> {
    let first = variable.location.unwrap_or(0);
    let count = variable.location.map_or(0, |_| variable.ty.leaves().len());
    first..first.saturating_add(u32::try_from(count).unwrap_or(u32::MAX))
}

/// True if a variable's labels do not stay consecutive.
fn is_torn(variable: &Variable, partner: impl Fn(u32) -> Option<u32>) -> bool {
    let keys = keys_of(variable);
    let first = partner(keys.start);
    keys.zip(0..).any(|(key, offset)| partner(key) != first.map(|key| key.saturating_add(offset)))
}

fn torn(variable: &Variable) -> Diagnostic {
    let keys = keys_of(variable);
    let [first, last] = [keys.start, keys.end.saturating_sub(1)].map(Semantic::of_key);
    let message = format!(
        "`{}` has the labels `{first}` to `{last}`, and the linkage does not keep them together",
        variable.name
    );
    Diagnostic::error(variable.span, message)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use crate::source::Span;

    use super::*;

    fn table(lines: &[(u32, u32)]) -> LinkageTable {
        let line = |(output, input): &(u32, u32)| {
            let (output, input) = (Semantic::generic(*output), Semantic::generic(*input));
            Spanned::new(LinkageLine { output, input }, Span::new(0, 0))
        };
        LinkageTable { lines: lines.iter().map(line).collect() }
    }

    #[test]
    fn a_label_that_a_line_names_meets_nothing_else() {
        let table = table(&[(3, 7)]);
        let met = [3, 7, 5].map(|input| table.output_of(input));
        assert_eq!(met, [None, Some(3), Some(5)]);
        let met = [3, 7, 5].map(|output| table.input_of(output));
        assert_eq!(met, [Some(7), None, Some(5)]);
        // Unused labels are paired with each other.
        assert_eq!((table.paired_output(3), table.paired_input(7)), (7, 3));
    }

    #[test]
    fn labels_may_change_places_and_follow_one_another() {
        let swapped = table(&[(1, 2), (2, 1)]);
        assert_eq!([1, 2].map(|input| swapped.output_of(input)), [Some(2), Some(1)]);
        let chain = table(&[(1, 2), (2, 3), (3, 4)]);
        let met = [1, 2, 3, 4].map(|input| chain.output_of(input));
        assert_eq!(met, [None, Some(1), Some(2), Some(3)]);
        assert_eq!((chain.paired_output(1), chain.paired_input(4)), (4, 1));
    }

    proptest! {
        /// For any table, every label is paired with exactly one of the other stage.
        #[test]
        fn pairs_are_one_to_one(
            outputs in Just((0..8).collect::<Vec<u32>>()).prop_shuffle(),
            inputs in Just((0..8).collect::<Vec<u32>>()).prop_shuffle(),
            count in 0usize..8,
        ) {
            let lines: Vec<_> = outputs.into_iter().zip(inputs).take(count).collect();
            let table = table(&lines);
            for key in 0..8 {
                prop_assert_eq!(table.paired_input(table.paired_output(key)), key);
                prop_assert!(table.output_of(key).is_none_or(|found| found == table.paired_output(key)));
                prop_assert!(table.input_of(key).is_none_or(|found| found == table.paired_input(key)));
            }
        }
    }
}
