//! Device functions and calls of them.

use std::fmt::Write as _;

use super::{
    Generator, LOCAL,
    body::{Body, Kind},
};

/// What a caller knows of a function.
#[derive(Clone, Debug)]
pub(super) struct Signature {
    name: String,
    parameters: Vec<Kind>,
    result: Kind,
}

/// What parameters and results may be.
const KINDS: [(Kind, &str); 6] = [
    (Kind::I32, "b32"),
    (Kind::I64, "b64"),
    (Kind::Single, "f32"),
    (Kind::Double, "f64"),
    (Kind::I16, "b16"),
    (Kind::I32, "b32"),
];

fn type_of(kind: Kind) -> &'static str {
    KINDS.iter().find(|(own, _)| *own == kind).map_or("b32", |(_, ty)| ty)
}

/// What every function gets first: addresses of the thread, and how deep it may call itself.
const FIXED: [(&str, &str, &str); 4] = [
    ("b64", "own", "%own"),
    ("b64", "data", "%data"),
    ("b64", "out", "%out"),
    ("b32", "depth", "%low"),
];

impl Generator {
    /// Writes one to three functions; later ones may call earlier ones.
    pub(super) fn device_functions(&mut self) {
        for number in 0..1 + self.below(3) {
            let parameters = (0..self.below(5))
                .map(|_| KINDS[self.random.below(6) as usize].0)
                .collect();
            let signature = Signature {
                name: format!("f{number}"),
                parameters,
                result: KINDS[self.below(6) as usize].0,
            };
            self.body = Body::default();
            self.body.device = true;
            self.body.trips = 6;
            self.body.budget = 3 + self.below(self.features.size / 3 + 1);
            self.function(&signature);
            let head = signature.head();
            let _ = writeln!(self.device, "{head}\n{{");
            self.device.push_str(&self.body.declarations());
            let _ = writeln!(self.device, "    .local .align 16 .b8 frame[{LOCAL}];");
            let text = std::mem::take(&mut self.body.text);
            self.device.push_str(&text);
            self.device.push_str("}\n");
            self.functions.push(signature);
        }
    }

    fn function(&mut self, signature: &Signature) {
        for (ty, name, register) in FIXED {
            self.line(&format!("ld.param.{ty} {register}, [{name}];"));
        }
        self.line("mov.u32 %me, %tid.x; mov.u32 %n, %low; mov.u64 %stack, frame;");
        for offset in (0..LOCAL).step_by(16) {
            self.line(&format!(
                "ld.global.v2.u32 {{%low, %size}}, [%data+{offset}]; mov.b64 %t, {{%low, %size}}; st.local.v2.u64 [%stack+{offset}], {{%t, %t}};"
            ));
        }
        let mut offset = 256;
        for kind in Kind::ALL {
            let name = self.body.variable(kind);
            self.load_start(kind, &name, offset);
            offset += 8;
        }
        self.body.push(Kind::I32, "%me");
        self.body.push(Kind::I32, "%n");
        for (index, kind) in signature.parameters.iter().enumerate() {
            let name = self.body.fresh(*kind);
            self.line(&format!("ld.param.{} {name}, [a{index}];", type_of(*kind)));
            self.body.push(*kind, &name);
        }
        let recursive = self.chance(40);
        let half = self.body.budget / 2;
        while self.body.budget > half {
            self.statement();
        }
        if recursive {
            let end = self.label();
            self.line(&format!("setp.eq.u32 %nan, %n, 0; @%nan bra {end};"));
            let scope = self.body.open();
            let less = self.put_new(Kind::I32, |d| format!("sub.u32 {d}, %n, 1;"));
            self.call_of(signature, &less);
            self.body.close(&scope);
            self.place(&end);
        } else if self.chance(30) {
            let guard = self.guard();
            let value = self.register(signature.result);
            let ty = type_of(signature.result);
            self.line(&format!("{guard}st.param.{ty} [result], {value}; {guard}ret;"));
        }
        while self.body.budget > 0 {
            self.statement();
        }
        let value = self.register(signature.result);
        self.line(&format!("st.param.{} [result], {value};", type_of(signature.result)));
        self.line("ret;");
    }

    /// A call, where there is something to call and it does not run too often.
    pub(super) fn call(&mut self) {
        let count = self.functions.len() as u64;
        if count == 0 || self.body.trips > 12 {
            self.memory();
            return;
        }
        let signature = self.functions[self.random.below(count) as usize].clone();
        let depth = self.below(3).to_string();
        self.call_of(&signature, &depth);
    }

    fn call_of(&mut self, signature: &Signature, depth: &str) {
        let guarded = self.chance(10);
        let skip = self.label();
        if guarded {
            let guard = self.guard();
            self.line(&format!("{guard}bra {skip};"));
        }
        let arguments: Vec<(Kind, String)> = signature
            .parameters
            .iter()
            .map(|kind| (*kind, self.register(*kind)))
            .collect();
        let ty = type_of(signature.result);
        self.line("{");
        for (ty, name, register) in FIXED {
            let value = if name == "depth" { depth } else { register };
            self.line(&format!(".param .{ty} p_{name}; st.param.{ty} [p_{name}], {value};"));
        }
        for (index, (kind, value)) in arguments.iter().enumerate() {
            let ty = type_of(*kind);
            self.line(&format!(".param .{ty} p{index}; st.param.{ty} [p{index}], {value};"));
        }
        let mut list = FIXED.map(|(_, name, _)| format!("p_{name}")).join(", ");
        for index in 0..arguments.len() {
            let _ = write!(list, ", p{index}");
        }
        self.line(&format!(".param .{ty} p_result;"));
        let name = &signature.name;
        if self.chance(15) {
            let prototype = signature.prototype();
            self.line(&format!("proto: {prototype};"));
            self.line(&format!("mov.u64 %t, {name}; call (p_result), %t, ({list}), proto;"));
        } else {
            self.line(&format!("call (p_result), {name}, ({list});"));
        }
        let result = self.body.fresh(signature.result);
        self.line(&format!("ld.param.{ty} {result}, [p_result];"));
        self.line("}");
        self.place(&skip);
        if !guarded {
            self.body.push(signature.result, &result);
        }
    }
}

impl Signature {
    fn head(&self) -> String {
        let mut text = format!(
            ".func (.param .{} result) {}(.param .b64 own, .param .b64 data, .param .b64 out, .param .b32 depth",
            type_of(self.result),
            self.name
        );
        for (index, kind) in self.parameters.iter().enumerate() {
            let _ = write!(text, ", .param .{} a{index}", type_of(*kind));
        }
        text.push(')');
        text
    }

    fn prototype(&self) -> String {
        let mut text = format!(
            ".callprototype (.param .{} _) _ (.param .b64 _, .param .b64 _, .param .b64 _, .param .b32 _",
            type_of(self.result)
        );
        for kind in &self.parameters {
            let _ = write!(text, ", .param .{} _", type_of(*kind));
        }
        text.push(')');
        text
    }
}
