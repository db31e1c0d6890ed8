//! Computes the results of transform feedback expectations from the records that were read back.

use std::sync::Arc;

use crate::xfb::assembly::{Assembly, Content};
use crate::{ExecuteError, XfbEvent};
use ir::readback::Snapshot;
use link::compute::xfb::Xfb;

use super::agreement::compare;
use super::emitted::{presence, present, words};

/// Stores the results of transform feedback expectations in `captures`. `xfbs` are those of the programs,
/// `snapshots` those of the plan.
///
/// # Errors
/// If the two methods of transform feedback disagree: an error of the step that draws.
pub fn replay(
    xfbs: &[Option<&Xfb>],
    events: &[XfbEvent],
    snapshots: &[Option<Snapshot>],
    captures: &mut [Option<Snapshot>],
) -> Result<(), ExecuteError> {
    let mut assembly = Assembly::default();
    for planned in events {
        let mut records = Vec::new();
        let Some((event, presence)) = known(*planned, snapshots) else {
            // Another message reports the failure.
            return Ok(());
        };
        match &event {
            XfbEvent::Draw { step, program, vertices, stream, records: Some(pair), .. } => {
                let Some(xfb) = xfbs.get(*program).copied().flatten() else { continue };
                let [Some(function), Some(slots)] = pair.map(|idx| words(snapshots, idx)) else {
                    return Ok(());
                };
                let size = vertices.saturating_mul(xfb.stride) as usize;
                let own = |records: Vec<u32>| match &presence {
                    Some(presence) => present(&records, size, presence),
                    None => records,
                };
                let (function, slots) = (own(function), own(slots));
                compare(xfb, *stream, &function, &slots)
                    .map_err(|misfit| ExecuteError::Step { step: *step, misfit })?;
                records = function;
            }
            XfbEvent::Probe { step, number } => {
                let content = assembly.buffer(*number).map(bytes);
                if let Some(place) = captures.get_mut(*step) {
                    *place = content.map(|bytes| Snapshot::Buffer(Arc::new(bytes)));
                }
            }
            XfbEvent::Count { step, query } => {
                if let Some(place) = captures.get_mut(*step) {
                    *place = Some(Snapshot::Count(assembly.count(*query)));
                }
            }
            XfbEvent::Buffer { .. }
            | XfbEvent::Range { .. }
            | XfbEvent::Begin
            | XfbEvent::Draw { records: None, .. }
            | XfbEvent::Paused { .. } => {}
        }
        assembly.apply(xfbs, &event, |fill| fill, |at| records.get(at).copied());
    }
    Ok(())
}

/// Completes an event with its number of primitives, and with which of the planned ones these are if that was unknown.
/// `None` if the entries were not read back.
fn known(event: XfbEvent, snapshots: &[Option<Snapshot>]) -> Option<(XfbEvent, Option<Vec<bool>>)> {
    let Some(entries) = event.entries() else { return Some((event, None)) };
    let presence = presence(entries, snapshots)?;
    let primitives = presence.iter().filter(|is_there| **is_there).count();
    let primitives = u32::try_from(primitives).unwrap_or(u32::MAX);
    Some((event.with_primitives(primitives), Some(presence)))
}

/// Bytes of a buffer; the last word may be incomplete.
fn bytes(buffer: &Content<u32>) -> Vec<u8> {
    let words = buffer.words.iter().flat_map(|word| word.to_le_bytes());
    let rest = buffer.fill.to_le_bytes().into_iter().take(buffer.size % 4);
    words.chain(rest).collect()
}

#[cfg(test)]
mod tests {
    use case::xfb::XfbQuery;
    use link::compute::xfb::{Buffer, Run, TimesW};

    use crate::xfb::EmittedEntries;

    use super::*;

    /// Transform feedback of runs (buffer, word, count) into buffers with these strides.
    fn xfb(runs: &[(u32, u32, u32)], strides: &[u32]) -> Xfb {
        let mut record_word = 0;
        let run = |(buffer, word, count): &(u32, u32, u32)| {
            let first = record_word;
            record_word += count;
            Run {
                name: "a".into(),
                record_word: first,
                buffer: *buffer,
                word: *word,
                count: *count,
            }
        };
        let runs: Vec<Run> = runs.iter().map(run).collect();
        let buffer = |(number, stride): (u32, &u32)| Buffer {
            number,
            stride: *stride,
            is_active: true,
            stream: 0,
        };
        let buffers = (0..).zip(strides).map(buffer).collect();
        Xfb { buffers, runs, times_w: TimesW::default(), stride: record_word }
    }

    fn snapshot(words: &[u32]) -> Snapshot {
        Snapshot::Buffer(Arc::new(words.iter().flat_map(|word| word.to_le_bytes()).collect()))
    }

