//! Whose fault it is that nothing was made.

use crate::fault;

/// Whose fault it is that an input gives no output.
///
/// Of several the last in this order counts: what else is wrong with a program says little once Warpsmith itself has failed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Cause {
    /// Something in the input is not supported; nothing else is known to be wrong with it.
    Unsupported,
    /// The input is wrong: it breaks a rule of its language, asks for more than the machine has, or names what is nowhere.
    Input,
    /// Warpsmith's own: a check has found a mistake.
    Internal,
}

impl Cause {
    /// The cause of what a pass says that works on correct input: either this is a mistake of Warpsmith's, which [`fault::internal`] put into words, or
    /// something that the pass cannot do.
    pub fn of_pass(message: &str) -> Cause {
        match fault::told(message) {
            Some(_) => Cause::Internal,
            None => Cause::Unsupported,
        }
    }
}
