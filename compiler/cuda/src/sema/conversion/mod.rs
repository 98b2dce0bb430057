//! Conversions ([conv], [over.best.ics]).
//!
//! | module | idea |
//! |---|---|
//! | [`arithmetic`] | promotions, the common type of two operands, types of literals |
//! | [`standard`] | standard conversion sequences and which of two is better |

pub(crate) mod arithmetic;
pub(crate) mod standard;
