//! What stands before and behind the unit: the functions that stubs call, the fat binary, and the code that registers it.

use std::fmt::Write as _;

use warpsmith_cuda::{HostEntity, HostKind};

use crate::variable::PLACE;

/// What comes before the unit, in a line of its own before the first line mark. The type of a parameter is in that of its function without `__restrict__`, which g++
/// forgets where the type depends on arguments of a template.
pub(crate) const HEAD: &str = "static void __warpsmith_launch(const void *, const volatile void **) __attribute__((unused)); \
static void *__warpsmith_managed(void **) __attribute__((unused)); \
template <class T> struct __warpsmith_type { typedef T type; }; \
template <class T> struct __warpsmith_type<T *__restrict__> { typedef T *type; };\n";

/// What a unit registers.
#[derive(Clone, Debug)]
pub struct Registration<'a> {
    /// Kernels and variables of the device's side.
    pub entities: &'a [HostEntity],
    /// The images of all targets.
    pub fatbin: &'a [u8],
    /// The host's compiler gives closures the names of the Itanium C++ ABI wherever they are, as g++ does: stubs whose types have no name are known by their symbols.
    pub names_closures: bool,
    /// Launches without a stream are for the stream of the thread.
    pub per_thread_stream: bool,
    /// The unit's name among those that its device code is linked with; none of a unit that is a whole program.
    pub module: Option<&'a str>,
}

/// The code that is to stand behind the unit's host side.
///
/// # Errors
/// The kernels and variables that have no name there.
pub fn registration(what: &Registration) -> Result<String, Vec<String>> {
    let mut errors = Vec::new();
    let (mut stubs, mut calls) = (String::new(), String::new());
    for (index, entity) in what.entities.iter().enumerate() {
        match &entity.expression {
            Ok(expression) => call(entity, expression, &mut calls),
            // The type of a lambda has no name, and the stub has a symbol.
            Err(_) if entity.kind == HostKind::Kernel && what.names_closures => {
                let stub = format!("__warpsmith_stub_{index}");
                // The compiler itself is not to know that both are one: clang would rename the stub.
                let _ = writeln!(
                    stubs,
                    "__asm__(\".set {stub}, {}\"); extern \"C\" void {stub}() __attribute__((visibility(\"hidden\")));",
                    entity.host_symbol
                );
                call(entity, &stub, &mut calls);
            }
            Err(reason) => errors.push(format!(
                "`{}` cannot be registered with the CUDA runtime: {reason} has no name that the host's compiler has, too (g++ has one for lambdas)",
                entity.name
            )),
        }
    }
    if !errors.is_empty() {
        return Err(errors);
    }
    // The runtime is declared as its headers do. Flag 3 leaves warnings out.
    let mut text = String::from("\n# 1 \"<registration>\" 3\n");
    let suffix = if what.per_thread_stream { "_ptsz" } else { "" };
    let _ = writeln!(text, "{}", LAUNCH.replace("SUFFIX", suffix));
    let section = if what.module.is_some() {
        "__nv_relfatbin"
    } else {
        ".nv_fatbin"
    };
    embed(what.fatbin, section, &mut text);
    let _ = writeln!(text, "{stubs}extern \"C\" {{\n{REGISTER}}}");
    let _ = match what.module {
        None => writeln!(
            text,
            "{}{REGISTER_HEAD}{calls}{REGISTER_END}",
            wrapper("static const", "__warpsmith_wrapper")
        ),
        Some(module) => writeln!(
            text,
            "{}{}",
            named_wrapper(module),
            REGISTER_LATER.replace("MODULE", module).replace("CALLS", &calls)
        ),
    };
    Ok(text)
}

/// What the symbol of a unit's wrapper begins with; the unit's name is behind it.
pub const WRAPPER: &str = "__fatbinwrap";

