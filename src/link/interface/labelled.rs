//! The interface in a buffer between two stages that are separate programs. A slot is a label, the producer writes all of
//! its outputs, and the consumer reads those that match. No profile places anything there.

use std::collections::BTreeSet;

use crate::LinkError;
use crate::interface::separable;
use crate::interface::separable::{Ends, LabelRules, LabelledRouting, Labels};
use crate::match_up::LinkRules;
use crate::place::routing::Routing;
use crate::table::shell::{Constant, Shell, Wire};
use ir::interface::{Interpolation, Place, Sampling, Variable};
use ir::linkage_table::LinkageTable;
use ir::options::ColorState;
use ir::profile::UnwrittenInput;
use ir::stage_module::StageModule;

use super::part::only;

/// The slots of an interface.
pub(super) struct Slots {
    /// Routes of the matched varyings.
    pub(super) routing: Routing,
    /// For each slot that the consumer reads, the index of the producer's slot.
    pub(super) sources: Vec<usize>,
    /// Slots that the producer writes, and those that the consumer reads.
    pub(super) used: [BTreeSet<u32>; 2],
}

/// True if every input that the consumer uses, of vertices and of patches, has an output that matches it.
pub(super) fn is_whole(producer: &StageModule, consumer: &StageModule, rules: LinkRules) -> bool {
    [false, true].into_iter().all(|is_patch| {
        let [outputs, inputs] = [(&producer.outputs, "output"), (&consumer.inputs, "input")]
            .map(|(all, side)| only(all, is_patch, side));
        separable::is_whole(&outputs, &inputs, rules)
    })
}

/// Places the varyings of vertices or those of patches, and fills the shells of both sides.
///
/// # Errors
/// Varyings of one stage overlap, or one has a type that cannot cross.
pub(super) fn connect(
    Ends { outputs, inputs, matching }: Ends<'_>,
    labels: &mut Labels,
    [producer, consumer]: [&mut Shell; 2],
    unwritten: UnwrittenInput,
) -> Result<Slots, LinkError> {
    let [outputs, inputs] = [outputs, inputs].map(|all| all.iter().map(flat).collect());
    let (outputs, inputs): (Vec<Variable>, Vec<Variable>) = (outputs, inputs);
    let ends = Ends { outputs: &outputs, inputs: &inputs, matching };
    // Tables of linkage are about the fragment stage.
    let rules = LabelRules { linkage: &LinkageTable::default(), colors: ColorState::default() };
    let LabelledRouting { routing, undefined } =
        separable::connect(ends, labels, rules, [&mut *producer, &mut *consumer])?;
    let source = |label: u32| {
        let written = producer.outputs.iter().position(|slot| slot.location == label);
        written.filter(|_| !undefined.contains(&label))
    };
    let used = [&producer.outputs, &consumer.inputs]
        .map(|side| side.iter().map(|slot| slot.location).collect());
    let sources: Vec<Option<usize>> =
        consumer.inputs.iter().map(|slot| source(slot.location)).collect();
    let sources = leave_written(consumer, &sources, unwritten);
    Ok(Slots { routing, sources, used })
}

/// A varying before a tessellation or geometry stage, where nothing is interpolated (C12).
fn flat(variable: &Variable) -> Variable {
    let (interpolation, sampling) = (Interpolation::Flat, Sampling::Center);
    Variable { interpolation, sampling, ..variable.clone() }
}

/// Removes the slots that have no source from the shell, and gives what is read there the value of `unwritten`. Returns
/// the sources that are left.
fn leave_written(
    consumer: &mut Shell,
    sources: &[Option<usize>],
    unwritten: UnwrittenInput,
) -> Vec<usize> {
    let numbers: Vec<Option<usize>> = sources
        .iter()
        .scan(0, |next, source| {
            let number = source.map(|_| *next);
            *next += usize::from(source.is_some());
            Some(number)
        })
        .collect();
    let mut kept = sources.iter().map(Option::is_some);
    consumer.inputs.retain(|_| kept.next().unwrap_or(false));
    for mut wire in std::mem::take(&mut consumer.input_wires) {
        match numbers[wire.components[0].0] {
            Some(_) => {
                for (slot, _) in &mut wire.components {
                    *slot = numbers[*slot].unwrap_or(0);
                }
                consumer.input_wires.push(wire);
            }
            None if unwritten == UnwrittenInput::ZeroOne => consumer.constants.extend(one(&wire)),
            None => {}
        }
    }
    sources.iter().copied().flatten().collect()
}

