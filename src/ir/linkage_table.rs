//! The linkage table: which label of the vertex stage a label of the fragment stage reads, where that is not its own
//! (second open issue of the gallium proposal of April 2010: a state object for linkage that is not the identity).
//!
//! An output that a line names goes where the line says and nowhere else, and an input that a line names reads nothing
//! else. Every other label meets its equal. Each stage keeps its own labels: a profile's rules, and limits of labels, are
//! about those.

use std::borrow::Cow;
use std::ops::Range;

use crate::diagnostic::Diagnostic;
use crate::source::Spanned;
use crate::stage_module::StageModule;

use super::interface::Variable;
use super::semantic::Semantic;

/// A line: an output's label, and the label of the input that reads it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LinkageLine {
    /// In the vertex stage.
    pub output: Semantic,
    /// In the fragment stage.
    pub input: Semantic,
}

/// All lines. No label stands on one side of two of them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LinkageTable {
    /// The lines, in file order.
    pub lines: Vec<Spanned<LinkageLine>>,
}

/// Added to the key of an input that nobody feeds: no output is there.
const UNFED: u32 = 1 << 30;

impl LinkageTable {
    /// Whether every label meets its equal.
    pub fn is_empty(&self) -> bool {
        self.lines.is_empty()
    }

    /// The keys of all labels that lines name.
    pub fn keys(&self) -> impl Iterator<Item = u32> + '_ {
        self.lines.iter().flat_map(|line| [line.value.output.key(), line.value.input.key()])
    }

    /// The key of the output that an input reads; none where the output of its own label goes elsewhere.
    pub fn output_of(&self, input: u32) -> Option<u32> {
        let is_elsewhere = || self.line_of_output(input).is_some();
        self.line_of_input(input).or_else(|| (!is_elsewhere()).then_some(input))
    }

    /// The key of the input that reads an output; none where the input of its own label reads another.
    fn input_of(&self, output: u32) -> Option<u32> {
        let is_taken = || self.line_of_input(output).is_some();
        self.line_of_output(output).or_else(|| (!is_taken()).then_some(output))
    }

    /// The key that stands for an input's in the vertex stage: [`Self::output_of`], and where there is none, one that is
    /// left over. No two inputs have the same. What the packer puts at a label that a line takes away is found so.
    pub fn paired_output(&self, input: u32) -> u32 {
        if let Some(output) = self.output_of(input) {
            return output;
        }
        // Along the lines to the label that none leads on from.
        let mut key = input;
        while let Some(next) = self.line_of_output(key) {
            key = next;
        }
        key
    }

    /// The inverse of [`Self::paired_output`].
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

    /// The inputs with the labels of the outputs that they read.
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

    /// Checks the lines against all stages that may meet.
    ///
    /// # Errors
    /// When no stage has a label that a line names, or a line moves a part of a variable only.
    pub fn check(
        &self,
        vertex: &[StageModule],
        fragment: &[StageModule],
    ) -> Result<(), Vec<Diagnostic>> {
        let outputs = || vertex.iter().flat_map(|stage| &stage.outputs);
        let inputs = || fragment.iter().flat_map(|stage| &stage.inputs);
        let mut errors = Vec::new();
        for line in &self.lines {
            let LinkageLine { output, input } = line.value;
            if !outputs().any(|it| keys_of(it).contains(&output.key())) {
                let message = format!("no vertex stage has an output `{output}`");
                errors.push(Diagnostic::error(line.span, message));
            }
            if !inputs().any(|it| keys_of(it).contains(&input.key())) {
                let message = format!("no fragment stage has an input `{input}`");
                errors.push(Diagnostic::error(line.span, message));
            }
        }
        let torn_outputs = outputs().filter(|it| is_torn(it, |key| self.input_of(key)));
        let torn_inputs = inputs().filter(|it| is_torn(it, |key| self.output_of(key)));
        errors.extend(torn_outputs.chain(torn_inputs).map(torn));
        if errors.is_empty() { Ok(()) } else { Err(errors) }
    }

    /// The input of the line with this output.
    fn line_of_output(&self, output: u32) -> Option<u32> {
        let line = self.lines.iter().find(|line| line.value.output.key() == output)?;
        Some(line.value.input.key())
    }

    /// The output of the line with this input.
    fn line_of_input(&self, input: u32) -> Option<u32> {
        let line = self.lines.iter().find(|line| line.value.input.key() == input)?;
        Some(line.value.output.key())
    }
}

/// The keys of a variable's labels; none where it has no explicit one.
fn keys_of(variable: &Variable) -> Range<u32> {
    let first = variable.location.unwrap_or(0);
    let count = variable.location.map_or(0, |_| variable.ty.leaves().len());
    first..first.saturating_add(u32::try_from(count).unwrap_or(u32::MAX))
}

/// Whether a variable's labels do not stay together.
fn is_torn(variable: &Variable, partner: impl Fn(u32) -> Option<u32>) -> bool {
    let keys = keys_of(variable);
    let first = partner(keys.start);
    keys.zip(0..).any(|(key, offset)| partner(key) != first.map(|it| it.saturating_add(offset)))
}

fn torn(variable: &Variable) -> Diagnostic {
    let keys = keys_of(variable);
    let [first, last] = [keys.start, keys.end.saturating_sub(1)].map(Semantic::of_key);
    let message = format!(
        "`{}` has the labels `{first}` to `{last}`, and the linkage does not keep them together",
        variable.name
    );
    Diagnostic::error(variable.span.unwrap_or_default(), message)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use crate::source::Span;

    use super::*;

    fn table(lines: &[(u32, u32)]) -> LinkageTable {
        let line = |(output, input): &(u32, u32)| {
            let (output, input) = (Semantic::generic(*output), Semantic::generic(*input));
            Spanned::new(LinkageLine { output, input }, Span::default())
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
        // What is left over stands for one another.
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
        /// Whatever a table says, every label stands for one of the other stage, and for one alone.
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
                prop_assert!(table.output_of(key).is_none_or(|it| it == table.paired_output(key)));
                prop_assert!(table.input_of(key).is_none_or(|it| it == table.paired_input(key)));
            }
        }
    }
}
