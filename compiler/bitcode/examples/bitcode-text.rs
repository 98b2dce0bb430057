//! Prints the assembly of files of bitcode: `bitcode-text FILE…`.

fn main() {
    for path in std::env::args().skip(1) {
        let Ok(bytes) = std::fs::read(&path) else {
            eprintln!("{path} cannot be read");
            continue;
        };
        match warpsmith_bitcode::assembly(&path, &bytes) {
            Ok(texts) => texts.iter().for_each(|text| print!("{text}")),
            Err(problem) => eprintln!("{problem}"),
        }
    }
}