/// One in the last component of a slot; all others are zero, as globals are at first.
fn one(wire: &Wire) -> Option<Constant> {
    let last = wire.components.iter().position(|(_, component)| *component == 3)?;
    let index = u32::try_from(last).ok().filter(|_| wire.components.len() > 1);
    let path = wire.place.path.iter().copied().chain(index).collect();
    let place = Place { global: wire.place.global, path };
    Some(Constant { place, scalar: wire.scalar, bits: 1.0_f32.to_bits() })
}

#[cfg(test)]
mod tests {
    use crate::session::{StageObjects, link_objects};
    use crate::testing::stage;
    use crate::{LabelOptions, LinkOptions};
    use ir::stage::ShaderStage;

    /// Inputs without a partner between a control stage with these outputs and an evaluation stage with these inputs: those
    /// of vertices, and those of patches.
    #[track_caller]
    fn check(outputs: &str, inputs: &str, read: &str, expected: [&[&str]; 2]) {
        let vertex = "#version 450\nvoid main() { gl_Position = vec4(0.0); }";
        let control = format!(
            "#version 450\nlayout(vertices = 3) out;\n{outputs}\nvoid main() {{ a[gl_InvocationID] = b = 1.0; }}"
        );
        let evaluation = format!(
            "#version 450\nlayout(quads) in;\n{inputs}\nout float sum;\nvoid main() {{ sum = {read}; }}"
        );
        let stages = [
            (ShaderStage::Vertex, vertex),
            (ShaderStage::TessellationControl, &control),
            (ShaderStage::TessellationEvaluation, &evaluation),
        ]
        .map(|(kind, text)| [stage(kind, text)]);
        let objects: StageObjects<'_> =
            stages.iter().map(|one| (one[0].stage, one.as_slice())).collect();
        let numbers = stages.iter().map(|one| (one[0].stage, Some(0))).collect();
        let labels = LabelOptions { is_separable: true, ..LabelOptions::default() };
        let options = LinkOptions { labels, ..LinkOptions::default() };
        let linked = link_objects(objects, &[numbers], &options).expect("they link");
        let interfaces = &linked.programs[0].map.earlier;
        let of = |is_patch: bool| {
            let found = interfaces[1..].iter().find(|map| map.is_patch == is_patch);
            found.map(|found| found.map.mismatches.clone()).expect("both parts cross")
        };
        assert_eq!([of(false), of(true)], expected);
    }

    #[test]
    fn vertices_and_patches_are_one_interface() {
        let outputs = "out float a[]; patch out float b;";
        check(outputs, "in float a[]; patch in float b;", "a[0] + b", [&[], &[]]);
        check(outputs, "in float a[]; patch in float c;", "a[0] + c", [&["a"], &["c"]]);
        check(outputs, "in float c[]; patch in float b;", "c[0] + b", [&["c"], &["b"]]);
        check(outputs, "in float a[]; in float b[];", "a[0] + b[0]", [&["a", "b"], &[]]);
        check(outputs, "in float a[]; patch in float c;", "a[0]", [&[], &[]]);
        let placed = "layout(location = 3) out float a[]; patch out float b;";
        let inputs = "layout(location = 3) in float other[]; patch in float c;";
        check(placed, inputs, "other[0] + c", [&[], &["c"]]);
        // A location of vertices is none of patches.
        check(placed, "layout(location = 3) patch in float a;", "a", [&[], &["a"]]);
    }
}
