//! The table of qualifiers that are keywords: the declarations that may have each, and how it is treated (GLSL 4.60
//! section 4.3 to 4.10).
//!
//! The table excludes combinations that no version allows. The other modules of the checker decide which version allows
//! the rest, for which types and in which stages.

use Site::{
    Builtin, BuiltinBlock, BuiltinMember, Constant, Function, Global, Input, InputBlock,
    InputMember, Known, Local, Output, OutputBlock, OutputMember, Parameter, Shared, StageBuffer,
    StageInput, StageOutput, StageUniform, StorageBlock, StorageMember, StructMember, Subroutine,
    SubroutineUniform, Uniform, UniformBlock, UniformMember,
};
use Treatment::{Carried, NoEffect};

use crate::ast::{BlockDeclaration, InterpolationWord, MemoryWord, Qualifiers, Storage};
use ir::precision::Precision;
use ir::source::Span;
use ir::treatment::Treatment;

use super::Checker;
use super::site::Site;

/// Qualifiers, the declarations that may have them, and their treatment.
#[derive(Debug)]
pub struct QualifierWords {
    /// The keywords of this row.
    pub words: &'static [&'static str],
    /// Declarations that may have the qualifiers.
    pub sites: &'static [Site],
    /// How the qualifiers are treated.
    pub treatment: Treatment,
}

const fn row(
    words: &'static [&'static str],
    sites: &'static [Site],
    treatment: Treatment,
) -> QualifierWords {
    QualifierWords { words, sites, treatment }
}

const OF_BLOCK: Treatment = NoEffect("a member can only have the storage of its block");
const READS: Treatment = NoEffect("it only forbids accesses");
const EXACT: Treatment =
    NoEffect("naga has no word for it: a driver may fuse operations; linker and executor do not");
const PRECISIONS: Treatment =
    NoEffect("an implementation may compute with more precision than it is asked for");
const VISIBLE: Treatment =
    NoEffect("only invocations that exchange plain values while they run could notice");
const ALIASES: Treatment = NoEffect("it promises that no other variable names the memory");

/// All qualifiers that are keywords.
#[rustfmt::skip]
const WORDS: &[QualifierWords] = &[
    row(&["const"], &[Constant, Local], Carried("module")),
    row(&["const"], &[Parameter], READS),
    row(&["in"], &[Input, InputBlock, Builtin, BuiltinBlock], Carried("inputs, builtins")),
    row(&["in"], &[InputMember], OF_BLOCK),
    row(&["in"], &[StageInput], Carried("geometry, tessellation, workgroup_size")),
    row(&["in"], &[Parameter], NoEffect("a parameter without a direction is an input")),
    row(&["out"], &[Output, OutputBlock, Builtin, BuiltinBlock], Carried("outputs, builtins")),
    row(&["out"], &[OutputMember], OF_BLOCK),
    row(&["out"], &[StageOutput], Carried("geometry, tessellation, xfb")),
    row(&["out", "inout"], &[Parameter], Carried("module")),
    row(&["attribute"], &[Input, Builtin], Carried("inputs")),
    row(&["varying"], &[Input, Output, Builtin], Carried("inputs, outputs")),
    row(&["uniform"], &[Uniform, SubroutineUniform, UniformBlock, StageUniform], Carried("uniforms")),
    row(&["uniform"], &[UniformMember], OF_BLOCK),
    row(&["buffer"], &[StorageBlock, StageBuffer], Carried("resources")),
    row(&["buffer"], &[StorageMember], OF_BLOCK),
    row(&["shared"], &[Shared], Carried("module")),
    row(&["subroutine"], &[Subroutine, SubroutineUniform], Carried("uniforms")),
    row(&["smooth", "flat", "noperspective", "centroid", "sample", "patch"], &[Input, InputBlock, InputMember],
        Carried("inputs")),
    row(&["smooth", "flat", "noperspective", "centroid", "sample", "patch"], &[Output, OutputBlock, OutputMember],
        Carried("outputs")),
    row(&["smooth", "flat", "noperspective", "centroid"], &[Builtin, BuiltinMember], Carried("inputs, outputs")),
    row(&["patch"], &[Builtin], NoEffect("the levels of a patch are its own without it")),
    row(&["invariant"], &[Input, InputMember], Carried("inputs")),
    row(&["invariant"], &[Output, OutputMember], Carried("outputs")),
    row(&["invariant"], &[Known, Builtin, BuiltinMember], Carried("outputs, invariant_builtins")),
    row(&["precise"], &[Input, InputMember, Output, OutputMember, Uniform, UniformMember, StorageMember, Shared,
        Constant, Global, Builtin, BuiltinMember, Function, Parameter, Local, Known], EXACT),
    row(&["lowp", "mediump", "highp"], &[Uniform], Carried("uniforms")),
    row(&["lowp", "mediump", "highp"], &[Input, InputMember], Carried("inputs")),
    row(&["lowp", "mediump", "highp"], &[Output, OutputMember], Carried("outputs")),
    row(&["lowp", "mediump", "highp"], &[SubroutineUniform, UniformMember,
        StorageMember, StructMember, Shared, Constant, Global, Builtin, BuiltinMember, Function, Subroutine,
        Parameter, Local], PRECISIONS),
    row(&["coherent", "volatile", "restrict", "readonly", "writeonly"], &[StorageBlock, StorageMember],
        Carried("declared_blocks")),
    row(&["coherent", "volatile"], &[Uniform, UniformBlock, UniformMember, Parameter], VISIBLE),
    row(&["restrict"], &[Uniform, UniformBlock, UniformMember, Parameter], ALIASES),
    row(&["readonly", "writeonly"], &[Uniform, UniformBlock, UniformMember, Parameter], READS),
];

