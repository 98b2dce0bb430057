//! Random classes.

use std::collections::BTreeMap;

use warpsmith_tests::Random;

use super::Unit;

/// Types that are no classes, with what declares a member `$` of them.
const SCALARS: [&str; 30] = [
    "bool $",
    "char $",
    "signed char $",
    "unsigned char $",
    "short $",
    "unsigned short $",
    "int $",
    "unsigned $",
    "long $",
    "unsigned long $",
    "long long $",
    "unsigned long long $",
    "float $",
    "double $",
    "long double $",
    "__int128 $",
    "unsigned __int128 $",
    "wchar_t $",
    "char8_t $",
    "char16_t $",
    "char32_t $",
    "int *$",
    "void (*$)(int)",
    "int Empty::*$",
    "void (Empty::*$)(char)",
    "decltype(nullptr) $",
    "Byte $",
    "Word $",
    "Wide $",
    "Narrow $",
];

/// Types of bit-fields, with their width in bits and what has all bits set.
const BIT_FIELDS: [(&str, u64, &str); 20] = [
    ("bool", 1, "true"),
    ("char", 8, "-1"),
    ("signed char", 8, "-1"),
    ("unsigned char", 8, "-1"),
    ("short", 16, "-1"),
    ("unsigned short", 16, "-1"),
    ("int", 32, "-1"),
    ("unsigned", 32, "-1"),
    ("long", 64, "-1"),
    ("unsigned long", 64, "-1"),
    ("long long", 64, "-1"),
    ("unsigned long long", 64, "-1"),
    ("__int128", 128, "-1"),
    ("unsigned __int128", 128, "-1"),
    ("wchar_t", 32, "-1"),
    ("char16_t", 16, "-1"),
    ("char32_t", 32, "-1"),
    ("Byte", 8, "(Byte)255"),
    ("Word", 32, "(Word)~0u"),
    ("Wide", 64, "(Wide)~0ull"),
];

/// What every unit starts with.
const START: &str = "\
struct Empty {};
struct Blank {};
struct Nothing : Empty {};
enum class Byte : unsigned char { zero };
enum Word : unsigned { no_word };
enum class Wide : unsigned long long { zero };
enum Narrow { no, yes };
template<class A, class B, int N> struct Many { A first; B second[N]; };
template<class A, bool C> struct Chosen : A { char last; };
template<class A> struct Chosen<A, true> { A inner; [[no_unique_address]] Empty last; };
template<class... A> struct List;
template<> struct List<> {};
template<class A, class... B> struct List<A, B...> : List<B...> { [[no_unique_address]] A head; };
struct Probe;
";

/// A class that was made.
#[derive(Default)]
struct Made {
    name: String,
    is_union: bool,
    /// Objects can be made without arguments.
    constructible: bool,
    /// It ends with an array without a bound, or holds such a class.
    open: bool,
    has_virtual_base: bool,
    has_data: bool,
    /// Something in it is less aligned than the machine's loads want.
    packed: bool,
    /// How often a class is in an object of this one as a base.
    bases: BTreeMap<usize, u64>,
    virtual_bases: Vec<usize>,
    /// A member of it has virtual bases: members without an address of such classes are left out, as of what they overlap compilers have no one opinion.
    holds_virtual_base: bool,
    bytes: u64,
}

struct Generator {
    random: Random,
    unit: Unit,
    made: Vec<Made>,
}

/// A unit with so many classes.
pub(super) fn unit(seed: u64, count: usize) -> Unit {
    let mut generator = Generator {
        random: Random::new(seed),
        unit: Unit {
            text: START.to_string(),
            facts: Vec::new(),
        },
        made: Vec::new(),
    };
    for name in ["Empty", "Blank", "Nothing"] {
        generator.made.push(Made {
            name: name.to_string(),
            constructible: true,
            bytes: 1,
            ..Made::default()
        });
    }
    generator.made[2].bases.insert(0, 1);
    for _ in 0..count {
        generator.class();
    }
    generator.unit
}

