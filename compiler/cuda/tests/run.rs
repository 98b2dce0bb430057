//! Programs through the whole front end, instruction selection and the PTX interpreter: each computes an `int`.

mod support;

use warpsmith::{FrontEnd, Prelude};
use warpsmith_cuda::source::Memory;
use warpsmith_cuda::{Options, compile};

/// What `int test()` gives, and what was printed. Functions and variables are the device's unless something else is said.
fn outcome(text: &str) -> (i32, String) {
    let text = format!("{text}\n__global__ void run(int *result) {{ *result = test(); }}\n");
    let front = FrontEnd {
        prelude: Prelude::None,
        device_by_default: true,
        ..FrontEnd::default()
    };
    match support::run(front, &text, "_Z3runPi", 1, 1) {
        Ok((left, printed)) => (left[0], printed),
        Err(message) => panic!("{message}"),
    }
}

fn result(text: &str) -> i32 {
    outcome(text).0
}

#[test]
fn bit_fields_are_cut_and_extended() {
    let text = "
        struct B { unsigned a : 3; int b : 5; long long c : 40; };
        int test() { B x = {5, -7, -123456789012LL}; x.a = 15; x.b += 3; x.c -= 1; return x.a * 100 + x.b + (x.c == -123456789013LL); }";
    assert_eq!(result(text), 7 * 100 - 4 + 1);
}

#[test]
fn unions_share_memory() {
    assert_eq!(
        result("union U { float f; unsigned u; }; int test() { U x; x.f = 1; return x.u >> 20; }"),
        0x3f8
    );
}

/// Arrays stay the heap's, as with nvcc 13.0, where the standard's own `operator new[]` would call the program's `operator new`.
#[test]
fn a_program_replaces_operator_new_and_delete() {
    let text = "
        int log; char room[64];
        void *operator new(unsigned long);
        struct S { int v; ~S() { log += 1000; } };
        int test() { int *p = new int(3); int v = *p; delete p; int *a = new int[2]; delete[] a; delete new S; return log + v; }
        void *operator new(unsigned long n) { log += 10; return room; }
        void operator delete(void *p) noexcept { log += 100; }";
    assert_eq!(result(text), 1223);
    let of_two = "
        int log; char room[64];
        void *operator new(unsigned long n) { return room; }
        void operator delete(void *p) noexcept { log += 1; }
        void operator delete(void *p, unsigned long n) noexcept { log += (int)n * 10; }
        int test() { delete new long(3); return log; }";
    assert_eq!(
        result(of_two),
        80,
        "the one that wants the size comes first [expr.delete]"
    );
    let of_the_host = "
        __host__ void *operator new(unsigned long n) { return nullptr; }
        int test() { int *p = new int(3); int v = *p; delete p; return v; }";
    assert_eq!(result(of_the_host), 3);
}

#[test]
fn objects_are_passed_and_returned_by_value() {
    let text = "
        struct V { int x, y, z; };
        V twice(V v) { v.x *= 2; v.y *= 2; v.z *= 2; return v; }
        int test() { V v = {1, 2, 3}; V w = twice(v); return v.x + v.y + v.z + 100 * (w.x + w.y + w.z); }";
    assert_eq!(result(text), 1206);
}

#[test]
fn destructors_run_on_every_way_out() {
    let text = "
        struct T { int *log; int id; T(int *l, int i) : log(l), id(i) {} ~T() { *log = *log * 10 + id; } };
        int f(int *log, int way) {
            T a(log, 1);
            for (int i = 0; i < 2; ++i) { T b(log, 2); if (way == 0) continue; if (way == 1) break; if (way == 2) return 0; goto out; }
            { T c(log, 3); }
        out:
            return 1;
        }
        int test() { int sum = 0; for (int way = 0; way < 4; ++way) { int log = 0; f(&log, way); sum = sum * 3 + log; } return sum; }";
    assert_eq!(result(text), ((2231 * 3 + 231) * 3 + 21) * 3 + 21);
}

#[test]
fn temporaries_die_at_the_end_of_the_full_expression_unless_bound() {
    let text = "
        struct T { int *log; int id; T(int *l, int i) : log(l), id(i) {} ~T() { *log = *log * 10 + id; } };
        int test() {
            int log = 0;
            { const T &kept = T(&log, 1); int both = T(&log, 2).id + T(&log, 3).id; bool maybe = both > 9 && T(&log, 9).id; log = log * 10 + both + maybe; }
            return log;
        }";
    // GNU's order: the operands of + from the left, so 3 dies before 2.
    assert_eq!(result(text), 3251);
}

