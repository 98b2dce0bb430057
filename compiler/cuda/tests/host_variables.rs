//! Variables that the host may write before a kernel runs: `cudaMemcpyToSymbol` takes them by name, whatever their linkage.

use warpsmith::{Emit, Failure, Options, Session, Sm, Source};

/// The PTX of a unit.
fn ptx(text: &str) -> String {
    let mut options = Options::new(Sm::Sm90);
    options.emit = Emit::Ptx;
    let compiled = Session::new(options).compile(&Source::cuda("test.cu", text));
    compiled.expect("it compiles").ptx.expect("PTX was asked for")
}

/// The lines of variables, and of loads of them.
fn variables(text: &str) -> Vec<String> {
    let ptx = ptx(text);
    let lines = ptx.lines().map(str::trim);
    let wanted =
        lines.filter(|line| line.contains(" .align ") || line.starts_with("ld.global") || line.starts_with("ld.const"));
    wanted.map(str::to_string).collect()
}

#[test]
fn a_static_table_is_read_where_it_is() {
    let text = "static __constant__ int table[2] = {1, 2};\n\
        __global__ void k(int *p) { *p = table[1]; }\n";
    assert_eq!(
        variables(text),
        [
            ".const .align 4 .b8 table[8] = {1, 0, 0, 0, 2};",
            "ld.const.u32 %r1, [table+4];"
        ]
    );
}

#[test]
fn a_static_variable_without_a_value_is_not_zero_for_good() {
    let text = "static __device__ float scale;\n\
        namespace { __constant__ int *place; }\n\
        __global__ void k(float *p) { *p = scale; if (place) *place = 1; }\n\
        void f() {}\n";
    let found = variables(text);
    assert_eq!(found[0], ".global .align 4 .f32 scale;");
    assert!(found.iter().any(|line| line.ends_with("[scale];")), "{found:#?}");
    assert!(found.iter().any(|line| line.starts_with("ld.const.u64")), "{found:#?}");
}

#[test]
fn what_no_kernel_names_is_there_for_the_host() {
    let text = "static __device__ int a;\n\
        static __constant__ int c[2];\n\
        namespace n { static __managed__ int m = 3; }\n\
        __global__ void k(int *p) { *p = 1; }\n";
    assert_eq!(
        variables(text),
        [
            ".global .align 4 .u32 a;",
            ".const .align 4 .b8 c[8];",
            ".global .attribute(.managed) .align 4 .u32 _ZN1n1mE = 3;"
        ]
    );
}

/// The host cannot write these: their values are known, and they go where nothing names them.
#[test]
fn constants_and_variables_of_functions_are_known_and_constants_stay_for_the_host() {
    let text = "static __device__ const int a = 7;\n\
        __device__ static constexpr int b[2] = {1, 2};\n\
        __global__ void k(int *p) { static __constant__ int c = 4; *p = a + b[1] + c; }\n";
    assert_eq!(
        variables(text),
        [
            ".global .align 4 .u32 a = 7;",
            ".global .align 4 .b8 b[8] = {1, 0, 0, 0, 2};"
        ]
    );
}

#[test]
fn constants_that_no_kernel_names_are_there_for_the_host() {
    let text = "static const __device__ int a = 1;\n\
        __constant__ const int b[2] = {2};\n\
        constexpr __device__ short c = 3;\n\
        namespace n { static __constant__ const char *const d = \"4\"; struct Empty {}; __device__ const Empty e{}; }\n\
        const int of_the_host = 6;\n\
        __global__ void k(int *p) { *p = a + b[0] + c + of_the_host; }\n";
    assert_eq!(
        variables(text),
        [
            ".global .align 4 .u32 a = 1;",
            ".const .align 4 .b8 b[8] = {2};",
            ".global .align 2 .u16 c = 3;",
            ".global .align 1 .b8 $str[2] = {52};",
            ".const .align 8 .u64 _ZN1n1dE = generic($str);",
            ".global .align 1 .b8 _ZN1n1eE[1];"
        ]
    );
}

#[test]
fn constants_of_functions_stay_only_where_they_are_used() {
    let text = "__device__ int f() { static const __device__ int unused = 1; return 2; }\n\
        template <class T> __device__ const T of_template = 3;\n\
        __global__ void k(int *p) { *p = f(); }\n";
    assert_eq!(variables(text), [] as [&str; 0]);
}