/// The code of a device link: the fat binary of all units, which is registered when the first of them asks for it, and the functions by which they do.
pub fn device_link(modules: &[&str], fatbin: &[u8]) -> String {
    let mut text = String::new();
    embed(fatbin, ".nv_fatbin", &mut text);
    let _ = writeln!(
        text,
        "extern \"C\" {{\n{REGISTER_BINARY}}}\n{}{LINKED}",
        wrapper("static const", "__warpsmith_wrapper")
    );
    for module in modules {
        let _ = writeln!(
            text,
            "extern \"C\" __attribute__((visibility(\"hidden\"))) void __cudaRegisterLinkedBinary{module}(void (*entities)(void **), void *, void *, void (*)(void *)) {{ \
             entities(__warpsmith_linked()); }}"
        );
    }
    text
}

/// What the runtime gets of a fat binary.
fn wrapper(linkage: &str, name: &str) -> String {
    format!(
        "{linkage} struct {{ int magic; int version; const unsigned long long *data; void *linked; }} {name} \
         __attribute__((aligned(8), section(\".nvFatBinSegment\"), used)) = {{ 0x466243b1, 1, __warpsmith_fatbin, 0 }};\n"
    )
}

/// The same of a unit that is linked later, by its symbol.
fn named_wrapper(module: &str) -> String {
    format!(
        "struct __warpsmith_wrapper_of {{ int magic; int version; const unsigned long long *data; void *linked; }};\n\
         extern \"C\" {{ __attribute__((visibility(\"hidden\"), aligned(8), section(\".nvFatBinSegment\"), used)) \
         __warpsmith_wrapper_of {WRAPPER}{module} = {{ 0x466243b1, 1, __warpsmith_fatbin, 0 }}; }}\n"
    )
}

fn call(entity: &HostEntity, expression: &str, calls: &mut String) {
    let symbol = &entity.symbol;
    let _ = match entity.kind {
        HostKind::Kernel => writeln!(
            calls,
            "__cudaRegisterFunction(__warpsmith_binary, (const char *){expression}, (char *)\"{symbol}\", \"{symbol}\", -1, 0, 0, 0, 0, 0);"
        ),
        HostKind::Variable | HostKind::Constant => writeln!(
            calls,
            "__cudaRegisterVar(__warpsmith_binary, (char *)__builtin_addressof({expression}), (char *)\"{symbol}\", \"{symbol}\", 0, sizeof({expression}), {}, 0);",
            u8::from(entity.kind == HostKind::Constant)
        ),
        HostKind::Managed => {
            let (scope, name) = expression
                .rsplit_once("::")
                .map_or(("", expression), |(scope, name)| (scope, name));
            let colons = if scope.is_empty() { "" } else { "::" };
            writeln!(
                calls,
                "__cudaRegisterManagedVar(__warpsmith_binary, &{scope}{colons}{PLACE}{name}, (char *)\"{symbol}\", \"{symbol}\", 0, sizeof({expression}), 0, 0);"
            )
        }
    };
}

/// The functions that stubs call.
const LAUNCH: &str = r#"extern "C" {
::cudaError_t __cudaPopCallConfiguration(::dim3 *, ::dim3 *, ::size_t *, void *);
::cudaError_t cudaLaunchKernelSUFFIX(const void *, ::dim3, ::dim3, void **, ::size_t, ::cudaStream_t);
char __cudaInitModule(void **);
}
static void **__warpsmith_binary;
static void __warpsmith_launch(const void *kernel, const volatile void **arguments) {
::dim3 grid, block; ::size_t shared; ::cudaStream_t stream;
if (__cudaPopCallConfiguration(&grid, &block, &shared, &stream) == ::cudaSuccess) (void)::cudaLaunchKernelSUFFIX(kernel, grid, block, (void **)arguments, shared, stream);
}
static void *__warpsmith_managed(void **place) {
if (!*place) (void)__cudaInitModule(__warpsmith_binary);
return *place;
}"#;

