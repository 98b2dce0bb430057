//! Blocks and records as bits.

/// What stands in a block.
#[derive(Clone, Debug)]
pub(super) enum Node {
    Record(u32, Vec<u64>),
    Block(u32, Vec<Node>),
    /// A record of code 1 with bytes alone.
    Bytes(Vec<u8>),
}

/// The width of abbreviation numbers. There is one at most: that for bytes.
const WIDTH: u32 = 3;

/// A file of blocks, behind the magic number.
pub(super) fn file(magic: &[u8], blocks: &[Node]) -> Vec<u8> {
    let mut bits = Bits {
        bytes: magic.to_vec(),
        pending: 0,
        count: 0,
    };
    for block in blocks {
        bits.node(block, 2);
    }
    bits.align();
    bits.bytes
}

struct Bits {
    bytes: Vec<u8>,
    pending: u64,
    /// How many bits are pending, below 8.
    count: u32,
}

impl Bits {
    fn fixed(&mut self, value: u64, width: u32) {
        // In two parts, so that nothing is shifted out.
        for (part, width) in [
            (value & 0xffff_ffff, width.min(32)),
            (value >> 32, width.saturating_sub(32)),
        ] {
            self.pending |= (part & ((1 << width) - 1)) << self.count;
            self.count += width;
            while self.count >= 8 {
                self.bytes.push(self.pending as u8);
                self.pending >>= 8;
                self.count -= 8;
            }
        }
    }

    fn variable(&mut self, mut value: u64, width: u32) {
        let more = 1u64 << (width - 1);
        while value >= more {
            self.fixed(value & (more - 1) | more, width);
            value >>= width - 1;
        }
        self.fixed(value, width);
    }

    fn align(&mut self) {
        if self.count > 0 {
            self.fixed(0, 8 - self.count);
        }
        while !self.bytes.len().is_multiple_of(4) {
            self.bytes.push(0);
        }
    }

    fn node(&mut self, node: &Node, width: u32) {
        match node {
            Node::Record(code, numbers) => {
                self.fixed(3, width);
                self.variable(u64::from(*code), 6);
                self.variable(numbers.len() as u64, 6);
                numbers.iter().for_each(|&number| self.variable(number, 6));
            }
            Node::Block(id, nodes) => {
                self.fixed(1, width);
                self.variable(u64::from(*id), 8);
                self.variable(u64::from(WIDTH), 4);
                self.align();
                let start = self.bytes.len();
                self.bytes.extend([0; 4]);
                nodes.iter().for_each(|node| self.node(node, WIDTH));
                self.fixed(0, WIDTH);
                self.align();
                let words = (self.bytes.len() - start) / 4 - 1;
                self.bytes[start..start + 4].copy_from_slice(&(words as u32).to_le_bytes());
            }
            Node::Bytes(bytes) => {
                // An abbreviation of two operands: the code 1 as it is, then bytes.
                self.fixed(2, width);
                self.variable(2, 5);
                self.fixed(1, 1);
                self.variable(1, 8);
                self.fixed(0, 1);
                self.fixed(5, 3);
                self.fixed(4, width);
                self.variable(bytes.len() as u64, 6);
                self.align();
                self.bytes.extend(bytes);
                self.align();
            }
        }
    }
}
