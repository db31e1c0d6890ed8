//! `AmberScript` and `VkScript`: the scripts of Amber and VkRunner, read into one syntax tree.

pub mod syntax;
