//! Damaged files are read or refused, and nothing panics or takes more memory than the file lets expect.

use warpsmith_base::Random;
use warpsmith_bitcode::assembly;

/// The samples, of the versions of LLVM that wrote them.
const SAMPLES: [&[u8]; 5] = [
    include_bytes!("samples/kernel.13.bc"),
    include_bytes!("samples/kernel.14.bc"),
    include_bytes!("samples/kernel.16.bc"),
    include_bytes!("samples/kernel.19.bc"),
    include_bytes!("samples/kernel.22.bc"),
];

#[test]
fn truncated_files() {
    for sample in SAMPLES {
        // The table of strings stands last, but for that of symbols.
        let read = (0..sample.len())
            .step_by(3)
            .filter(|&end| assembly("k.bc", &sample[..end]).is_ok());
        assert!(read.count() < sample.len() / 6);
    }
}

#[test]
fn flipped_bits() {
    let mut read = 0;
    for sample in SAMPLES {
        for bit in (32..sample.len() * 8).step_by(7) {
            let mut bytes = sample.to_vec();
            bytes[bit / 8] ^= 1 << (bit % 8);
            read += usize::from(assembly("k.bc", &bytes).is_ok());
        }
    }
    // Many bits say something that is as good the other way around.
    assert!(read > 500, "{read} files were read");
}

#[test]
fn numbers_and_words_out_of_place() {
    let mut random = Random::new(1);
    for round in 0..4_000 {
        let sample = SAMPLES[round % SAMPLES.len()];
        let mut bytes = sample.to_vec();
        for _ in 0..1 + random.below(4) {
            let at = 4 + random.below(sample.len() - 8);
            match random.below(3) {
                0 => bytes[at] = random.below(256) as u8,
                1 => bytes[at..at + 4].copy_from_slice(&[0xff; 4]),
                _ => {
                    let from = 4 + random.below(sample.len() - 8);
                    bytes.copy_within(from..from + 4, at);
                }
            }
        }
        let _ = assembly("k.bc", &bytes);
    }
}
