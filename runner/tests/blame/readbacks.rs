//! Faults in readbacks.

use std::sync::Arc;

use interstage::ir::readback::{Image, Readback, Snapshot};

/// Applies `change` to all snapshots. True if it changed one.
fn each(readback: &mut Readback, mut change: impl FnMut(&mut Snapshot) -> bool) -> bool {
    let all = readback.snapshots.iter_mut().flatten();
    all.fold(false, |is_changed, snapshot| change(snapshot) | is_changed)
}

/// Changes the texels of all images: `change` gets them with width and height.
fn images(readback: &mut Readback, change: impl Fn(&mut Vec<Vec<u8>>, usize, usize)) -> bool {
    each(readback, |snapshot| {
        let Snapshot::Image(image) = snapshot else { return false };
        let mut own = Image::clone(image);
        let bytes = own.format.bytes_per_texel();
        let mut texels: Vec<Vec<u8>> = own.bytes.chunks(bytes).map(<[u8]>::to_vec).collect();
        let side = |side: u32| usize::try_from(side).expect("a small image");
        change(&mut texels, side(own.width), side(own.height));
        own.bytes = texels.concat();
        *image = Arc::new(own);
        true
    })
}

pub(crate) fn one_texel(readback: &mut Readback) -> bool {
    images(readback, |texels, _, _| {
        let middle = texels.len() / 2;
        if let Some(last) = texels.get_mut(middle).and_then(|texel| texel.first_mut()) {
            *last ^= 0x55;
        }
    })
}

pub(crate) fn upside_down(readback: &mut Readback) -> bool {
    images(readback, |texels, width, _| {
        let rows: Vec<_> = texels.chunks(width.max(1)).rev().map(<[_]>::to_vec).collect();
        *texels = rows.concat();
    })
}

pub(crate) fn mirrored(readback: &mut Readback) -> bool {
    images(readback, |texels, width, _| {
        texels.chunks_mut(width.max(1)).for_each(<[_]>::reverse);
    })
}

pub(crate) fn red_and_blue(readback: &mut Readback) -> bool {
    images(readback, |texels, _, _| {
        for texel in texels {
            let channel = texel.len() / 4;
            for byte in 0..channel {
                texel.swap(byte, 2 * channel + byte);
            }
        }
    })
}

pub(crate) fn nothing(readback: &mut Readback) -> bool {
    images(readback, |texels, _, _| texels.iter_mut().for_each(|texel| texel.fill(0)))
}

pub(crate) fn a_column_late(readback: &mut Readback) -> bool {
    images(readback, |texels, width, _| {
        texels.chunks_mut(width.max(1)).for_each(|row| row.rotate_right(1));
    })
}

pub(crate) fn without_last_row(readback: &mut Readback) -> bool {
    images(readback, |texels, width, _| {
        texels.iter_mut().rev().take(width).for_each(|texel| texel.fill(0));
    })
}

pub(crate) fn without_alpha(readback: &mut Readback) -> bool {
    images(readback, |texels, _, _| {
        for texel in texels {
            let channel = texel.len() / 4;
            texel.iter_mut().rev().take(channel).for_each(|byte| *byte = 0);
        }
    })
}

pub(crate) fn one_word(readback: &mut Readback) -> bool {
    each(readback, |snapshot| {
        let Snapshot::Buffer(bytes) = snapshot else { return false };
        let mut own = bytes.to_vec();
        if let Some(byte) = own.get_mut(2) {
            *byte ^= 0x55;
        }
        *bytes = Arc::new(own);
        true
    })
}

pub(crate) fn one_more(readback: &mut Readback) -> bool {
    each(readback, |snapshot| {
        let Snapshot::Count(count) = snapshot else { return false };
        *count += 1;
        true
    })
}
