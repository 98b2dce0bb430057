//! Random programs as what [`warpsmith_reduce`] makes smaller: with the launch that belongs to the text.

pub use warpsmith_reduce::{Language, Subject, reduce};

use crate::differential::Program;

impl Subject for Program {
    fn text(&self) -> String {
        self.body()
    }

    fn with_text(&self, text: &str) -> Program {
        Program::new(self, text)
    }

    fn extra(&self) -> usize {
        (self.grid * self.block) as usize
    }

    /// Fewer threads, another input.
    fn changes() -> &'static [fn(&mut Program)] {
        &[
            |shape| (shape.grid, shape.block) = (1, 1),
            |shape| shape.grid = 1,
            |shape| shape.block = 1,
            |shape| shape.block = shape.block.min(2),
            |shape| shape.block = shape.block.min(32),
            |shape| shape.block = (shape.block / 2).max(1),
            |shape| shape.seed = 0,
        ]
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[test]
    fn the_launch_becomes_smaller_too() {
        let shape = Program::read("// launch: grid 4 block 64").expect("a line");
        let program = Program::new(&shape, "a;\nadd.u32 %r3, %r2, 77;\n");
        let test = |program: &Program| program.text.contains("add") && program.grid > 1;
        let (small, _) = reduce(Language::Ptx, &program, Duration::from_secs(5), &test);
        assert_eq!(small.body(), "    add %r3, 0, 0;\n");
        assert_eq!((small.grid, small.block), (4, 1));
    }
}
