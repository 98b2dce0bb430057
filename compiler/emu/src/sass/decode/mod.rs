//! From instruction words to steps.
//!
//! One function of each family turns its instructions into operations. What it gives no operation for becomes [`Op::Unsupported`], a fault
//! when it is executed.

mod bulk;
mod collective;
mod control;
mod convert;
mod double;
mod float;
mod half;
mod integer;
mod logic;
mod matrix;
mod memory;
mod operand;
mod other;
mod predicate;
mod special;
mod tensor_memory;
mod texture;

use warpsmith_sass::{GuardFile, Instruction, Opcode};

pub(crate) use operand::{Constants, Decoder, Numbers, Value};

use super::code::{Op, Predicate, Step, Test};

/// Decodes a word into a step.
pub(crate) fn decode(instruction: Instruction, pc: u32, constants: &mut Constants) -> Step {
    let guard = instruction.guard().map_or(Test::ALWAYS, |guard| Test {
        predicate: match guard.kind {
            GuardFile::Predicate => Predicate(guard.number),
            GuardFile::UniformPredicate => Predicate(Predicate::UNIFORM + guard.number),
        },
        negated: guard.negated,
    });
    let mut decoder = Decoder {
        instruction,
        constants,
        pc,
    };
    let op = if decoder.is_bindless_constant() {
        None
    } else {
        operation(&mut decoder)
    };
    Step {
        guard,
        uniform: is_uniform(&instruction),
        op: op.unwrap_or(Op::Unsupported),
    }
}

/// Whether the instruction runs once for the warp: its guard is a uniform predicate, or it would be.
fn is_uniform(instruction: &Instruction) -> bool {
    instruction.form().guard == warpsmith_sass::GuardKind::UniformPredicate
}