#[test]
fn temporaries_under_conditions_of_several_parts_die_only_where_they_were_made() {
    // Memory of calls before is not zero, so that a note that nobody has written shows.
    let text = "
        struct T { int *log; int id; T(int *l, int i) : log(l), id(i) {} ~T() { *log = *log * 10 + id; } };
        int dirty() { volatile int a[64]; for (int i = 0; i < 64; ++i) a[i] = -1; return a[5]; }
        int take(T t) { return t.id; }
        int f(int *log, int a) { return (a > 1 && a > 2) ? take(T(log, 1)) : take(T(log, 2)); }
        int g(int *log, int a) { return (a > 2 || a < 1) && T(log, 3).id > 1 && a != 5 ? T(log, 4).id : 0; }
        int test() {
            int log = 0;
            for (int a = 0; a < 5; a += 2) { dirty(); f(&log, a); dirty(); g(&log, a); }
            return log;
        }";
    // 0: f makes 2, g makes 3 and 4, of which 4 dies first. 2: f makes 2, g nothing. 4: f makes 1, g makes 3 and 4.
    assert_eq!(result(text), 2_432_143);
}

#[test]
fn virtual_functions_find_their_overriders_through_each_base() {
    let text = "
        struct A { int a = 1; virtual int f() { return a; } virtual ~A() {} };
        struct C { int c = 2; virtual int g() { return c; } virtual ~C() {} };
        struct D : A, C { int d = 5; int f() override { return d; } int g() override { return d * 10; } };
        int test() { D d; A *a = &d; C *c = &d; A plain; C *made = new D; int r = a->f() + c->g() + plain.f() * 100 + made->g() * 1000; delete made; return r; }";
    assert_eq!(result(text), 5 + 50 + 100 + 50000);
}

#[test]
fn pointers_to_members_reach_data_and_functions() {
    let text = "
        struct S { int x, y; int add(int k) { return x + k; } virtual int scale(int k) { return y * k; } };
        struct R : S { int scale(int k) override { return -k; } };
        typedef int (S::*Function)(int); typedef int S::*Data;
        int test() { R r; r.x = 3; r.y = 4; Data d = &S::y; Function f = &S::add, g = &S::scale; S *s = &r; return s->*d + (s->*f)(10) * 10 + (r.*g)(5) * 1000 + (f != g); }";
    assert_eq!(result(text), 4 + 130 - 5000 + 1);
}

#[test]
fn switches_fall_through_and_jump_into_loops() {
    let text = "
        int duff(int n) { int c = 0, k = (n + 3) / 4; switch (n % 4) { case 0: do { c++; case 3: c += 10; case 2: c += 100; case 1: c += 1000; } while (--k > 0); } return c; }
        int range(int x) { switch (x) { case -5 ... -1: return 1; case 100 ... 1000: return 2; default: return 3; } }
        int test() { return duff(7) + range(-3) + range(500) * 10 + range(7) * 100; }";
    assert_eq!(result(text), 2221 + 1 + 20 + 300);
}

#[test]
fn arithmetic_follows_the_types() {
    let text = "
        int test() {
            unsigned char c = 250; c += 10; signed char s = 127; s++; unsigned u = -1; long long l = 1LL << 40; __int128 w = (__int128)l * l;
            float f = 1.1f; double d = f;
            return c + s + (u >> 28) + (int)(l >> 38) + -7 / 2 + -7 % 3 + (int)(w >> 78) + (int)(d * 1000) + (int)-2.7 + (d > 1.0) + (d != d);
        }";
    assert_eq!(result(text), 4 - 128 + 15 + 4 - 3 - 1 + 4 + 1100 - 2 + 1);
}

/// C++ does not say what a number out of range becomes; nvcc's code converts it to 32 bits and keeps the low ones, be it known or not.
#[test]
fn numbers_out_of_range_become_narrow_integers_by_way_of_32_bits() {
    for kind in ["volatile", ""] {
        let text = format!(
            "int test() {{
                {kind} float a = 70000, b = 40000, c = 300; {kind} double d = 200;
                return ((unsigned short)a == 4464) + 2 * ((short)b == -25536) + 4 * ((unsigned char)c == 44) + 8 * ((signed char)d == -56);
            }}"
        );
        assert_eq!(result(&text), 15, "{text}");
    }
}

