//! Products of matrices in tensor memory: `tcgen05.mma` and `tcgen05.mma.ws`. (Which instruction, and how operands stand in uniform registers: observed,
//! ptxas 13.0.88.)
//!
//! | register | holds |
//! |---|---|
//! | `URa` | the descriptor of A (two words), or its address in tensor memory (one) |
//! | `URb` | the descriptor of B, two words |
//! | `URc` | the address of D |
//! | `URe` | the address of the metadata of a sparse A, or zero; after it the instruction descriptor |
//! | `URf` | the masks of lanes that are not written (four words, eight of a pair of CTAs); or the addresses of the scales of A and B; or, of `.ws`, the descriptor of the mask of columns |

use warpsmith_ptx::{
    instruction::Variant,
    module::Operand,
    table::{Modifier as M, Opcode, Type},
};
use warpsmith_sass::{FieldName as F, Opcode as O};
use warpsmith_target::Isa;

use super::{Lowered, Lowering, UNSUPPORTED};
use crate::select::{Request, Source, Value};

/// What a kind is on the machine: the instruction, and whether its blocks have scales.
#[rustfmt::skip]
const KINDS: [(M, O, bool); 7] = [
    (M::KindF16,      O::Utchmma, false),
    (M::KindTf32,     O::Utchmma, false),
    (M::KindF8f6f4,   O::Utcqmma, false),
    (M::KindI8,       O::Utcimma, false),
    (M::KindMxf8f6f4, O::Utcqmma, true),
    (M::KindMxf4,     O::Utcomma, true),
    (M::KindMxf4nvf4, O::Utcomma, true),
];

/// Collector usages: of A, or of the buffers of B. A is taken from the buffer, and it is kept there.
#[rustfmt::skip]
const COLLECTORS: [(&str, bool, bool); 4] = [
    ("fill",    false, true),
    ("use",     true,  true),
    ("lastuse", true,  false),
    ("discard", false, false),
];

/// The forms, by where A is, whether a pair of CTAs multiplies, and whether blocks have scales.
#[rustfmt::skip]
const FORMS: [[[&str; 2]; 2]; 2] = [
    [["G_G_T_T_ID_UP", "G_G_T_T_ID_T_UP"], ["2CTA.G_G_T_T_ID_UP", "2CTA.G_G_T_T_ID_T_UP"]],
    [["T_G_T_T_ID_UP", "T_G_T_T_ID_T_UP"], ["2CTA.T_G_T_T_ID_UP", "2CTA.T_G_T_T_ID_T_UP"]],
];

/// The operands, the optional ones where they are.
struct Product<'a> {
    d: &'a Operand,
    a: &'a Operand,
    b: &'a Operand,
    metadata: Option<&'a Operand>,
    description: &'a Operand,
    lanes: Option<&'a Operand>,
    scales: Option<[&'a Operand; 2]>,
    adds: &'a Operand,
    /// `scale-input-d`
    divides: u64,
    /// Of `.ws`.
    columns: Option<&'a Operand>,
}

impl<'a> Product<'a> {
    fn of(variant: &Variant, operands: &'a [Operand], scaled: bool) -> Option<Product<'a>> {
        let (d, a, b, rest) = match operands {
            [d, a, b, rest @ ..] => (d, a, b, rest),
            _ => return None,
        };
        let (metadata, rest) = match rest {
            [metadata, rest @ ..] if variant.has(M::Sp) => (Some(metadata), rest),
            rest => (None, rest),
        };
        let (description, rest) = rest.split_first()?;
        let (scales, rest) = match rest {
            [a, b, rest @ ..] if scaled => (Some([a, b]), rest),
            rest => (None, rest),
        };
        let (lanes, rest) = match rest {
            [lanes @ Operand::Vector(_), rest @ ..] => (Some(lanes), rest),
            rest => (None, rest),
        };
        let (adds, rest) = rest.split_first()?;
        let (mut divides, mut columns) = (0, None);
        match rest {
            [] => {}
            [mask] if variant.opcode == Opcode::Tcgen05MmaWs => columns = Some(mask),
            [Operand::Integer(amount, _)] => divides = *amount,
            _ => return None,
        }
        Some(Product {
            d,
            a,
            b,
            metadata,
            description,
            lanes,
            scales,
            adds,
            divides,
            columns,
        })
    }

    /// Whether A is in tensor memory.
    fn in_tensor_memory(&self) -> bool {
        matches!(self.a, Operand::Address(_) | Operand::Bracket(_))
    }
}

impl Lowering<'_> {
    pub(super) fn multiply_in_tensor_memory(&mut self, variant: &Variant, operands: &[Operand]) -> Lowered {
        let kind = KINDS.iter().find(|kind| variant.has(kind.0)).ok_or(UNSUPPORTED)?;
        let product = Product::of(variant, operands, kind.2).ok_or(UNSUPPORTED)?;
        self.one_at_a_time(|this| this.multiply_tensors(variant, *kind, &product))
    }

