//! Programs and what they give.

use warpsmith_base::SourceText;
use warpsmith_ir::interpret::{Datum, Launch, Machine, Stop};
use warpsmith_ir::{Module, Type};

#[track_caller]
fn read(text: &str) -> Module {
    let source = SourceText::new("m.ll", text);
    let module = Module::from_text(&source).unwrap_or_else(|errors| panic!("{}", errors[0].render(&source)));
    if let Err(problems) = module.verify() {
        panic!("{}", problems[0]);
    }
    module
}

/// The result of `@f` of a text.
fn run(text: &str, arguments: &[Datum]) -> Result<Datum, Stop> {
    let module = read(text);
    let function = module.symbols.function_named("f").expect("the text defines f");
    Machine::new(&module).call(function, arguments)
}

fn i32(value: i32) -> Datum {
    Datum::int(32, u64::from(value as u32))
}

fn float(value: f32) -> Datum {
    Datum::int(32, u64::from(value.to_bits()))
}

#[test]
fn loops_and_phis() {
    let factorial = "
        define i32 @f(i32 %n) {
        entry:
          br label %loop
        loop:
          %i = phi i32 [ 1, %entry ], [ %next, %loop ]
          %product = phi i32 [ 1, %entry ], [ %more, %loop ]
          %more = mul i32 %product, %i
          %next = add i32 %i, 1
          %go = icmp sle i32 %next, %n
          br i1 %go, label %loop, label %done
        done:
          ret i32 %more
        }";
    assert_eq!(run(factorial, &[i32(6)]), Ok(i32(720)));
}

#[test]
fn broken_promises_are_poison() {
    let sum = "define i32 @f(i32 %a) {\n %s = add nsw i32 %a, 1\n ret i32 %s\n}";
    assert_eq!(run(sum, &[i32(i32::MAX)]), Ok(Datum::Poison));
    assert_eq!(run(sum, &[i32(5)]), Ok(i32(6)));
    let shift = "define i32 @f(i32 %a) {\n %s = shl i32 %a, 32\n %z = freeze i32 %s\n ret i32 %z\n}";
    assert_eq!(run(shift, &[i32(5)]), Ok(i32(0)));
}

#[test]
fn what_is_undefined_stops() {
    let division = "define i32 @f(i32 %a) {\n %s = sdiv i32 %a, 0\n ret i32 %s\n}";
    assert!(matches!(run(division, &[i32(5)]), Err(Stop::Undefined(_))));
    let null = "define i32 @f() {\n %s = load i32, ptr null\n ret i32 %s\n}";
    assert!(matches!(
        run(null, &[]),
        Err(Stop::Access {
            address: 0,
            size: 4,
            ..
        })
    ));
    assert_eq!(
        run("define void @f() {\n call void @f()\n ret void\n}", &[]),
        Err(Stop::TooDeep)
    );
    let branch = "define void @f() {\n br i1 undef, label %a, label %a\na:\n ret void\n}";
    assert!(matches!(run(branch, &[]), Err(Stop::Undefined(_))));
}

#[test]
fn frames_structures_and_calls_by_value() {
    let text = "
        %pair = type { i8, i32 }
        define i32 @g(ptr byval(%pair) %p) {
          %second = getelementptr %pair, ptr %p, i32 0, i32 1
          %x = load i32, ptr %second
          store i32 0, ptr %second
          ret i32 %x
        }
        define i32 @f(i32 %v) {
          %a = alloca %pair
          %second = getelementptr %pair, ptr %a, i32 0, i32 1
          store i32 %v, ptr %second
          %one = call i32 @g(ptr byval(%pair) %a)
          %two = load i32, ptr %second
          %sum = add i32 %one, %two
          ret i32 %sum
        }";
    assert_eq!(run(text, &[i32(21)]), Ok(i32(42)));
}

#[test]
fn vectors_and_bit_casts() {
    let text = "
        define i32 @f(<2 x float> %v) {
          %w = fadd <2 x float> %v, <float 1.0, float 2.0>
          %s = shufflevector <2 x float> %w, <2 x float> poison, <2 x i32> <i32 1, i32 0>
          %b = bitcast <2 x float> %s to i64
          %t = trunc i64 %b to i32
          ret i32 %t
        }";
    let vector = Datum::Composite(vec![float(1.0), float(2.0)]);
    assert_eq!(run(text, &[vector]), Ok(float(4.0)));
}