#[test]
fn arrays_and_objects_are_initialised_as_said() {
    let text = "
        struct P { int x, y; }; struct N { int a = 3; P p{4, 5}; int b; };
        static P points[] = {{1, 2}, {3, 4}}; static int *into = &points[1].x; constexpr int squares[4] = {0, 1, 4, 9};
        int test() {
            P p = {1}; N n{}; N m = {9}; int a[10] = {1, 2}; char s[8] = \"xyz\"; P *heap = new P[3]{{1, 2}, {3, 4}}; *into += 5; static int count = 7; int i = 3;
            int r = p.y + n.a + n.p.y * 10 + m.a * 100 + a[1] + a[9] + s[2] + s[3] + heap[1].y + heap[2].x + points[1].x + count++ + squares[i];
            delete[] heap;
            return r;
        }";
    assert_eq!(result(text), 3 + 50 + 900 + 2 + 'z' as i32 + 4 + 8 + 7 + 9);
}

#[test]
fn arrays_of_objects_are_made_and_destroyed_on_the_heap() {
    let text = "
        static int made, gone;
        struct T { int id; T() : id(++made) {} ~T() { gone = gone * 10 + id; } };
        int test() { T *all = new T[3]; T one; delete[] all; return gone * 10 + made; }";
    assert_eq!(result(text), 3214);
}

#[test]
fn asm_reads_and_writes_its_operands() {
    let text = r#"
        int test() {
            int a = 5, b = 7, sum, twice = 4; float f = 2.0f, g; unsigned long long wide;
            asm("add.s32 %0, %1, %2;" : "=r"(sum) : "r"(a), "r"(b));
            asm volatile("{ .reg .b32 t; mov.b32 t, %0; add.s32 %0, t, %1; }" : "+r"(twice) : "n"(3));
            asm("mul.f32 %0, %1, %1;" : "=f"(g) : "f"(f));
            asm("mul.wide.u32 %[out], %[x], %[x];" : [out] "=l"(wide) : [x] "r"(100000));
            return sum + twice * 100 + (int)g * 10000 + (wide == 10000000000ull) * 1000000;
        }"#;
    assert_eq!(result(text), 12 + 700 + 40000 + 1_000_000);
}

#[test]
fn printf_packs_its_arguments() {
    let text = "extern \"C\" int printf(const char *, ...); int test() { char c = 'x'; printf(\"%d %s %c %.2f %lld\\n\", 42, \"word\", c, 1.5f, 1ll << 40); return 0; }";
    assert_eq!(outcome(text).1, "42 word x 1.50 1099511627776\n");
}

#[test]
fn volatile_objects_and_references_are_kept_apart() {
    let text = "
        void swap(int &a, int &b) { int t = a; a = b; b = t; }
        int test() { volatile int v = 3; v = v + 1; int x = v, y = 9; swap(x, y); int &r = x > 5 ? x : y; r += 100; const int &bound = x + y; return bound * 10 + v; }";
    assert_eq!(result(text), (109 + 4) * 10 + 4);
}

#[test]
fn constant_evaluation_and_device_code_agree() {
    let text = "
        struct P { int x, y; constexpr P(int a, int b) : x(a), y(b) {} constexpr int dot(const P &o) const { return x * o.x + y * o.y; } };
        constexpr int work(int n) { int a[8] = {}; for (int i = 0; i < 8; ++i) a[i] = i * n; int s = 0; for (int *p = a; p != a + 8; ++p) s += *p; P p(s, n); return p.dot(P(2, 3)); }
        int test() { constexpr int known = work(7); int n = 7; return known == work(n) ? known : -1; }";
    assert_eq!(result(text), 28 * 7 * 2 + 21);
}

#[test]
fn variable_arguments_are_read_as_they_were_passed() {
    let text = "
        struct P { int x; double y; };
        int sum(int n, ...) {
            __builtin_va_list list, again; __builtin_va_start(list, n); __builtin_va_copy(again, list);
            int s = __builtin_va_arg(list, int); s += (int)__builtin_va_arg(list, double); P p = __builtin_va_arg(list, P); s += p.x + (int)p.y; s += (int)__builtin_va_arg(list, long long);
            s += __builtin_va_arg(again, int); __builtin_va_end(list); return s;
        }
        int test() { P p = {300, 4000}; return sum(4, 1, 20.5f, p, 50000ll); }";
    assert_eq!(result(text), 1 + 20 + 300 + 4000 + 50000 + 1);
}

