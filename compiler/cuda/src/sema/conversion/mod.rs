//! Conversions ([conv], [over.best.ics]).
//!
//! | module | idea |
//! |---|---|
//! | [`arithmetic`] | promotions, the common type of two operands, types of literals |
//! | [`standard`] | standard conversion sequences and which of two is better |
//! | [`implicit`] | implicit conversion sequences: references, user-defined conversions, lists |
//! | [`user`] | user-defined conversions |
//! | [`apply`] | the expressions that a sequence stands for |

pub(crate) mod apply;
pub(crate) mod arithmetic;
pub(crate) mod implicit;
pub(crate) mod standard;
mod user;
