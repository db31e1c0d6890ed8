//! Declarations of uniform and storage blocks in GLSL.
//!
//! All declarations of one block, in the shader objects of a stage and in the stages of a program, must agree in every
//! property (GLSL 4.60 section 4.3.9). Properties are kept as written: `shared` and `std140` may have the same memory
//! layout, but are different packings.

use crate::diagnostic::counted;
use crate::interface::Type;
use crate::source::Span;

/// One declaration of a block.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DeclaredBlock {
    /// The block's name.
    pub name: String,
    /// Uniform or storage block.
    pub kind: BlockKind,
    /// True if the block has an instance name, through which its members are accessed.
    pub has_instance_name: bool,
    /// Sizes of an array of blocks, the outermost first; empty for a single block.
    pub dimensions: Vec<u32>,
    /// Packing qualifier, such as `std140`.
    pub packing: PackingWord,
    /// True if its matrices are row-major unless a member says otherwise; it also counts for a block without matrices.
    pub is_row_major: bool,
    /// `binding`; 0 if not given.
    pub binding: u32,
    /// The members, in order.
    pub members: Vec<DeclaredMember>,
    /// Span of the block's name.
    pub span: Span,
}

/// Kind of a block.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum BlockKind {
    /// `uniform`
    Uniform,
    /// `buffer`
    Storage,
}

/// A member of a block.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DeclaredMember {
    /// The member's name.
    pub name: String,
    /// The member's type. Struct names matter; an array without a size has one element.
    pub ty: Type,
    /// True if the member is an array whose size depends on the buffer's.
    pub is_open: bool,
    /// True if the member's matrices are `row_major`; false without matrices.
    pub is_row_major: bool,
    /// `offset` of the member.
    pub offset: Option<u32>,
    /// `align`, of the member or of the block.
    pub align: Option<u32>,
    /// `coherent`, `volatile`, `restrict`, `readonly` and `writeonly`, in this order.
    pub memory: [bool; 5],
}

/// Packing qualifier of a block.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum PackingWord {
    /// `shared`, the default.
    #[default]
    Shared,
    /// `packed`
    Packed,
    /// `std140`
    Std140,
    /// `std430`
    Std430,
    /// `scalar`
    Scalar,
}

impl PackingWord {
    /// The packing with this keyword.
    pub fn from_word(word: &str) -> Option<Self> {
        let all = [Self::Shared, Self::Packed, Self::Std140, Self::Std430, Self::Scalar];
        all.into_iter().find(|packing| packing.word() == word)
    }

    const fn word(self) -> &'static str {
        match self {
            Self::Shared => "shared",
            Self::Packed => "packed",
            Self::Std140 => "std140",
            Self::Std430 => "std430",
            Self::Scalar => "scalar",
        }
    }
}

impl DeclaredBlock {
    /// Describes the first property that differs from an `earlier` declaration of the same block: a sentence to which
    /// the caller appends the position of the earlier one.
    pub fn difference(&self, earlier: &Self) -> Option<String> {
        let name = &self.name;
        if self.packing != earlier.packing {
            let (here, there) = (self.packing.word(), earlier.packing.word());
            return Some(format!("block `{name}` is `{here}` here but `{there}`"));
        }
        if self.is_row_major != earlier.is_row_major {
            let (here, there) = (order(self.is_row_major), order(earlier.is_row_major));
            return Some(format!("block `{name}` is {here} here but {there}"));
        }
        if self.has_instance_name != earlier.has_instance_name {
            let one = |has_it: bool| if has_it { "an" } else { "no" };
            let (here, there) = (one(self.has_instance_name), one(earlier.has_instance_name));
            return Some(format!(
                "block `{name}` has {here} instance name here but {there} instance name"
            ));
        }
        if self.dimensions != earlier.dimensions {
            let (here, there) = (shown(&self.dimensions), shown(&earlier.dimensions));
            return Some(format!("block `{name}` is {here} here but {there}"));
        }
        if self.binding != earlier.binding {
            let (here, there) = (self.binding, earlier.binding);
            return Some(format!("block `{name}` has binding {here} here but {there}"));
        }
        if self.members.len() != earlier.members.len() {
            let (here, there) = (counted(self.members.len(), "member"), earlier.members.len());
            return Some(format!("block `{name}` has {here} here but {there}"));
        }
        let mut pairs = self.members.iter().zip(&earlier.members);
        pairs.find_map(|(member, other)| member.difference(name, other))
    }
}

/// Word for the order of matrices.
const fn order(is_row_major: bool) -> &'static str {
    if is_row_major { "row-major" } else { "column-major" }
}

impl DeclaredMember {
    /// True if the member has `offset` or `align`. With an `offset`, a matching `align` changes nothing.
    const fn is_placed(&self) -> bool {
        self.offset.is_some() || self.align.is_some()
    }

    fn difference(&self, block: &str, earlier: &Self) -> Option<String> {
        let name = &self.name;
        if self.name != earlier.name {
            return Some(format!(
                "block `{block}` has the member `{name}` here but `{}`",
                earlier.name
            ));
        }
        if self.ty != earlier.ty {
            return Some(format!("`{block}.{name}` is {} here but {}", self.ty, earlier.ty));
        }
        if self.is_open != earlier.is_open {
            let size = |is_open: bool| if is_open { "no" } else { "a" };
            let (here, there) = (size(self.is_open), size(earlier.is_open));
            return Some(format!("`{block}.{name}` has {here} size here but {there} size"));
        }
        if self.is_row_major != earlier.is_row_major {
            let (here, there) = (order(self.is_row_major), order(earlier.is_row_major));
            return Some(format!("`{block}.{name}` is {here} here but {there}"));
        }
        let offsets = [self.offset, earlier.offset];
        let differ = matches!(offsets, [Some(here), Some(there)] if here != there);
        if differ || self.is_placed() != earlier.is_placed() {
            return Some(format!("`{block}.{name}` has another `offset` or `align` here than"));
        }
        let mut words = MEMORY_WORDS.iter().zip(self.memory.iter().zip(&earlier.memory));
        let (word, (is_here, _)) = words.find(|(_, (here, there))| here != there)?;
        let (here, there) = if *is_here { ("", "not ") } else { ("not ", "") };
        Some(format!("`{block}.{name}` is {here}`{word}` here but {there}so"))
    }
}

/// Names in the order of [`DeclaredMember::memory`].
const MEMORY_WORDS: [&str; 5] = ["coherent", "volatile", "restrict", "readonly", "writeonly"];

/// Formats as `a single block`, or `an array of [2][3] blocks`.
fn shown(dimensions: &[u32]) -> String {
    if dimensions.is_empty() {
        return "a single block".to_owned();
    }
    let sizes: Vec<String> = dimensions.iter().map(|size| format!("[{size}]")).collect();
    format!("an array of {} blocks", sizes.concat())
}