    /// Checks the words of both buffers, and the numbers of primitives, after draws of the records 1, 2, 3, ….
    #[track_caller]
    fn check(xfb: &Xfb, sizes: &[u32], draws: &[(u32, u32)], expected: (&[&[u32]], [u32; 2])) {
        let sized =
            |(number, size): (u32, &u32)| XfbEvent::Buffer { number, size: size * 4, fill: 0 };
        let mut events: Vec<_> = (0..).zip(sizes).map(sized).collect();
        events.push(XfbEvent::Begin);
        let (mut snapshots, mut next) = (Vec::new(), 1);
        for (vertices, primitives) in draws {
            let count = vertices * primitives * xfb.stride;
            let words: Vec<u32> = (next..next + count).collect();
            next += count;
            let idx = snapshots.len();
            snapshots.push(Some(snapshot(&words)));
            events.push(XfbEvent::Draw {
                step: 0,
                program: 0,
                vertices: *vertices,
                primitives: *primitives,
                records: Some([idx, idx]),
                stream: 0,
                entries: None,
            });
        }
        let probe = |number: u32| XfbEvent::Probe { step: number as usize, number };
        let count = u32::try_from(sizes.len()).expect("few");
        events.extend((0..count).map(probe));
        let queries = [XfbQuery::Generated, XfbQuery::Written];
        events.extend(
            queries
                .into_iter()
                .zip(sizes.len()..)
                .map(|(query, step)| XfbEvent::Count { step, query }),
        );
        let mut captures = vec![None; sizes.len() + 2];
        replay(&[Some(xfb)], &events, &snapshots, &mut captures).expect("the ways agree");
        let buffers: Vec<_> =
            (0..sizes.len()).map(|idx| words(&captures, idx).expect("a buffer")).collect();
        assert_eq!(buffers, expected.0);
        let counts = [0, 1].map(|idx| captures[sizes.len() + idx].clone());
        assert_eq!(counts, expected.1.map(|count| Some(Snapshot::Count(count))));
    }

    #[test]
    fn draws_append_and_gaps_stay() {
        let gaps = xfb(&[(0, 0, 1), (0, 2, 1)], &[4]);
        check(&gaps, &[10], &[(1, 1), (1, 1)], (&[&[1, 0, 2, 0, 3, 0, 4, 0, 0, 0]], [2, 2]));
    }

    /// The last primitive that fits is complete, and the gap after its last vertex may be missing.
    #[test]
    fn a_primitive_is_written_as_a_whole_or_not_at_all() {
        let one = xfb(&[(0, 0, 1)], &[1]);
        check(&one, &[5], &[(2, 3)], (&[&[1, 2, 3, 4, 0]], [3, 2]));
        check(&one, &[2], &[(3, 1)], (&[&[0, 0]], [1, 0]));
        let gap = xfb(&[(0, 0, 1)], &[4]);
        check(&gap, &[5], &[(1, 3)], (&[&[1, 0, 0, 0, 2]], [3, 2]));
    }

    #[test]
    fn the_smallest_buffer_decides_for_all() {
        let two = xfb(&[(0, 0, 1), (1, 0, 2)], &[1, 2]);
        check(&two, &[9, 4], &[(1, 4)], (&[&[1, 4, 0, 0, 0, 0, 0, 0, 0], &[2, 3, 5, 6]], [4, 2]));
        check(&two, &[1, 9], &[(1, 4)], (&[&[1], &[2, 3, 0, 0, 0, 0, 0, 0, 0]], [4, 1]));
    }

    #[test]
    fn a_range_moves_and_limits_what_is_written() {
        let xfb = xfb(&[(0, 0, 1), (1, 0, 1)], &[1, 1]);
        let range =
            |number, offset: u32| XfbEvent::Range { number, of: 0, offset: offset * 4, size: 8 };
        let events = [
            XfbEvent::Buffer { number: 0, size: 32, fill: 9 },
            range(0, 5),
            range(1, 1),
            XfbEvent::Begin,
            XfbEvent::Draw {
                step: 0,
                program: 0,
                vertices: 1,
                primitives: 3,
                records: Some([0, 0]),
                stream: 0,
                entries: None,
            },
            XfbEvent::Probe { step: 0, number: 0 },
            XfbEvent::Count { step: 1, query: XfbQuery::Written },
        ];
        let (records, mut captures) = ([Some(snapshot(&[1, 2, 3, 4, 5, 6]))], vec![None; 2]);
        replay(&[Some(&xfb)], &events, &records, &mut captures).expect("the ways agree");
        assert_eq!(words(&captures, 0), Some(vec![9, 2, 4, 9, 9, 1, 3, 9]));
        assert_eq!(captures[1], Some(Snapshot::Count(2)));
    }