/// The functions that register fat binaries.
const REGISTER_BINARY: &str = r#"extern const unsigned long long __warpsmith_fatbin[] __attribute__((visibility("hidden")));
void **__cudaRegisterFatBinary(void *);
void __cudaRegisterFatBinaryEnd(void **);
void __cudaUnregisterFatBinary(void **);
"#;

/// The functions that register a unit's fat binary and what is in it.
const REGISTER: &str = r#"extern const unsigned long long __warpsmith_fatbin[] __attribute__((visibility("hidden")));
void **__cudaRegisterFatBinary(void *);
void __cudaRegisterFatBinaryEnd(void **);
void __cudaUnregisterFatBinary(void **);
void __cudaRegisterFunction(void **, const char *, char *, const char *, int, ::uint3 *, ::uint3 *, ::dim3 *, ::dim3 *, int *);
void __cudaRegisterVar(void **, char *, char *, const char *, int, ::size_t, int, int);
void __cudaRegisterManagedVar(void **, void **, char *, const char *, int, ::size_t, int, int);
"#;

/// Constructors of the program may launch: what they launch is registered before.
const REGISTER_HEAD: &str = r#"static void __attribute__((constructor(101))) __warpsmith_register() {
__warpsmith_binary = __cudaRegisterFatBinary((void *)&__warpsmith_wrapper);
"#;

const REGISTER_END: &str = r#"__cudaRegisterFatBinaryEnd(__warpsmith_binary);
}
static void __attribute__((destructor(101))) __warpsmith_unregister() { __cudaUnregisterFatBinary(__warpsmith_binary); }"#;

/// A unit whose device code is linked with that of others: the device link has the fat binary.
const REGISTER_LATER: &str = r#"__asm__(".section __nv_module_id, \"a\"\n.asciz \"MODULE\"\n.text\n");
extern "C" void __cudaRegisterLinkedBinaryMODULE(void (*)(void **), void *, void *, void (*)(void *)) __attribute__((visibility("hidden")));
static void __warpsmith_entities(void **binary) {
__warpsmith_binary = binary;
CALLS}
static void __warpsmith_nothing(void *) {}
static void __attribute__((constructor(101))) __warpsmith_register() {
static char identity[] = "MODULE";
__cudaRegisterLinkedBinaryMODULE(__warpsmith_entities, &__fatbinwrapMODULE, identity, __warpsmith_nothing);
}"#;

/// The fat binary of a device link.
const LINKED: &str = r#"static void **__warpsmith_binary;
static void **__warpsmith_linked() {
if (!__warpsmith_binary) __warpsmith_binary = __cudaRegisterFatBinary((void *)&__warpsmith_wrapper);
return __warpsmith_binary;
}
static void __attribute__((constructor(102))) __warpsmith_registered() { if (__warpsmith_binary) __cudaRegisterFatBinaryEnd(__warpsmith_binary); }
static void __attribute__((destructor(101))) __warpsmith_unregister() { if (__warpsmith_binary) __cudaUnregisterFatBinary(__warpsmith_binary); }
"#;

/// Words of eight bytes in a line.
const WORDS_OF_LINE: usize = 8;

/// The fat binary as assembly, which compiles faster than an array.
fn embed(fatbin: &[u8], section: &str, text: &mut String) {
    let _ = writeln!(
        text,
        "__asm__(\".section {section}, \\\"a\\\"\\n.align 8\\n__warpsmith_fatbin:\\n\""
    );
    let word = |chunk: &[u8]| {
        let mut bytes = [0; 8];
        bytes[..chunk.len()].copy_from_slice(chunk);
        u64::from_le_bytes(bytes)
    };
    for line in fatbin.chunks(8 * WORDS_OF_LINE) {
        let words: Vec<String> = line.chunks(8).map(|chunk| format!("{:#x}", word(chunk))).collect();
        let _ = writeln!(text, "\".quad {}\\n\"", words.join(","));
    }
    text.push_str("\".text\\n\");\n");
}