#[test]
fn intrinsics() {
    let text = "
        declare i32 @llvm.ctpop.i32(i32)
        declare { i32, i1 } @llvm.uadd.with.overflow.i32(i32, i32)
        declare i32 @llvm.fshl.i32(i32, i32, i32)
        declare float @llvm.nvvm.fma.rz.ftz.f(float, float, float)
        declare i32 @llvm.nvvm.d2i.hi(double)
        define i32 @f(i32 %x) {
          %a = call i32 @llvm.ctpop.i32(i32 %x)
          %b = call { i32, i1 } @llvm.uadd.with.overflow.i32(i32 %x, i32 -1)
          %c = extractvalue { i32, i1 } %b, 1
          %d = zext i1 %c to i32
          %e = call i32 @llvm.fshl.i32(i32 %x, i32 %x, i32 8)
          %g = call float @llvm.nvvm.fma.rz.ftz.f(float 2.0, float 3.0, float 1.0)
          %h = fptosi float %g to i32
          %i = call i32 @llvm.nvvm.d2i.hi(double 1.0)
          %s = add i32 %a, %d
          %t = add i32 %s, %e
          %u = add i32 %t, %h
          %v = add i32 %u, %i
          ret i32 %v
        }";
    assert_eq!(run(text, &[i32(3)]), Ok(i32(2 + 1 + 0x300 + 7 + 0x3ff0_0000)));
}

#[test]
fn remainders_are_exact() {
    let text = "define double @f(double %a, double %b) {\n %r = frem double %a, %b\n ret double %r\n}";
    let double = |value: f64| Datum::int(64, value.to_bits());
    assert_eq!(run(text, &[double(1e300), double(7.0)]), Ok(double(1e300 % 7.0)));
    assert_eq!(run(text, &[double(-5.5), double(1e-310)]), Ok(double(-5.5 % 1e-310)));
    assert_eq!(run(text, &[double(3.0), double(f64::INFINITY)]), Ok(double(3.0)));
}

#[test]
fn kernels_meet_at_barriers() {
    // Each block reverses its part of the array through shared memory.
    let text = "
        @s = addrspace(3) global [8 x i32] undef
        define ptx_kernel void @reverse(ptr addrspace(1) %p) {
          %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
          %b = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
          %start = mul i32 %b, 8
          %i = add i32 %start, %t
          %from = getelementptr i32, ptr addrspace(1) %p, i32 %i
          %v = load i32, ptr addrspace(1) %from
          %slot = getelementptr [8 x i32], ptr addrspace(3) @s, i32 0, i32 %t
          store i32 %v, ptr addrspace(3) %slot
          call void @llvm.nvvm.barrier0()
          %r = sub i32 7, %t
          %other = getelementptr [8 x i32], ptr addrspace(3) @s, i32 0, i32 %r
          %w = load i32, ptr addrspace(3) %other
          store i32 %w, ptr addrspace(1) %from
          ret void
        }";
    let module = read(text);
    let mut machine = Machine::new(&module);
    let bytes: Vec<u8> = (0..16u32).flat_map(u32::to_le_bytes).collect();
    let address = machine.allocate(&bytes);
    let kernel = module.symbols.function_named("reverse").expect("the text defines it");
    assert_eq!(
        machine.launch(kernel, Launch::line(2, 8), &[Datum::int(64, address)]),
        Ok(())
    );
    let found: Vec<Option<u64>> = (0..16)
        .map(|index| machine.read(address + 4 * index, Type::I32)?.low())
        .collect();
    let expected: Vec<Option<u64>> = (0..8).rev().chain((8..16).rev()).map(Some).collect();
    assert_eq!(found, expected);
}

#[test]
fn atomic_operations_and_initial_values() {
    let text = "
        @count = addrspace(1) global i32 40
        define ptx_kernel void @f() {
          %old = atomicrmw add ptr addrspace(1) @count, i32 1 monotonic
          ret void
        }";
    let module = read(text);
    let mut machine = Machine::new(&module);
    let count = module.symbols.global_named("count").expect("the text defines it");
    let kernel = module.symbols.function_named("f").expect("the text defines it");
    assert_eq!(machine.launch(kernel, Launch::line(3, 2), &[]), Ok(()));
    let address = machine.address(count).expect("it is in global memory");
    assert_eq!(machine.read(address, Type::I32), Some(i32(46)));
}

#[test]
fn versions_of_a_function_are_compared() {
    use warpsmith_ir::interpret::{Outcome, compare};
    let version = |line: &str| {
        read(&format!(
            "define void @f(ptr %p, i32 %x) {{\n {line}\n store i32 %y, ptr %p\n ret void\n}}"
        ))
    };
    let (product, shift, sum) = (
        version("%y = mul i32 %x, 2"),
        version("%y = shl i32 %x, 1"),
        version("%y = add i32 %x, 2"),
    );
    let all = |after: &Module| {
        (0..20)
            .map(|seed| compare(&product, after, "f", seed))
            .collect::<Vec<_>>()
    };
    assert!(all(&shift).iter().all(|outcome| *outcome == Outcome::Same));
    assert!(all(&sum).iter().any(|outcome| matches!(outcome, Outcome::Different(_))));
    // Where the first version promises, the second need not keep to what is not defined.
    let promise = version("%y = mul nsw i32 %x, 2");
    assert_eq!(compare(&promise, &shift, "f", 4), Outcome::Same);
}
