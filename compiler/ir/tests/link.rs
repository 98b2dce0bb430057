//! Modules that are linked.

use warpsmith_base::SourceText;
use warpsmith_ir::interpret::{Datum, Machine};
use warpsmith_ir::{Module, Wanted};

#[track_caller]
fn read(text: &str) -> Module {
    let source = SourceText::new("m.ll", text);
    Module::from_text(&source).unwrap_or_else(|errors| panic!("{}", errors[0].render(&source)))
}

const LIBRARY: &str = "
@table = internal addrspace(1) constant [2 x i32] [i32 10, i32 20]
@unused = addrspace(1) global i32 5
define internal i32 @helper(i32 %i) {
  %at = getelementptr [2 x i32], ptr addrspace(1) @table, i32 0, i32 %i
  %v = load i32, ptr addrspace(1) %at
  ret i32 %v
}
define i32 @wanted(i32 %i) {
  %v = call i32 @helper(i32 %i)
  ret i32 %v
}
define i32 @other() {
  ret i32 1
}";

#[test]
fn what_a_library_defines_is_brought_in_as_it_is_needed() {
    let mut module = read(
        "declare i32 @wanted(i32)
         define internal i32 @helper(i32 %i) {
           ret i32 7
         }
         define i32 @f(i32 %i) {
           %a = call i32 @wanted(i32 %i)
           %b = call i32 @helper(i32 %i)
           %s = add i32 %a, %b
           ret i32 %s
         }",
    );
    assert_eq!(module.link(&read(LIBRARY), Wanted::Needed), Ok(()));
    assert_eq!(module.verify(), Ok(()));
    let mut names: Vec<&str> = module.functions().map(|(_, function)| function.name.as_str()).collect();
    names.sort_unstable();
    assert_eq!(names, ["f", "helper", "helper.1", "wanted"]);
    assert_eq!(module.globals().count(), 1);
    let f = module.symbols.function_named("f").expect("it is there");
    assert_eq!(
        Machine::new(&module).call(f, &[Datum::int(32, 1)]),
        Ok(Datum::int(32, 27))
    );
}

#[test]
fn all_of_a_module_is_brought_in() {
    let mut module = read("@unused = external addrspace(1) global i32");
    assert_eq!(module.link(&read(LIBRARY), Wanted::All), Ok(()));
    assert_eq!(module.verify(), Ok(()));
    assert_eq!(module.functions().count(), 3);
    assert!(module.to_string().contains("@unused = addrspace(1) global i32 5\n"));
}

#[test]
fn definitions_that_may_be_replaced_give_way() {
    let mut module = read("define weak i32 @a() {\n ret i32 1\n}\ndefine linkonce_odr i32 @b() {\n ret i32 1\n}");
    let other = read("define i32 @a() {\n ret i32 2\n}\ndefine linkonce_odr i32 @b() {\n ret i32 2\n}");
    assert_eq!(module.link(&other, Wanted::All), Ok(()));
    let result = |name| {
        let function = module.symbols.function_named(name).expect("it is there");
        Machine::new(&module).call(function, &[])
    };
    assert_eq!(
        [result("a"), result("b")],
        [Ok(Datum::int(32, 2)), Ok(Datum::int(32, 1))]
    );
}

#[test]
fn what_is_defined_twice_is_refused_and_nothing_changes() {
    let mut module = read("define void @a() {\n ret void\n}\n@v = addrspace(1) global i32 0");
    let before = module.to_string();
    let other =
        read("define void @a() {\n ret void\n}\ndefine void @v() {\n ret void\n}\ndefine void @c() {\n ret void\n}");
    let problems = module.link(&other, Wanted::All).expect_err("both define @a");
    let texts: Vec<String> = problems.iter().map(ToString::to_string).collect();
    assert_eq!(
        texts,
        [
            "error: symbol @a: two modules define this function",
            "error: symbol @v: this is a function in one module and a variable in another"
        ]
    );
    assert_eq!(module.to_string(), before);
}
