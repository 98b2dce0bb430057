//! Reads damaged copies of files of bitcode: whatever the damage, there is an error or a text, and nothing panics.
//!
//! `bitcode-fuzz ROUNDS SEED FILE…`. With `SHOW` in the environment each file and round is printed before it is read, so that the last one is that of a panic.

use warpsmith_base::Random;

fn main() {
    let mut arguments = std::env::args().skip(1);
    let mut number = || arguments.next().and_then(|text| text.parse::<u64>().ok()).unwrap_or(1);
    let (rounds, seed) = (number(), number());
    let files: Vec<(String, Vec<u8>)> = arguments
        .filter_map(|path| Some((path.clone(), std::fs::read(&path).ok()?)))
        .collect();
    let (mut total, mut read) = (0u64, 0u64);
    for round in 0..rounds {
        for (path, bytes) in files.iter().filter(|(_, bytes)| bytes.len() > 64) {
            let mut random = Random::new(seed ^ round.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ bytes.len() as u64);
            if std::env::var_os("SHOW").is_some() {
                println!("{path} round {round}");
            }
            total += 1;
            read += u64::from(warpsmith_bitcode::assembly(path, &damaged(bytes, &mut random)).is_ok());
        }
    }
    println!("{total} files, {read} read");
}

fn damaged(bytes: &[u8], random: &mut Random) -> Vec<u8> {
    let mut bytes = bytes.to_vec();
    for _ in 0..=random.below(4) {
        let at = random.below(bytes.len() - 8);
        match random.below(5) {
            0 => bytes[at] ^= 1 << random.below(8),
            1 => bytes[at] = random.below(256) as u8,
            2 => bytes[at..at + 4].fill(0xff),
            3 => {
                let from = random.below(bytes.len() - 8);
                bytes.copy_within(from..from + 8, at);
            }
            _ => bytes.truncate(64.max(at)),
        }
        if bytes.len() < 32 {
            break;
        }
    }
    bytes
}
