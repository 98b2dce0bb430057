//! What each relocation type changes, and how listings write it.

/// How much of an address a relocation stores, and of which address.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Part {
    /// The value itself.
    Whole,
    /// Its low 32 bits.
    Low,
    /// Its high 32 bits.
    High,
    /// One byte of it, from this bit on.
    Byte(u8),
    /// Its low bits, so many, in a larger field whose other bits stay.
    Bits(u8),
}

/// What a relocated field stores.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Use {
    /// The address of the symbol.
    Address,
    /// Some function of the symbol, under the name that listings give it.
    Function(&'static str),
}

/// The bits that a relocation changes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Field {
    /// The relocation type number.
    pub kind: u32,
    /// The lowest bit, counted from the relocation's offset.
    pub low_bit: u32,
    /// How many bits.
    pub width: u32,
    /// Which part of the value is stored.
    pub part: Part,
    /// What value.
    pub value: Use,
}

impl Field {
    /// The field of a relocation type; `None` for types that change no value (markers) and unknown ones.
    pub(crate) fn of(kind: u32) -> Option<Field> {
        FIELDS
            .binary_search_by_key(&kind, |field| field.kind)
            .ok()
            .map(|index| FIELDS[index])
    }

    /// Whether the field is data of its own: starts at bit 0 and fills whole bytes.
    pub(crate) fn data_size(&self) -> Option<u64> {
        (self.low_bit == 0 && matches!(self.width, 8 | 16 | 32 | 64)).then_some(u64::from(self.width / 8))
    }

    /// The field's value in a word, sign-extended.
    pub(crate) fn extract(&self, word: u128) -> i64 {
        let shift = 128 - self.width;
        let raw = (word << (shift - self.low_bit)) as i128 >> shift;
        raw as i64
    }

    /// Writes the stored expression around the text of the address: `32@lo(sym)`, `fun@fdesc(sym)`.
    pub(crate) fn write_expression(&self, address: &str, out: &mut String) {
        match self.part {
            Part::Whole => {}
            Part::Low => out.push_str("32@lo("),
            Part::High => out.push_str("32@hi("),
            Part::Bits(count) => {
                out.push('[');
                out.push_str(&count.to_string());
                out.push_str("@lo(0x0)=");
            }
            Part::Byte(0) => out.push_str("8@lo("),
            Part::Byte(56) => out.push_str("8@hi("),
            Part::Byte(bit) => {
                out.push_str("0x");
                out.push_str("ff");
                out.extend(std::iter::repeat_n('0', usize::from(bit) / 4));
                out.push_str("@field(");
            }
        }
        match self.value {
            Use::Address => out.push_str(address),
            Use::Function(name) => {
                out.push_str("fun@");
                out.push_str(name);
                out.push('(');
                out.push_str(address);
                out.push(')');
            }
        }
        match self.part {
            Part::Whole => {}
            Part::Bits(_) => out.push(']'),
            Part::Low | Part::High | Part::Byte(_) => out.push(')'),
        }
    }

    /// Whether the expression stands for itself in an operand, without quotation: it has a function.
    pub(crate) fn is_function(&self) -> bool {
        self.part != Part::Whole || self.value != Use::Address
    }
}

const fn row(kind: u32, low_bit: u32, width: u32, part: Part, value: Use) -> Field {
    Field {
        kind,
        low_bit,
        width,
        part,
        value,
    }
}

