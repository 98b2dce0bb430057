//! The control word: bits 105 to 125 of every instruction.
//!
//! Observed on words of ptxas 13.0.88 for sm_75 to sm_121 and on what nvdisasm 13.5 accepts: the layout is the same on all.

/// Scheduling information of one instruction.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Control {
    /// Cycles until the next instruction of the warp may issue, 0 to 15 (bits 105 to 108).
    pub stall: u8,
    /// Bit 109. Set: keep issuing from this warp. Clear: prefer another warp, and reuse flags have no meaning.
    pub keep_issuing: bool,
    /// Scoreboard that counts down when the result is written, 0 to 5 (bits 110 to 112).
    pub write_scoreboard: Option<u8>,
    /// Scoreboard that counts down when the sources have been read, 0 to 5 (bits 113 to 115).
    pub read_scoreboard: Option<u8>,
    /// Scoreboards to wait for before issue, one bit each (bits 116 to 121).
    pub wait_mask: u8,
    /// Operand reuse-cache flags (bits 122 to 125).
    pub reuse: u8,
}

impl Control {
    /// No stall beyond one cycle, no scoreboards, no waits.
    pub const NONE: Control = Control {
        stall: 1,
        keep_issuing: true,
        write_scoreboard: None,
        read_scoreboard: None,
        wait_mask: 0,
        reuse: 0,
    };

    /// All bits of the control word.
    pub const MASK: u128 = 0x1f_ffff << 105;

    /// Reads the control word of `word`. Scoreboard numbers 6 (never seen) and 7 (none) are told apart by [`Control::write`]
    /// only through the word itself: 6 reads as `Some(6)`.
    pub fn read(word: u128) -> Control {
        let bits = (word >> 105) as u32;
        let scoreboard = |n: u32| (n & 7 != 7).then_some((n & 7) as u8);
        Control {
            stall: (bits & 15) as u8,
            keep_issuing: bits >> 4 & 1 != 0,
            write_scoreboard: scoreboard(bits >> 5),
            read_scoreboard: scoreboard(bits >> 8),
            wait_mask: (bits >> 11 & 0x3f) as u8,
            reuse: (bits >> 17 & 0xf) as u8,
        }
    }

    /// `word` with this control word.
    pub fn write(self, word: u128) -> u128 {
        let scoreboard = |n: Option<u8>| u32::from(n.unwrap_or(7) & 7);
        let bits = u32::from(self.stall & 15)
            | u32::from(self.keep_issuing) << 4
            | scoreboard(self.write_scoreboard) << 5
            | scoreboard(self.read_scoreboard) << 8
            | u32::from(self.wait_mask & 0x3f) << 11
            | u32::from(self.reuse & 0xf) << 17;
        word & !Control::MASK | u128::from(bits) << 105
    }

    /// Whether the stall number and the keep-issuing bit, read as one number, are legal: 0 to 15 and 17 to 27 are.
    pub fn stall_is_legal(self) -> bool {
        !self.keep_issuing || (1..=11).contains(&self.stall)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_word_of_ptxas() {
        let word = 0x000fca00000000000000000400067309;
        let control = Control::read(word);
        assert_eq!(control.stall, 5);
        assert!(!control.keep_issuing);
        assert_eq!((control.write_scoreboard, control.read_scoreboard), (None, None));
        assert_eq!((control.wait_mask, control.reuse), (0, 0));
        assert_eq!(control.write(word), word);
    }
}