    fn multiply_tensors(&mut self, variant: &Variant, (_, opcode, scaled): (M, O, bool), p: &Product<'_>) -> Lowered {
        let pair = variant.has(M::CtaGroup2);
        let form = FORMS[usize::from(p.in_tensor_memory())][usize::from(pair)][usize::from(scaled)];
        let a = match p.in_tensor_memory() {
            true => vec![self.tensor_address(p.a)?],
            false => self.descriptor_words(p.a)?,
        };
        let b = self.descriptor_words(p.b)?;
        let d = self.tensor_address(p.d)?;
        let metadata = match p.metadata {
            Some(metadata) => self.tensor_address(metadata)?,
            None => Value::Zero.into(),
        };
        let description = self.source(Some(p.description), Type::U32)?;
        let mut request = Request::new(opcode)
            .form(form)
            .at(F::URa, self.in_uniform(&a)?)
            .at(F::URb, self.in_uniform(&b)?)
            .at(F::URc, self.in_uniform(&[d])?)
            .at(F::URe, self.in_uniform(&[metadata, description])?);
        if let Some(more) = self.further_words(p)? {
            request = request.at(F::URf, self.in_uniform(&more)?);
        }
        let adds = self.uniform_test(p.adds)?;
        request = request.when(F::UPp, adds);
        if p.divides != 0 {
            request = request.number(F::Imm, p.divides);
        }
        request = self.collector(variant, request).flag(F::Ashift, variant.has(M::Ashift));
        if opcode == O::Utcomma {
            let sixteen = variant.has(M::Block16) || variant.has(M::ScaleVec4X);
            let field = match self.function.isa() {
                Isa::Sm103 => F::Block16,
                _ => F::ScaleVector4x,
            };
            request = request.flag(field, sixteen);
        }
        self.emit_bare(request.flag(F::WeightStationary, variant.opcode == Opcode::Tcgen05MmaWs))
    }

    /// What `URf` holds.
    fn further_words(&mut self, p: &Product<'_>) -> Lowered<Option<Vec<Source>>> {
        if let Some([a, b]) = p.scales {
            return Ok(Some(vec![self.tensor_address(a)?, self.tensor_address(b)?]));
        }
        if let Some(Operand::Vector(range)) = p.lanes {
            let masks = self.parts(*range);
            let words = masks.iter().map(|mask| self.source(Some(mask), Type::B32));
            return words.collect::<Lowered<Vec<_>>>().map(Some);
        }
        match p.columns {
            Some(mask) => self.descriptor_words(mask).map(Some),
            None => Ok(None),
        }
    }

    /// The two words of a descriptor.
    pub(super) fn descriptor_words(&mut self, operand: &Operand) -> Lowered<Vec<Source>> {
        (0..2).map(|word| self.word(Some(operand), Type::U64, word)).collect()
    }

    /// What is kept of the factors between products.
    fn collector(&self, variant: &Variant, request: Request) -> Request {
        let names = variant.modifiers.iter().flatten().map(|modifier| modifier.name());
        let Some(usage) = { names }.find_map(|name| name.strip_prefix("collector::")) else {
            return request;
        };
        let (buffer, usage) = usage.split_once("::").unwrap_or(("", usage));
        let Some((_, takes, keeps)) = COLLECTORS.iter().find(|known| known.0 == usage) else {
            return request;
        };
        match buffer {
            "a" => request.flag(F::AReuse, *takes).flag(F::AKeep, *keeps),
            buffer => {
                let buffer = match buffer {
                    "b1" => "BUFFER1",
                    "b2" => "BUFFER2",
                    "b3" => "BUFFER3",
                    _ => "",
                };
                let request = request.flag(F::BReuse, *takes).flag(F::BKeep, *keeps);
                request.text(F::Collector, buffer)
            }
        }
    }
}