/// What is said of a unit that is refused.
fn refused(text: &str) -> String {
    let mut options = Options::new(Sm::Sm90);
    options.emit = Emit::Ptx;
    let failure = Session::new(options)
        .compile(&Source::cuda("test.cu", text))
        .unwrap_err();
    let (Failure::Rejected(messages) | Failure::Unsupported(messages)) = failure else {
        panic!("{failure:?}");
    };
    messages.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n")
}

#[test]
fn the_address_of_a_variable_of_the_host_comes_to_no_device_code() {
    let message = "the variable `h` lives on the host: device code cannot have its address";
    // Through a constant.
    let text = "int h;\nconstexpr int *address = &h;\n__global__ void k(int **p) { *p = address; }\n";
    assert_eq!(refused(text), format!("error: test.cu:3:35: {message}"));
    // Through a member, a function of both sides, the initial value of a variable of the device.
    let text = "int h;\nstruct S { static constexpr int *q = &h; };\n__global__ void k(int **p) { *p = S::q; }\n";
    assert_eq!(refused(text), format!("error: test.cu:3:35: {message}"));
    let text = "int h;\n__host__ __device__ int *both() { return &h; }\n__global__ void k(int **p) { *p = both(); }\n";
    assert_eq!(refused(text), format!("error: test.cu:2:43: {message}"));
    // A static variable of a function, of the host and of both sides.
    let text = "template <class F> __global__ void run(F f, int **p) { *p = f(); }\nvoid f(int **p) {\n  static int h;\n\
        run<<<1, 1>>>([] __device__() { static constexpr int *q = &h; return q; }, p);\n}\n";
    assert!(refused(text).ends_with(message));
    ptx("__host__ __device__ int *both() { static int s; return &s; }\n__global__ void k(int **p) { *p = both(); }\n");
    let text = "int h;\n__device__ int *d = &h;\n__global__ void k(int **p) { *p = d; }\n";
    assert_eq!(refused(text), format!("error: test.cu:2:17: {message}"));
}

#[test]
fn constants_of_the_host_and_addresses_on_the_device_are_for_device_code() {
    let text = "struct T { int a, b; };\nconstexpr T t{1, 2};\n__device__ int d;\nconstexpr int *address = &d;\n\
        __global__ void k(const T **p, int **q) { *p = &t; *q = address; }\n";
    assert_eq!(
        variables(text),
        [
            ".visible .global .align 4 .u32 d;",
            ".global .align 4 .b8 t[8] = {1, 0, 0, 0, 2};"
        ]
    );
}

#[test]
fn typeid_is_a_constant_of_the_host() {
    let head = "namespace std { class type_info { public: const char *name() const; virtual ~type_info(); }; }\n";
    let types = "template <class... T> struct D { static constexpr const std::type_info *types[] = {&typeid(T)..., nullptr}; };\n";
    let compared = "struct P { virtual ~P(); };\n\
        static_assert(&typeid(int) == &typeid(const int &) && &typeid(int) != &typeid(long));\n\
        static_assert(D<int, P>::types[1] == &typeid(P) && D<int>::types[1] == nullptr);\n\
        const std::type_info *of(P &p) { return &typeid(p); }\n\
        __global__ void k(int *p) { *p = D<int>::types[1] == nullptr; }\n";
    ptx(&format!("{head}{types}{compared}"));
    let used = "constexpr auto of_int = &typeid(int);\n__global__ void k(const std::type_info **p) { *p = of_int; }\n";
    assert_eq!(
        refused(&format!("{head}{used}")),
        "error: test.cu:3:52: the variable `typeid(int)` lives on the host: device code cannot have its address"
    );
    // Read out of a table it is a symbol that nothing defines.
    let read = "__global__ void k(const std::type_info **p) { *p = D<int>::types[0]; }\n";
    assert!(ptx(&format!("{head}{types}{read}")).contains(".extern .global .align 8 .b8 _ZTIi["));
    // The type of a polymorphic object is not known at compile time.
    let dynamic =
        "struct P { virtual ~P(); } p;\nconstexpr const std::type_info *t = &typeid(p);\n__global__ void k() {}\n";
    assert_eq!(
        refused(&format!("{head}{dynamic}")),
        "error: test.cu:3:33: this expression is not constant"
    );
}