/// Members of a class as they are written.
struct Body {
    class: Made,
    text: String,
    /// Measured by their offset.
    fields: Vec<String>,
    bits: Vec<(String, &'static str)>,
}

impl Generator {
    fn below(&mut self, bound: usize) -> usize {
        self.random.below(bound as u64) as usize
    }

    /// True in one of so many cases.
    fn one_in(&mut self, cases: usize) -> bool {
        self.below(cases) == 0
    }

    fn choose<T: Copy>(&mut self, of: &[T]) -> T {
        of[self.below(of.len())]
    }

    fn class(&mut self) {
        let index = self.made.len();
        let name = format!("C{index}");
        let is_union = self.one_in(8);
        let mut body = Body {
            class: Made {
                name: name.clone(),
                is_union,
                constructible: true,
                ..Made::default()
            },
            text: String::new(),
            fields: Vec::new(),
            bits: Vec::new(),
        };
        let bases = match is_union {
            true => String::new(),
            false => self.bases(&mut body.class),
        };
        let count = self.choose(&[0, 1, 1, 2, 2, 3, 3, 4, 5, 7]);
        let only_bits = self.one_in(4);
        for place in 0..count {
            self.member(&mut body, place, only_bits);
        }
        self.end_of_class(&mut body);
        body.class.has_data |= !body.fields.is_empty() || !body.bits.is_empty();
        let packing = if self.one_in(10) { self.choose(&[1, 2, 4, 8]) } else { 0 };
        let attribute = match self.below(14) {
            0 => " __attribute__((packed))",
            1 => " alignas(16)",
            2 => " alignas(double)",
            3 => " __attribute__((aligned))",
            4 => " __attribute__((packed, aligned(4)))",
            _ => "",
        };
        body.class.packed |= packing != 0 || attribute.contains("packed");
        let key = if is_union { "union" } else { "struct" };
        let text = format!("{key}{attribute} {name}{bases} {{\n{}}};\n", body.text);
        let packed = format!("#pragma pack(push, {packing})\n{text}#pragma pack(pop)\n");
        self.unit.text += if packing == 0 { &text } else { &packed };
        self.measure(&body);
        self.made.push(body.class);
    }

    fn bases(&mut self, class: &mut Made) -> String {
        let count = self.choose(&[0, 0, 0, 1, 1, 1, 2, 2, 3]);
        let mut texts: Vec<String> = Vec::new();
        let mut direct = Vec::new();
        for _ in 0..count {
            let base = match self.one_in(3) {
                true => self.below(3),
                false => self.below(self.made.len()),
            };
            let made = &self.made[base];
            if made.is_union || made.open || direct.contains(&base) || !made.constructible {
                continue;
            }
            direct.push(base);
            class.bytes += made.bytes;
            class.packed |= made.packed;
            class.has_virtual_base |= made.has_virtual_base;
            class.has_data |= made.has_data;
            class.holds_virtual_base |= made.holds_virtual_base;
            for virtual_base in made.virtual_bases.clone() {
                if !class.virtual_bases.contains(&virtual_base) {
                    class.virtual_bases.push(virtual_base);
                }
            }
            for (&inner, &times) in &self.made[base].bases {
                *class.bases.entry(inner).or_default() += times;
            }
            *class.bases.entry(base).or_default() += 1;
            let name = self.made[base].name.clone();
            // A virtual base with a table pointer and nothing else would share it with the class, which is not done.
            let is_virtual = self.one_in(5) && (base < 3 || self.made[base].has_data);
            if is_virtual {
                class.has_virtual_base = true;
                if !class.virtual_bases.contains(&base) {
                    class.virtual_bases.push(base);
                }
            }
            texts.push(format!("{}{name}", if is_virtual { "virtual " } else { "" }));
        }
        match texts.is_empty() {
            true => String::new(),
            false => format!(" : {}", texts.join(", ")),
        }
    }