fn operation(decoder: &mut Decoder<'_>) -> Option<Op> {
    use Opcode as O;
    match decoder.instruction.opcode() {
        O::Mov | O::Umov => logic::copy(decoder),
        O::Iadd | O::Iadd3 | O::Uiadd3 => integer::add(decoder),
        O::Imad | O::Uimad => integer::multiply(decoder),
        O::Lea | O::Ulea => integer::scaled_add(decoder),
        O::Imnmx | O::Uimnmx => integer::extreme(decoder),
        O::Vimnmx | O::Uvimnmx | O::Vimnmx3 | O::Viaddmnmx => integer::vector_extreme(decoder),
        O::Viadd | O::Uviadd => integer::vector_add(decoder),
        O::Idp => integer::dot(decoder),
        O::Vabsdiff | O::Vabsdiff4 => integer::difference(decoder),
        O::Sel | O::Usel => logic::select(decoder),
        O::Lop3 | O::Ulop3 => logic::logic(decoder),
        O::Shf | O::Ushf => logic::shift(decoder),
        O::Prmt | O::Uprmt => logic::permute(decoder),
        O::Bmsk | O::Ubmsk | O::Sgxt | O::Usgxt | O::Brev | O::Ubrev => logic::bits(decoder),
        O::Flo | O::Uflo | O::Popc | O::Upopc | O::Iabs | O::Uiabs => logic::bits(decoder),
        O::Isetp | O::Uisetp => predicate::compare(decoder),
        O::Plop3 | O::Uplop3 => predicate::table(decoder),
        O::P2r | O::Up2ur => predicate::pack(decoder),
        O::R2p | O::Ur2up => predicate::unpack(decoder),
        O::Vote | O::Voteu | O::Shfl | O::Match | O::Redux | O::Credux | O::Elect | O::R2ur => {
            collective::decode(decoder)
        }
        O::Fadd | O::Fmul | O::Ffma | O::Ufadd | O::Ufmul | O::Uffma => float::decode(decoder),
        O::Fadd2 | O::Fmul2 | O::Ffma2 => float::decode(decoder),
        O::Fsel | O::Ufsel | O::Fmnmx | O::Ufmnmx | O::Fmnmx3 => float::steered(decoder),
        O::Fsetp | O::Ufsetp => float::compare(decoder),
        O::Fset | O::Ufset => float::set(decoder),
        O::Fchk => float::check(decoder),
        O::Mufu => float::special_function(decoder),
        O::Dadd | O::Dmul | O::Dfma => double::decode(decoder),
        O::Dsetp => double::compare(decoder),
        O::Hadd2 | O::Hmul2 | O::Hfma2 => half::decode(decoder),
        O::Hmnmx2 => half::extreme(decoder),
        O::Hset2 | O::Hsetp2 => half::compare(decoder),
        O::Fswzadd => float::quad_add(decoder),
        O::Fhadd | O::Fhfma => half::with_single(decoder),
        O::F2i | O::Uf2i | O::I2f | O::Ui2f | O::I2fp | O::Ui2fp | O::F2f | O::Uf2f => convert::decode(decoder),
        O::Frnd | O::Ufrnd | O::I2i | O::Ui2i | O::I2ip | O::Ui2ip | O::F2ip | O::Uf2ip => convert::decode(decoder),
        O::F2fp | O::Uf2fp => convert::pack(decoder),
        O::S2r | O::S2ur | O::Cs2r | O::Cs2ur => special::special(decoder),
        O::Ldc | O::Uldc | O::Ldcu => other::constant(decoder),
        O::Ldg | O::Ld | O::Lds | O::Ldl | O::Stg | O::St | O::Sts | O::Stl => memory::decode(decoder),
        O::Atom | O::Atomg | O::Atoms | O::Red | O::Redg => memory::atomic(decoder),
        O::Ldgmc => memory::multimem(decoder),
        O::Ldgsts | O::Arrives | O::Syncs | O::Stas | O::Redas => memory::asynchronous(decoder),
        O::Ublkcp | O::Ublkred | O::Utmaldg | O::Utmastg | O::Utmaredg => bulk::decode(decoder),
        O::Umemsets | O::Ugetnextworkid | O::Usetmaxreg => bulk::decode(decoder),
        // Copies to the cache, groups of copies that have all completed, and hints.
        O::Ublkpf | O::Utmapf | O::Utmacmdflush | O::Utmacctl => Some(Op::Nothing),
        O::Ldsm | O::Stsm | O::Movm => memory::matrix(decoder),
        O::Hmma | O::Imma | O::Bmma | O::Dmma | O::Qmma | O::Omma => matrix::product(decoder),
        O::Hgmma | O::Igmma | O::Qgmma | O::Bgmma => matrix::group_product(decoder),
        O::Warpgroup => control::warpgroup(decoder),
        O::Ldtm | O::Sttm => tensor_memory::access(decoder),
        O::Utcatomsws => tensor_memory::units(decoder),
        O::Utccp => tensor_memory::copy(decoder),
        O::Utcshift => tensor_memory::shift(decoder),
        O::Utcbar => tensor_memory::arrival(decoder),
        O::Utchmma | O::Utcimma | O::Utcomma | O::Utcqmma => tensor_memory::product(decoder),
        // That no more is allocated is between the CTAs of a multiprocessor.
        O::Uvirtcount => Some(Op::Nothing),
        O::Qspc => memory::query(decoder),
        O::Tex | O::Tld | O::Tld4 => texture::fetch(decoder),
        O::Txd => texture::slopes(decoder),
        O::Txq => texture::query(decoder),
        O::Suld | O::Sust | O::Sured => texture::surface(decoder),
        O::Bra | O::Brx | O::Brxu | O::Jmx | O::Jmxu | O::Exit | O::Kill | O::Call | O::Ret => control::decode(decoder),
        O::Bssy | O::Bsync | O::Break | O::Bmov | O::Warpsync | O::Endcollective => control::decode(decoder),
        O::Yield | O::Nanosleep | O::Bpt | O::Lepc | O::Rpcmov => control::decode(decoder),
        O::Bar => control::barrier(decoder),
        O::B2r => control::barrier_result(decoder),
        O::UcgabarArv | O::UcgabarWait => control::cluster_barrier(decoder),
        // The order of memory accesses is that of execution, and no cache holds an old value.
        O::Nop | O::Depbar | O::Ldgdepbar | O::Membar | O::Errbar | O::Cgaerrbar | O::Fence => Some(Op::Nothing),
        O::Pmtrig | O::Preexit | O::Acqbulk => Some(Op::Nothing),
        O::Cctl | O::Cctll if decoder.test(&[warpsmith_sass::FieldName::Pu]).is_none() => Some(Op::Nothing),
        _ => None,
    }
}