/// All rows of the table.
pub fn qualifier_words() -> &'static [QualifierWords] {
    WORDS
}

impl Checker<'_> {
    /// Checks the qualifiers of a block and of its members.
    pub(super) fn check_block_words(&mut self, block: &BlockDeclaration, site: Site) {
        self.check_words(&block.qualifiers, site);
        if let Some(site) = site.members() {
            for member in &block.members {
                self.check_words(&member.ty.qualifiers, site);
            }
        }
    }

    /// Checks that declarations of this kind may have these qualifiers in some version.
    pub(super) fn check_words(&mut self, qualifiers: &Qualifiers, site: Site) {
        let words = words_of(qualifiers);
        for (idx, (word, span)) in words.iter().copied().enumerate() {
            // The parser counts those that the grammar accepts only once.
            if words.iter().take(idx).any(|(earlier, at)| *earlier == word && *at != span) {
                self.complain(span, format!("`{word}` is given twice"));
            }
            let is_row =
                |row: &&QualifierWords| row.words.contains(&word) && row.sites.contains(&site);
            if !WORDS.iter().any(|row| is_row(&row)) {
                self.complain(span, format!("`{word}` is not allowed here"));
            }
        }
    }
}

/// The keywords among the qualifiers. The struct is destructured exhaustively, so that no field is forgotten.
fn words_of(qualifiers: &Qualifiers) -> Vec<(&'static str, Span)> {
    let Qualifiers {
        storage,
        interpolation,
        is_centroid,
        is_sample,
        is_patch,
        is_invariant,
        is_precise,
        precision,
        memory,
        layout: _,
        subroutines: _,
        span,
    } = qualifiers;
    let flags = [
        (*is_centroid, "centroid"),
        (*is_sample, "sample"),
        (*is_patch, "patch"),
        (*is_invariant, "invariant"),
        (*is_precise, "precise"),
    ];
    let mut words: Vec<_> =
        storage.iter().map(|(storage, span)| (storage_word(*storage), *span)).collect();
    words.extend(interpolation.map(|(word, span)| (interpolation_word(word), span)));
    words.extend(flags.iter().filter(|(is_there, _)| *is_there).map(|(_, word)| (*word, *span)));
    words.extend(precision.map(|precision| (precision_word(precision), *span)));
    words.extend(memory.iter().map(|word| (memory_word(*word), *span)));
    words
}

const fn storage_word(storage: Storage) -> &'static str {
    match storage {
        Storage::Const => "const",
        Storage::In => "in",
        Storage::Out => "out",
        Storage::InOut => "inout",
        Storage::Attribute => "attribute",
        Storage::Varying => "varying",
        Storage::Uniform => "uniform",
        Storage::Buffer => "buffer",
        Storage::Shared => "shared",
        Storage::Subroutine => "subroutine",
    }
}

const fn interpolation_word(word: InterpolationWord) -> &'static str {
    match word {
        InterpolationWord::Smooth => "smooth",
        InterpolationWord::Flat => "flat",
        InterpolationWord::NoPerspective => "noperspective",
    }
}

const fn precision_word(precision: Precision) -> &'static str {
    match precision {
        Precision::Low => "lowp",
        Precision::Medium => "mediump",
        Precision::High => "highp",
    }
}

const fn memory_word(word: MemoryWord) -> &'static str {
    match word {
        MemoryWord::Coherent => "coherent",
        MemoryWord::Volatile => "volatile",
        MemoryWord::Restrict => "restrict",
        MemoryWord::ReadOnly => "readonly",
        MemoryWord::WriteOnly => "writeonly",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::check::tests::check;
    use crate::word::all_keywords;
    use ir::stage::ShaderStage::{Compute, Fragment, Vertex};

    /// F40
    #[test]
    fn qualifiers_have_their_places() {
        check("450", Vertex, "flat float f();", "`flat` is not allowed here [flat]");
        check("450", Vertex, "void f(patch float a);", "`patch` is not allowed here [patch]");
        check("450", Vertex, "void f() { in float a; }", "`in` is not allowed here [in]");
        check(
            "450",
            Vertex,
            "void f() { while (in bool b = false) {} }",
            "`in` is not allowed here [in]",
        );
        check(
            "300 es",
            Vertex,
            "invariant uniform B { mediump float x; };",
            "`invariant` is not allowed here [invariant uniform]",
        );
        check("450", Vertex, "flat uniform B { float x; };", "`flat` is not allowed here [flat]");
        check("450", Vertex, "out vec4 a; flat a;", "`flat` is not allowed here [flat]");
        check(
            "450",
            Compute,
            "flat layout(local_size_x = 1) in;",
            "`flat` is not allowed here [flat]",
        );
        check(
            "450",
            Fragment,
            "precise float f(precise float a) { precise float b = a; return b; }",
            "",
        );
    }

    #[test]
    fn every_keyword_is_in_the_table_or_no_qualifier() {
        const OTHERS: &[&str] = &[
            "break",
            "case",
            "continue",
            "default",
            "discard",
            "do",
            "else",
            "false",
            "for",
            "if",
            "layout",
            "precision",
            "return",
            "struct",
            "switch",
            "terminateInvocation",
            "true",
            "unsigned",
            "while",
        ];
        for word in all_keywords() {
            let is_qualifier = WORDS.iter().any(|row| row.words.contains(&word));
            assert_ne!(is_qualifier, OTHERS.contains(&word), "{word}");
        }
    }
}