    /// A type, as a member `$` is declared with it, and whether it is a class with virtual bases.
    fn member_type(&mut self, class: &mut Made) -> (String, bool) {
        let mut has_virtual_base = false;
        let text = match self.below(10) {
            0..5 => {
                class.bytes += 16;
                self.choose(&SCALARS).to_string()
            }
            5 => {
                class.bytes += 96;
                let scalar = self.choose(&SCALARS[..22]);
                let count = 1 + self.below(5);
                scalar.replace('$', &format!("$[{count}]"))
            }
            6..9 => {
                let inner = self.below(self.made.len());
                let made = &self.made[inner];
                if made.open || made.bytes > 400 || !made.constructible {
                    return ("char $".to_string(), false);
                }
                class.bytes += made.bytes;
                class.packed |= made.packed;
                has_virtual_base = made.has_virtual_base || made.holds_virtual_base;
                class.holds_virtual_base |= has_virtual_base;
                format!("{} $", made.name)
            }
            _ => {
                has_virtual_base = true;
                self.template(class)
            }
        };
        (text, has_virtual_base)
    }

    fn template(&mut self, class: &mut Made) -> String {
        let mut argument = |generator: &mut Generator| {
            let made = &generator.made[generator.random.below(generator.made.len() as u64) as usize];
            class.holds_virtual_base |= made.has_virtual_base || made.holds_virtual_base;
            let usable = !made.open && !made.is_union && made.bytes < 200 && made.constructible;
            class.bytes += made.bytes;
            class.packed |= made.packed;
            if usable { made.name.clone() } else { "Empty".to_string() }
        };
        let (first, second) = (argument(self), argument(self));
        let number = 1 + self.below(3);
        match self.below(4) {
            0 => format!("Many<{first}, {second}, {number}> $"),
            1 => format!("Chosen<{first}, false> $"),
            2 => format!("Chosen<{first}, true> $"),
            _ => format!("List<{first}, {second}, char> $"),
        }
    }

    fn member(&mut self, body: &mut Body, place: usize, only_bits: bool) {
        let name = format!("m{}_{place}", self.made.len());
        if only_bits || self.one_in(5) {
            self.bit_field(body, &name);
            return;
        }
        let is_union = body.class.is_union;
        if self.one_in(12) {
            let key = if self.one_in(2) { "union" } else { "struct" };
            let (first, second) = (self.choose(&SCALARS), self.choose(&SCALARS));
            let inner = [format!("{name}_a"), format!("{name}_b")];
            body.text += &format!(
                "{key} {{ {}; {}; }};\n",
                first.replace('$', &inner[0]),
                second.replace('$', &inner[1])
            );
            body.class.bytes += 32;
            body.fields.extend(inner);
            return;
        }
        if self.one_in(24) && !is_union {
            body.text += &format!("{} &{name};\n", self.choose(&["char", "Empty", "double"]));
            body.class.constructible = false;
            body.class.bytes += 8;
            return;
        }
        let (ty, has_virtual_base) = self.member_type(&mut body.class);
        let before = match self.below(12) {
            0 | 1 if has_virtual_base => "",
            0 | 1 => "[[no_unique_address]] ",
            2 => "alignas(8) ",
            3 => "alignas(32) ",
            _ => "",
        };
        let before = match before {
            "alignas(8) "
                if ["__int128", "long double", "C", "<"]
                    .iter()
                    .any(|wide| ty.contains(wide)) =>
            {
                ""
            }
            before => before,
        };
        let after = if self.one_in(16) {
            " __attribute__((packed))"
        } else {
            ""
        };
        let after = if before.is_empty() { after } else { "" };
        body.class.packed |= after.contains("packed");
        body.text += &format!("{before}{}{after};\n", ty.replace('$', &name));
        body.fields.push(name);
    }

