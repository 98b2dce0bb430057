//! Properties of the codec that hold for every form on every generation, and for words nobody chose.

use warpsmith_sass::{Control, Field, FieldKind, Form, Instruction, PlainText, RegisterClass, parse};
use warpsmith_target::Isa;
use warpsmith_tests::{Random, random_instruction};

/// The text of `word` parses to a word with the same text; the words differ only where the text says nothing.
fn round_trip(isa: Isa, word: u128) {
    let instruction = Instruction::decode(isa, word).unwrap_or_else(|e| panic!("sm_{} {word:#034x}: {e}", isa.name()));
    assert_eq!(instruction.word(), word);
    let text = instruction.to_string();
    let parsed = parse(isa, &text, &PlainText::default())
        .unwrap_or_else(|e| panic!("sm_{} {word:#034x} `{text}`: {e}", isa.name()));
    assert_eq!(
        parsed.to_string(),
        text,
        "sm_{} {word:#034x} against {:#034x}",
        isa.name(),
        parsed.word()
    );
}

fn has_zero_register(field: &Field) -> bool {
    matches!(&field.kind, FieldKind::Register(r) if !matches!(r.class, RegisterClass::Barrier | RegisterClass::Scoreboard))
}

fn belongs(isa: Isa, word: u128, form: &Form) -> bool {
    Instruction::decode(isa, word).is_ok_and(|i| std::ptr::eq(i.form(), form))
}

#[test]
fn every_form_is_reachable_and_round_trips() {
    for &isa in Isa::ALL {
        for form in warpsmith_sass::forms(isa) {
            // RZ and PT are a form of their own for some operands: take other registers there.
            let default = form.default_word(isa);
            let numbered = form
                .fields
                .iter()
                .filter(|f| has_zero_register(f))
                .fold(default, |word, f| f.bits.write(word, 4));
            let word = if belongs(isa, default, form) { default } else { numbered };
            let instruction = Instruction::decode(isa, word)
                .unwrap_or_else(|e| panic!("{} {}: {e}", form.opcode.mnemonic(), form.name));
            assert!(
                std::ptr::eq(instruction.form(), form),
                "sm_{}: the default word of {} {} is {} {}",
                isa.name(),
                form.opcode.mnemonic(),
                form.name,
                instruction.mnemonic(),
                instruction.form().name
            );
            round_trip(isa, word);
        }
    }
}

#[test]
fn random_operands_and_modifiers_round_trip() {
    let mut random = Random::new(1);
    for &isa in Isa::ALL {
        for form in warpsmith_sass::forms(isa) {
            for _ in 0..4 {
                let word = random_instruction(form, isa, &mut random);
                if Instruction::decode(isa, word).is_ok() {
                    round_trip(isa, word);
                }
            }
        }
    }
}

#[test]
fn words_nobody_chose_do_not_panic_and_decode_stably() {
    let mut random = Random::new(2);
    for _ in 0..100_000 {
        for &isa in Isa::ALL {
            let word = random.next_u128();
            if let Ok(instruction) = Instruction::decode(isa, word) {
                let text = instruction.to_string();
                assert!(!text.is_empty());
                assert_eq!(Instruction::decode(isa, instruction.word()).map(|i| i.word()), Ok(word));
            }
        }
    }
}

#[test]
fn the_control_word_survives_every_value() {
    let nop = 0x0000_0000_0000_0000_0000_0000_0000_7918;
    for bits in 0..1u128 << 21 {
        let word = nop | bits << 105;
        // Scoreboard 6 is a number like 0 to 5; 7 is none.
        assert_eq!(Control::read(word).write(nop), word);
    }
}

#[test]
fn text_nobody_wrote_does_not_panic() {
    let mut random = Random::new(3);
    let pieces = [
        "FFMA", "LDG", "IADD3", ".E", ".X", " ", ", ", "R1", "RZ", "UR4", "[", "]", "-", "|", "+", "0x10", "c[0x0]",
        "@P0 ", "1.5", "é", "{", "}", "`(", ")", ".reuse",
    ];
    for _ in 0..20_000 {
        let count = random.below(12) + 1;
        let text: String = (0..count)
            .map(|_| pieces[random.below(pieces.len() as u64) as usize])
            .collect();
        let _ = parse(Isa::Sm90, &text, &PlainText::default());
    }
}