/// Relocation types that store a value. Observed: nvdisasm 13.5 on one object with each type number in
/// turn (the bits show as `[mask@field(0x0)=sym]` where the field is no whole operand).
#[rustfmt::skip]
const FIELDS: &[Field] = {
    use Part::{Bits, Byte, High, Low, Whole};
    use Use::{Address, Function};
    const FDESC: Use = Function("fdesc");
    const UNIFIED: Use = Function("unified");
    &[
        row(1, 0, 32, Whole, Address),
        row(2, 0, 64, Whole, Address),
        row(3, 0, 32, Whole, Function("R_CUDA_G32")),
        row(4, 0, 64, Whole, Function("R_CUDA_G64")),
        row(6, 0, 32, Bits(20), Address),
        row(34, 0, 32, Whole, Function("R_CUDA_FUNC_DESC_32")),
        row(35, 0, 64, Whole, Function("R_CUDA_FUNC_DESC_64")),
        row(52, 0, 32, Bits(20), Function("R_CUDA_SURF_HEADER_INDEX")),
        row(55, 32, 32, Whole, Address),
        row(56, 32, 32, Low, Address),
        row(57, 32, 32, High, Address),
        row(58, 34, 47, Whole, Address),
        row(59, 32, 16, Whole, Address),
        row(60, 32, 24, Whole, Address),
        row(61, 32, 32, Whole, FDESC),
        row(62, 32, 32, Low, FDESC),
        row(63, 32, 32, High, FDESC),
        row(64, 40, 19, Whole, Address),
        row(65, 40, 14, Whole, Address),
        row(66, 38, 21, Whole, Address),
        row(70, 0, 32, Low, Address),
        row(71, 0, 32, High, Address),
        row(72, 0, 32, Whole, Function("R_CUDA_UNUSED_CLEAR32")),
        row(73, 0, 64, Whole, Function("R_CUDA_UNUSED_CLEAR64")),
        row(74, 40, 24, Whole, Address),
        row(75, 34, 47, Whole, Address),
        row(76, 0, 8, Byte(0), Address),
        row(77, 0, 8, Byte(8), Address),
        row(78, 0, 8, Byte(16), Address),
        row(79, 0, 8, Byte(24), Address),
        row(80, 0, 8, Byte(32), Address),
        row(81, 0, 8, Byte(40), Address),
        row(82, 0, 8, Byte(48), Address),
        row(83, 0, 8, Byte(56), Address),
        row(84, 0, 8, Byte(0), Function("R_CUDA_G8_0")),
        row(85, 0, 8, Byte(8), Function("R_CUDA_G8_8")),
        row(86, 0, 8, Byte(16), Function("R_CUDA_G8_16")),
        row(87, 0, 8, Byte(24), Function("R_CUDA_G8_24")),
        row(88, 0, 8, Byte(32), Function("R_CUDA_G8_32")),
        row(89, 0, 8, Byte(40), Function("R_CUDA_G8_40")),
        row(90, 0, 8, Byte(48), Function("R_CUDA_G8_48")),
        row(91, 0, 8, Byte(56), Function("R_CUDA_G8_56")),
        row(92, 0, 8, Byte(0), FDESC),
        row(93, 0, 8, Byte(8), FDESC),
        row(94, 0, 8, Byte(16), FDESC),
        row(95, 0, 8, Byte(24), FDESC),
        row(96, 0, 8, Byte(32), FDESC),
        row(97, 0, 8, Byte(40), FDESC),
        row(98, 0, 8, Byte(48), FDESC),
        row(99, 0, 8, Byte(56), FDESC),
        row(100, 44, 20, Whole, Address),
        row(102, 0, 64, Whole, UNIFIED),
        row(103, 0, 32, Whole, UNIFIED),
        row(104, 0, 8, Byte(0), UNIFIED),
        row(105, 0, 8, Byte(8), UNIFIED),
        row(106, 0, 8, Byte(16), UNIFIED),
        row(107, 0, 8, Byte(24), UNIFIED),
        row(108, 0, 8, Byte(32), UNIFIED),
        row(109, 0, 8, Byte(40), UNIFIED),
        row(110, 0, 8, Byte(48), UNIFIED),
        row(111, 0, 8, Byte(56), UNIFIED),
        row(112, 32, 32, Low, UNIFIED),
        row(113, 32, 32, High, UNIFIED),
        row(114, 34, 48, Whole, Address),
        row(115, 37, 22, Whole, Address),
    ]
};