    fn bit_field(&mut self, body: &mut Body, name: &str) {
        let (ty, bits, all) = self.choose(&BIT_FIELDS);
        body.class.bytes += 2 * bits / 8;
        if self.one_in(7) {
            let width = if self.one_in(2) { 0 } else { 1 + self.random.below(bits) };
            body.text += &format!("{ty} : {width};\n");
            return;
        }
        let wanted = if self.one_in(2) { bits } else { bits.min(7) };
        let width = 1 + self.random.below(wanted);
        let attribute = match self.below(20) {
            0 => " __attribute__((packed))",
            1 => " __attribute__((aligned(4)))",
            2 => " __attribute__((aligned(1)))",
            _ => "",
        };
        body.text += &format!("{ty} {name} : {width}{attribute};\n");
        body.bits.push((name.to_string(), all));
    }

    /// Functions and what makes a class none of those whose tail stays their own.
    fn end_of_class(&mut self, body: &mut Body) {
        let name = body.class.name.clone();
        if body.class.is_union {
            body.text += &format!("HD {name}() {{}} HD ~{name}() {{}}\n");
            return;
        }
        let kinds = match self.below(9) {
            0 => format!("HD {name}() {{}}\n"),
            1 => format!("HD ~{name}() {{}}\n"),
            2 => format!("{name}() = default; {name}(const {name} &) = default;\n"),
            3 => format!("{name}() = default; HD {name}(const {name} &) {{}}\n"),
            4 => "private: char hidden; friend Probe;\n".to_string(),
            5 => "int set = 1;\n".to_string(),
            6 => format!("{name}() = default; ~{name}() = default; {name} &operator=(const {name} &) = default;\n"),
            _ => String::new(),
        };
        if !body.class.constructible && kinds.contains("()") {
            return;
        }
        body.text += &kinds;
        if self.one_in(5) {
            let function = format!("f{name}");
            body.text += &format!("HD virtual int {function}() {{ return 1; }}\n");
            body.class.bytes += 8;
        } else if self.one_in(12) {
            body.text += &format!("HD virtual ~{name}() {{}}\n").replace("HD virtual", "public: HD virtual");
            if kinds.contains('~') {
                let end = body.text.rfind("public: HD virtual").unwrap_or(0);
                body.text.truncate(end);
            }
        }
        if self.one_in(25) && kinds.is_empty() && !body.class.has_virtual_base {
            body.text += "short open[];\n";
            body.class.open = true;
        }
    }

    fn measure(&mut self, body: &Body) {
        let class = &body.class;
        let name = &class.name;
        let unit = &mut self.unit;
        unit.size(name);
        for field in &body.fields {
            unit.offset(name, field);
        }
        for (field, all) in &body.bits {
            unit.push(format!("bits of {name}::{field}"), format!("bits_{field}()"));
            unit.text += &format!(
                "HD unsigned long long bits_{field}() {{ Storage<{name}> s; s.clear().{field} = {all}; return s.range(); }}\n"
            );
        }
        if !class.open {
            unit.offset(&format!("Between<{name}>"), "after");
        }
        if !class.open && !class.has_virtual_base && !class.holds_virtual_base {
            unit.offset(&format!("Beside<{name}>"), "after");
        }
        if !class.is_union && !class.open {
            unit.offset(&format!("Below<{name}>"), "after");
            unit.size(&format!("Below<{name}>"));
        }
        for (&base, &times) in &class.bases {
            if times > 1 {
                continue;
            }
            let base = &self.made[base].name;
            // The distance to a base is fixed, or an object knows it.
            let object = match class.has_virtual_base {
                false => format!("{name} &x = *({name} *)4096;"),
                true if class.packed || !class.constructible => continue,
                true => format!("{name} x;"),
            };
            unit.push(format!("base {base} of {name}"), format!("base_{name}_{base}()"));
            unit.text += &format!(
                "HD unsigned long long base_{name}_{base}() {{ {object} return (char *)(({base} *)&x) - (char *)&x; }}\n"
            );
        }
    }
}
