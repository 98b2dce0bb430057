//! Measures a product of two f32 matrices by a kernel of the usual kind: tiles in shared memory, 4 times 4 results in each thread.
//!
//! `cargo run --release -p warpsmith-emu --example product [SIZE] [HOST THREADS]`; the size is a multiple of 64, 1024 if not given.

use std::{fmt::Write as _, time::Instant};

use warpsmith_emu::ptx::{Device, Launch, Options, load, run};

/// The kernel: CTAs of 256 threads, each for 64 rows and columns of the result, in steps of 16 along the sum. `a` is stored transposed.
fn kernel() -> String {
    let mut text = String::from(
        ".version 8.0\n.target sm_80\n.address_size 64\n
.visible .entry product(.param .u64 a, .param .u64 b, .param .u64 c, .param .u32 n) {
    .reg .pred %p; .reg .b32 %r<20>; .reg .b64 %d<8>; .reg .f32 %x<8>, %y<4>, %s<16>;
    .shared .align 16 .b32 as[1024]; .shared .align 16 .b32 bs[1024];
    ld.param.u64 %d0, [a]; ld.param.u64 %d1, [b]; ld.param.u64 %d2, [c]; ld.param.u32 %r0, [n];
    mov.u32 %r1, %tid.x; mov.u32 %r2, %ctaid.x; mov.u32 %r3, %ctaid.y;
    // a: row %ctaid.y * 64 + t / 4, column t % 4 * 4
    shl.b32 %r4, %r3, 6; shr.u32 %r5, %r1, 2; add.u32 %r6, %r4, %r5; and.b32 %r7, %r1, 3; shl.b32 %r8, %r7, 2;
    mad.lo.u32 %r6, %r6, %r0, %r8; mul.wide.u32 %d3, %r6, 4; add.u64 %d0, %d0, %d3;
    // as[column][row]
    shl.b32 %r9, %r8, 6; add.u32 %r9, %r9, %r5; shl.b32 %r9, %r9, 2; mov.u32 %r10, as; add.u32 %r9, %r9, %r10;
    // b: row t / 16, column %ctaid.x * 64 + t % 16 * 4
    shr.u32 %r11, %r1, 4; and.b32 %r12, %r1, 15; shl.b32 %r12, %r12, 2; shl.b32 %r13, %r2, 6; add.u32 %r13, %r13, %r12;
    mad.lo.u32 %r14, %r11, %r0, %r13; mul.wide.u32 %d3, %r14, 4; add.u64 %d1, %d1, %d3;
    shl.b32 %r14, %r1, 4; mov.u32 %r15, bs; add.u32 %r14, %r14, %r15;
    // Rows t / 16 * 4 of as, columns t % 16 * 4 of bs.
    shl.b32 %r16, %r11, 4; add.u32 %r16, %r16, %r10; shl.b32 %r17, %r12, 2; add.u32 %r17, %r17, %r15;
    // 16 rows of b.
    mul.wide.u32 %d4, %r0, 64; mov.u32 %r18, 0;\n",
    );
    for sum in 0..16 {
        let _ = writeln!(text, "    mov.f32 %s{sum}, 0f00000000;");
    }
    text.push_str(
        "next:\n    ld.global.v4.f32 {%x0, %x1, %x2, %x3}, [%d0]; ld.global.v4.f32 {%y0, %y1, %y2, %y3}, [%d1];\n",
    );
    for column in 0..4 {
        let _ = writeln!(text, "    st.shared.f32 [%r9+{}], %x{column};", 256 * column);
    }
    text.push_str("    st.shared.v4.f32 [%r14], {%y0, %y1, %y2, %y3};\n    bar.sync 0;\n");
    for step in 0..16 {
        let at = 256 * step;
        let _ = writeln!(text, "    ld.shared.v4.f32 {{%x0, %x1, %x2, %x3}}, [%r16+{at}];");
        let _ = writeln!(text, "    ld.shared.v4.f32 {{%y0, %y1, %y2, %y3}}, [%r17+{at}];");
        for (row, column) in (0..4).flat_map(|row| (0..4).map(move |column| (row, column))) {
            let sum = 4 * row + column;
            let _ = writeln!(text, "    fma.rn.f32 %s{sum}, %x{row}, %y{column}, %s{sum};");
        }
    }
    text.push_str(
        "    bar.sync 0;
    add.u64 %d0, %d0, 64; add.u64 %d1, %d1, %d4; add.u32 %r18, %r18, 16; setp.lt.u32 %p, %r18, %r0; @%p bra next;
    shl.b32 %r11, %r11, 2; add.u32 %r11, %r11, %r4; mad.lo.u32 %r11, %r11, %r0, %r13; mul.wide.u32 %d3, %r11, 4;
    add.u64 %d2, %d2, %d3; mul.wide.u32 %d4, %r0, 4;\n",
    );
    for row in 0..4 {
        let [a, b, c, d] = [0, 1, 2, 3].map(|column| 4 * row + column);
        let _ = writeln!(
            text,
            "    st.global.v4.f32 [%d2], {{%s{a}, %s{b}, %s{c}, %s{d}}}; add.u64 %d2, %d2, %d4;"
        );
    }
    text.push_str("    ret;\n}\n");
    text
}

/// Small whole numbers, whose products and sums are exact in f32.
fn entry(row: usize, column: usize) -> i32 {
    ((row * 7 + column * 3) % 11) as i32 - 5
}

fn main() {
    let mut arguments = std::env::args().skip(1).map(|text| text.parse::<usize>().unwrap_or(0));
    let size = arguments
        .next()
        .filter(|size| *size > 0)
        .unwrap_or(1024)
        .next_multiple_of(64);
    let threads = arguments.next().unwrap_or(1);
    let mut device = Device::new();
    let parsed = warpsmith_ptx::parse(kernel().as_bytes());
    for problem in &parsed.problems {
        println!("{}", problem.message);
    }
    let loaded = match load(&mut device, &parsed.module) {
        Ok(loaded) => loaded,
        Err(fault) => return println!("{fault}"),
    };
    let numbers = (0..size * size).map(|index| entry(index / size, index % size) as f32);
    let bytes: Vec<u8> = numbers.flat_map(f32::to_le_bytes).collect();
    let [a, b, c] = [0; 3].map(|_| device.allocate(bytes.len() as u64, 256));
    for matrix in [a, b] {
        if let Err(fault) = device.write(matrix, &bytes) {
            return println!("{fault}");
        }
    }
    let launch = Launch {
        grid: [(size / 64) as u32, (size / 64) as u32, 1],
        block: [256, 1, 1],
        arguments: vec![
            a.to_le_bytes().to_vec(),
            b.to_le_bytes().to_vec(),
            c.to_le_bytes().to_vec(),
            (size as u32).to_le_bytes().to_vec(),
        ],
        ..Launch::of("product")
    };
    let options = Options {
        threads,
        ..Options::default()
    };
    let start = Instant::now();
    let report = match run(&mut device, &loaded, &launch, &options) {
        Ok(report) => report,
        Err(failure) => return println!("{failure}"),
    };
    let seconds = start.elapsed().as_secs_f64();
    println!(
        "{size} x {size}: {seconds:.2} s on {threads} host threads, {:.1} million warp instructions per second, {:.0} million f32 operations",
        report.instructions as f64 / seconds / 1e6,
        2.0 * (size as f64).powi(3) / seconds / 1e6
    );
    let wrong = (0..size)
        .step_by(37)
        .flat_map(|row| (0..size).step_by(53).map(move |column| (row, column)));
    let wrong = wrong.filter(|&(row, column)| {
        let expected: i32 = (0..size).map(|k| entry(row, k) * entry(k, column)).sum();
        let found = device.read(c + 4 * (row * size + column) as u64, 4).unwrap_or_default();
        found != (expected as f32).to_le_bytes()
    });
    println!("{} wrong results", wrong.count());
}