    #[test]
    fn a_range_ends_where_its_buffer_ends() {
        let xfb = xfb(&[(1, 0, 1)], &[0, 1]);
        let buffer = |size| XfbEvent::Buffer { number: 0, size, fill: 9 };
        let (vertices, primitives, records) = (1, 4, Some([0, 0]));
        let events = [
            buffer(32),
            XfbEvent::Range { number: 1, of: 0, offset: 4, size: 16 },
            buffer(12),
            XfbEvent::Begin,
            XfbEvent::Draw {
                step: 0,
                program: 0,
                vertices,
                primitives,
                stream: 0,
                records,
                entries: None,
            },
            XfbEvent::Probe { step: 0, number: 0 },
            XfbEvent::Count { step: 1, query: XfbQuery::Written },
        ];
        let (records, mut captures) = ([Some(snapshot(&[1, 2, 3, 4]))], vec![None; 2]);
        replay(&[Some(&xfb)], &events, &records, &mut captures).expect("the ways agree");
        assert_eq!(words(&captures, 0), Some(vec![9, 1, 2]));
        assert_eq!(captures[1], Some(Snapshot::Count(2)));
    }

    /// The first and the third of four lines were not emitted.
    #[test]
    fn primitives_without_vertices_are_not_there() {
        let xfb = xfb(&[(0, 0, 1)], &[1]);
        let entries = Some(EmittedEntries { snapshot: 0, first: 1, count: 8, vertices: 2 });
        let none = link::table::binding::NO_VERTEX;
        let entry_words = [none, none, none, 20, 21, none, none, 22, 23, 24];
        let records = [[1, 2, 3, 4, 5, 6, 7, 8], [0, 0, 3, 4, 0, 0, 7, 8]];
        let mut snapshots = vec![Some(snapshot(&entry_words))];
        snapshots.extend(records.map(|words| Some(snapshot(&words))));
        let (step, program, vertices, primitives, records) = (0, 0, 2, 4, Some([1, 2]));
        let count = |step, query| XfbEvent::Count { step, query };
        let events = [
            XfbEvent::Buffer { number: 0, size: 24, fill: 9 },
            XfbEvent::Begin,
            XfbEvent::Draw { step, program, vertices, primitives, stream: 0, records, entries },
            XfbEvent::Paused { primitives, entries },
            XfbEvent::Probe { step: 0, number: 0 },
            count(1, XfbQuery::Generated),
            count(2, XfbQuery::Written),
        ];
        let mut captures = vec![None; 3];
        replay(&[Some(&xfb)], &events, &snapshots, &mut captures).expect("the ways agree");
        assert_eq!(words(&captures, 0), Some(vec![3, 4, 7, 8, 9, 9]));
        assert_eq!(captures[1..], [4, 2].map(|count| Some(Snapshot::Count(count))));
    }

    /// Records hold a word of each stream; those of another stream may differ.
    #[test]
    fn a_full_buffer_stops_its_own_stream_alone() {
        let mut xfb = xfb(&[(0, 0, 1), (1, 0, 1)], &[1, 1]);
        xfb.buffers[1].stream = 2;
        let records = [
            [1, 90, 2, 90, 3, 90],
            [1, 91, 2, 91, 3, 91],
            [90, 4, 90, 5, 90, 6],
            [91, 4, 91, 5, 91, 6],
        ];
        let snapshots = records.map(|words| Some(snapshot(&words)));
        let draw = |stream, records| {
            let (step, program, vertices, primitives, entries) = (0, 0, 1, 3, None);
            let records = Some(records);
            XfbEvent::Draw { step, program, vertices, primitives, stream, records, entries }
        };
        let buffer = |number, size| XfbEvent::Buffer { number, size, fill: 9 };
        let probe = |step: u32| XfbEvent::Probe { step: step as usize, number: step };
        let count = |step, query| XfbEvent::Count { step, query };
        let events = [
            buffer(0, 4),
            buffer(1, 16),
            XfbEvent::Begin,
            draw(0, [0, 1]),
            draw(2, [2, 3]),
            probe(0),
            probe(1),
            count(2, XfbQuery::Generated),
            count(3, XfbQuery::Written),
        ];
        let mut captures = vec![None; 4];
        replay(&[Some(&xfb)], &events, &snapshots, &mut captures).expect("the ways agree");
        assert_eq!([0, 1].map(|idx| words(&captures, idx)), [vec![1], vec![4, 5, 6, 9]].map(Some));
        assert_eq!(captures[2..], [3, 1].map(|count| Some(Snapshot::Count(count))));
    }

    #[test]
    fn ways_that_differ_are_a_fault_of_the_draw() {
        let xfb = xfb(&[(0, 0, 3)], &[3]);
        let snapshots =
            [[1, 2, 3, 4, 5, 6], [1, 2, 3, 4, 7, 6]].map(|words| Some(snapshot(&words)));
        let draw = XfbEvent::Draw {
            step: 5,
            program: 0,
            vertices: 1,
            primitives: 2,
            records: Some([0, 1]),
            stream: 0,
            entries: None,
        };
        let error = replay(&[Some(&xfb)], &[draw], &snapshots, &mut []);
        let Err(ExecuteError::Step { step: 5, misfit }) = error else { panic!("{error:?}") };
        let expected = "word 1 of `a` in vertex 1 is 0x00000007 in the packed slots, and 0x00000005 before packing";
        assert_eq!(misfit.0, expected);
    }
}
