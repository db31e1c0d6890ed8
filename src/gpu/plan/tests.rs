//! Laws of planning.

use super::*;