#[test]
fn declarations_in_blocks_name_the_variables_of_the_namespace() {
    let text = "int other(); int f() { extern int shared; return shared; } int shared = 5; int other() { return shared * 10; } int test() { return f() + other(); }";
    assert_eq!(result(text), 55);
}

#[test]
fn gnu_atomics_are_those_of_the_device() {
    let text = "
        #include <warpsmith/prelude.h>
        #include <warpsmith/memory.h>
        #include <warpsmith/atomic.h>
        #include <warpsmith/gnu_atomic.h>
        __device__ int test() {
            int x = 5, old, want = 7; unsigned char c[4] = {1, 255, 3, 4};
            old = __atomic_fetch_add(&x, 2, __ATOMIC_SEQ_CST);
            bool done = __atomic_compare_exchange_n(&x, &want, 9, false, __ATOMIC_ACQ_REL, __ATOMIC_RELAXED);
            int y = __sync_fetch_and_add(&x, 1) + __sync_add_and_fetch(&x, 1);
            __atomic_store_n(&x, 3, __ATOMIC_RELEASE);
            __atomic_fetch_add(&c[1], 2, __ATOMIC_RELAXED);
            return old * 1000 + done * 100 + y + __atomic_load_n(&x, __ATOMIC_ACQUIRE) * 10000 + c[0] * 100000 + c[1] * 1000000 + c[2] * 10000000;
        }";
    assert_eq!(result(text), 31_135_120);
}

#[test]
fn reductions_take_the_mask_first() {
    let text = "int test() { return (int)__reduce_add_sync_unsigned_impl(1u, 42u); }";
    assert_eq!(result(text), 42);
}

#[test]
fn virtual_functions_of_class_templates_are_in_their_tables() {
    let text = "
        template <class T> struct Base { int n; Base() : n(0) {} virtual ~Base() {} virtual void push(T x) = 0; virtual int sum() { return n; } };
        template <class T> struct Derived : Base<T> { int *out; Derived(int *o) : out(o) {} ~Derived() { *out += 1000; } void push(T x) { this->n += 2 * (int)x; } };
        int test() { int end = 0; { Derived<float> d(&end); Base<float> &b = d; b.push(3.0f); b.push(4.0f); end = b.sum(); } return end; }";
    assert_eq!(result(text), 1014);
}

#[test]
fn constants_are_operands_of_assembly_in_registers() {
    let text = "int test() { unsigned r; asm(\"add.rn.f16x2 %0, %1, %2;\" : \"=r\"(r) : \"r\"(0x3c003c00u), \"r\"(0x40004000u)); return (int)(r & 0xffff); }";
    assert_eq!(result(text), 0x4200);
}

#[test]
fn arrays_in_shared_memory_hold_wide_words() {
    let text = "
        struct alignas(16) Q { unsigned x, y, z, w; };
        int test() { __shared__ unsigned a[3]; __shared__ unsigned b[8]; a[0] = 7; *(Q *)b = Q{1, 2, 3, 4}; return b[3] + a[0]; }";
    assert_eq!(result(text), 11);
}

