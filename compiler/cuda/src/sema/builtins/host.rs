//! Built-in functions of the host's compiler that the device has not, or not as such: in host code, of which nothing is generated, their type is enough.

use crate::hir::{Constant, ExpressionId, ExpressionKind, QualifiedType, Types};
use crate::sema::Sema;
use crate::sema::expression::Operand;
use crate::source::Span;

/// What a built-in function gives.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Gives {
    Nothing,
    Truth,
    Int,
    Size,
    Pointer,
    /// The type of its first argument.
    First,
    /// What its first argument points to.
    Pointee,
    /// A vector or number of the processor's, which its use converts at once.
    Machine,
}

/// What a built-in function of the host gives, by its name.
fn gives(name: &str) -> Option<Gives> {
    if let Some(atomic) = name.strip_prefix("__atomic_") {
        return Some(match atomic {
            "compare_exchange" | "compare_exchange_n" | "test_and_set" | "is_lock_free" => Gives::Truth,
            "load" | "store" | "store_n" | "exchange" | "clear" | "thread_fence" | "signal_fence" => Gives::Nothing,
            "load_n" | "exchange_n" => Gives::Pointee,
            _ if atomic.starts_with("fetch_") || atomic.ends_with("_fetch") => Gives::Pointee,
            _ => return None,
        });
    }
    if let Some(sync) = name.strip_prefix("__sync_") {
        return Some(match sync {
            "bool_compare_and_swap" => Gives::Truth,
            "synchronize" | "lock_release" => Gives::Nothing,
            _ => Gives::Pointee,
        });
    }
    let plain = name.strip_prefix("__builtin_")?;
    Some(match plain {
        "return_address"
        | "frame_address"
        | "extract_return_addr"
        | "frob_return_addr"
        | "alloca_with_align"
        | "aligned_alloc"
        | "apply"
        | "apply_args"
        | "thread_pointer" => Gives::Pointer,
        "cpu_init"
        | "unwind_init"
        | "eh_return"
        | "longjmp"
        | "__clear_cache"
        | "speculation_safe_value_fence"
        | "clear_padding"
        | "nontemporal_store" => Gives::Nothing,
        "cpu_is" | "cpu_supports" | "setjmp" | "va_arg_pack_len" | "has_attribute" | "types_compatible_p"
        | "printf" | "fprintf" | "sprintf" | "snprintf" | "vsnprintf" | "vsprintf" | "vprintf" | "vfprintf"
        | "fputs" | "fputc" | "fputs_unlocked" | "fwrite" | "va_arg_pack" => Gives::Int,
        "speculation_safe_value" | "nontemporal_load" | "complex" | "unpredictable" => Gives::First,
        "alignment" | "strftime" => Gives::Size,
        _ if plain.starts_with("ia32_") || plain.starts_with("neon_") || plain.starts_with("aarch64_") => {
            Gives::Machine
        }
        _ => return None,
    })
}

impl<'a> Sema<'a> {
    /// A call of a built-in function that the host's compiler has.
    pub(in crate::sema) fn host_builtin(
        &mut self,
        name: &str,
        operands: &[Operand<'a>],
        span: Span,
    ) -> Option<ExpressionId> {
        if let ("__atomic_always_lock_free", [size, _]) = (name, operands) {
            return Some(self.always_lock_free(size, span));
        }
        if !self.in_host_code() {
            return None;
        }
        let first = operands.first().map(|operand| self.settle(operand));
        let first_type = first.map(|first| self.type_of(first));
        if first_type.is_some_and(|ty| self.complex_class(ty).is_some()) {
            return Some(self.complex_arithmetic(span));
        }
        let ty: QualifiedType = match gives(name)? {
            Gives::Nothing => Types::VOID.unqualified(),
            Gives::Truth => Types::BOOL.unqualified(),
            Gives::Int => Types::INT.unqualified(),
            Gives::Size => Types::UNSIGNED_LONG.unqualified(),
            Gives::Pointer => self.program.types.pointer(Types::VOID.unqualified()).unqualified(),
            Gives::First => first_type?.unqualified(),
            Gives::Pointee => {
                let pointer = self.decay(first?);
                let pointee = self.program.types.pointee(self.type_of(pointer).id)?;
                pointee.unqualified()
            }
            Gives::Machine => return Some(self.poison(span)),
        };
        let kind = ExpressionKind::Unsupported(format!("the built-in function `{name}`").into());
        Some(self.value(kind, ty, span))
    }
    /// `__atomic_always_lock_free(size, pointer)`: a constant, as headers ask for it in constant expressions. Objects of a register's sizes are.
    fn always_lock_free(&mut self, size: &Operand<'a>, span: Span) -> ExpressionId {
        let size = self.settle(size);
        if self.is_poisoned(size) {
            return self.poison(span);
        }
        let is_free = matches!(self.try_evaluate(size), Some(Constant::Integer(1 | 2 | 4 | 8)));
        self.integer(i128::from(is_free), Types::BOOL, span)
    }
}
