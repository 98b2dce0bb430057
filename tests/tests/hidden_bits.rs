//! Words have bits that their text does not tell and that the machine reads. What is assembled from text has them as ptxas sets them; a GPU
//! (H100) refuses the words without them as illegal instructions, or takes them for others.

use warpsmith_sass::{Control, PlainText, parse};
use warpsmith_target::Isa;

/// Words that ptxas 13.0.88 wrote, without their control words, and their text.
#[rustfmt::skip]
const WORDS: &[(&str, &str, u128)] = &[
    ("90",  "UIMAD UR4, UR6, 0x4182bed5, UR4",  0x0000_0000_0f8e_0204_4182_bed5_0604_78a4),
    ("90",  "UIADD3.64 UR14, UR14, 0x2, URZ",   0x0000_0000_0fff_e03f_0000_0002_0e0e_7897),
    ("100", "ULEA UR4, UR7, 0x13, 0x3",         0x0000_0000_0f8e_18ff_0000_0013_0704_7891),
];

#[test]
fn text_assembles_to_the_words_of_ptxas() {
    for &(isa, text, word) in WORDS {
        let isa = *Isa::ALL.iter().find(|known| known.name() == isa).expect("a generation");
        let parsed = parse(isa, text, &PlainText::default()).expect(text);
        let found = parsed.word() & !Control::MASK;
        assert_eq!(found, word & !Control::MASK, "sm_{} {text}: {found:#034x}", isa.name());
    }
}