#[test]
fn bodies_of_the_host_do_not_matter_to_the_device() {
    // Code for both sides may name a function of the host, whose body has what there is not on the device.
    let text = "
        __host__ int host_only() { asm(\"nop\"); try { return 1; } catch (...) { } return 2; }
        __host__ __device__ int both(int x) { if (x < 0) return host_only(); return x; }
        int test() { return both(5); }";
    assert_eq!(result(text), 5);
}

#[test]
fn lanes_are_chosen_by_vectors_and_by_constants() {
    let text = "
        typedef int v4 __attribute__((vector_size(16)));
        typedef float f4 __attribute__((vector_size(16)));
        int test() {
            v4 a = {1, 2, 3, 4}, b = {5, 6, 7, 8}, m = {3, 4, 1, 14};
            f4 f = {1.5f, 2.5f, 3.5f, 4.5f};
            v4 one = __builtin_shuffle(a, m), two = __builtin_shuffle(a, b, m);
            f4 floats = __builtin_shuffle(f, m);
            if (one[0] != 4 || one[1] != 1 || one[2] != 2 || one[3] != 3) return 1;
            if (two[0] != 4 || two[1] != 5 || two[2] != 2 || two[3] != 7) return 2;
            if (floats[0] != 4.5f || floats[3] != 3.5f) return 3;
            auto eight = __builtin_shufflevector(a, b, 7, 0, -1, 3, 4, 4, 5, 6);
            return sizeof eight == 32 && eight[0] == 8 && eight[1] == 1 && eight[3] == 4 && eight[7] == 7 ? 42 : 4;
        }";
    assert_eq!(result(text), 42);
}

#[test]
fn kinds_of_types_have_numbers() {
    let text = "
        enum E { e }; struct S {} s; union U { int x; } u;
        int test() {
            int i = 0;
            return __builtin_classify_type(i) == 1 && __builtin_classify_type(e) == 3 && __builtin_classify_type(true) == 4
                && __builtin_classify_type(&i) == 5 && __builtin_classify_type(1.0f) == 8 && __builtin_classify_type(s) == 12
                && __builtin_classify_type(u) == 13 && __builtin_imaxabs(-3) == 3 ? 42 : 0;
        }";
    assert_eq!(result(text), 42);
}

/// What is computed of values that the compiler cannot see must be what it folds of those that it sees.
#[test]
fn integers_of_128_bits_become_floats_and_come_back() {
    let values = [
        "0",
        "1",
        "-1",
        "(I)1 << 64",
        "-((I)1 << 64)",
        "(I)((U)1 << 127)",
        "(I)(~(U)0 >> 1)",
        "(I)0xffffffffffffffff",
        "((I)0x40000000000002 << 60) + 1",
        "(I)0x40000000000002 << 60",
        "((I)0x2000002 << 90) + 1",
        "-((I)0x2000002 << 90)",
        "(I)0x12345678 << 41 | 0x9abcdef",
        "(I)65519",
        "(I)-65520",
        "(I)0x1ffffff << 3",
    ];
    let mut checks = String::new();
    for value in values {
        checks += &format!(
            "{{ constexpr I c = {value}; volatile I v = c; constexpr U w = c; ++n;
               good += (double)v == (double)c && (float)v == (float)c && (double)(U)v == (double)w && (float)(U)v == (float)w
                    && kind(v) == kind(c) && (v < 0 ? -v : v) == (c < 0 ? -(U)c : c) && back(c); }}\n"
        );
    }
    let text = format!(
        "typedef __int128 I; typedef unsigned __int128 U;
        constexpr int kind(I v) {{ switch (v) {{ case 0: return 1; case -1: return 2; case (I)1 << 64: return 3; case (I)((U)1 << 127): return 4;
            case 65519: return 5; default: return 6; }} }}
        bool back(I c) {{ volatile double d = (double)c; volatile float f = (float)c; double x = d; float y = f; I a = (I)d, b = (I)f;
            if (x < 1.7e38) return (double)a == x && (float)b == y;
            return a == (I)(~(U)0 >> 1) && (U)d == (U)1 << 127; }}
        int test() {{ int n = 0, good = 0;\n{checks} return good * 100 + n; }}"
    );
    assert_eq!(result(&text), 1616);
}

#[test]
fn a_kernel_does_not_destroy_its_parameters() {
    let text = "
        int destroyed;
        struct Table { int size; __host__ __device__ ~Table() { ++destroyed; } };
        void use(Table table) { destroyed += 10 * table.size; }
        __global__ void kernel(Table table) { use(table); }";
    let files = Memory::new().with("test.cu", text);
    let mut options = Options::default();
    options.source.prelude = warpsmith_cuda::source::Prelude::None;
    options.sema.device_by_default = true;
    let module = compile(&files, "test.cu", &options).module.expect("it is accepted");
    let text = module.to_text(warpsmith_ir::Dialect::Modern);
    let kernel = &text[text.find("@_Z6kernel5Table").expect("the kernel is there")..];
    let kernel = &kernel[..kernel.find("\n}").expect("it has a body")];
    // The copy that `use` takes is destroyed, the parameter is not.
    assert!(kernel.contains("@_ZN5TableD1Ev(ptr %argument)"), "{kernel}");
    assert_eq!(kernel.matches("TableD").count(), 1, "{kernel}");
}

/// With nvcc the kernel ends there, without a word; the trap is a fault that is reported.
#[test]
fn host_functions_that_both_sides_call_trap_on_the_device() {
    let text = "
        __host__ int missing(int x);
        __host__ int there(int x) { return x + 1; }
        struct Closed { __host__ Closed(); __host__ ~Closed(); };
        struct Holder { Closed closed; };
        __host__ __device__ int both(int x) {
            if (x == 1) return missing(x);
            if (x == 2) return there(x);
            if (x == 3) { Holder holder; return x; }
            return x;
        }
        int test() { return both(4); }";
    assert_eq!(result(text), 4);
}
