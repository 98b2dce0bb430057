//! The atomic functions with a memory order and a scope, `__nv_atomic_*`: those that a program calls, of any type, and the sized ones that they become.

use super::{Builtin, Lowering, Ordered, OrderedOperation, Update};

const fn ordered(name: &'static str, signature: &'static str, operation: OrderedOperation) -> Builtin {
    let by_pointer = false;
    Builtin {
        name,
        signature,
        lowering: Lowering::Ordered(Ordered { operation, by_pointer }),
    }
}

/// With operands and result behind pointers.
const fn by_pointer(name: &'static str, operation: OrderedOperation) -> Builtin {
    let by_pointer = true;
    Builtin {
        name,
        signature: "generic",
        lowering: Lowering::Ordered(Ordered { operation, by_pointer }),
    }
}

const fn update(name: &'static str, signature: &'static str, update: Update) -> Builtin {
    ordered(name, signature, OrderedOperation::Update(update))
}

/// All of them.
#[rustfmt::skip]
pub(super) const ORDERED: &[Builtin] = &[
    ordered("__nv_atomic_thread_fence", "generic", OrderedOperation::Fence),
    by_pointer("__nv_atomic_load", OrderedOperation::Load),
    by_pointer("__nv_atomic_store", OrderedOperation::Store),
    by_pointer("__nv_atomic_exchange", OrderedOperation::Exchange),
    by_pointer("__nv_atomic_compare_exchange", OrderedOperation::CompareExchange),
    ordered("__nv_atomic_load_n", "generic", OrderedOperation::Load),
    ordered("__nv_atomic_store_n", "generic", OrderedOperation::Store),
    ordered("__nv_atomic_exchange_n", "generic", OrderedOperation::Exchange),
    ordered("__nv_atomic_compare_exchange_n", "generic", OrderedOperation::CompareExchange),
    update("__nv_atomic_fetch_add", "generic", Update::Add),
    update("__nv_atomic_fetch_sub", "generic", Update::Subtract),
    update("__nv_atomic_fetch_and", "generic", Update::And),
    update("__nv_atomic_fetch_or", "generic", Update::Or),
    update("__nv_atomic_fetch_xor", "generic", Update::Xor),
    update("__nv_atomic_fetch_min", "generic", Update::Minimum),
    update("__nv_atomic_fetch_max", "generic", Update::Maximum),
    // By size, and for updates by kind of number.
    ordered("__nv_atomic_load_1", "unsigned char(void *, int, int)", OrderedOperation::Load),
    ordered("__nv_atomic_load_2", "unsigned short(void *, int, int)", OrderedOperation::Load),
    ordered("__nv_atomic_load_4", "unsigned(void *, int, int)", OrderedOperation::Load),
    ordered("__nv_atomic_load_8", "unsigned long long(void *, int, int)", OrderedOperation::Load),
    ordered("__nv_atomic_load_16", "unsigned __int128(void *, int, int)", OrderedOperation::Load),
    ordered("__nv_atomic_store_1", "void(void *, unsigned char, int, int)", OrderedOperation::Store),
    ordered("__nv_atomic_store_2", "void(void *, unsigned short, int, int)", OrderedOperation::Store),
    ordered("__nv_atomic_store_4", "void(void *, unsigned, int, int)", OrderedOperation::Store),
    ordered("__nv_atomic_store_8", "void(void *, unsigned long long, int, int)", OrderedOperation::Store),
    ordered("__nv_atomic_store_16", "void(void *, unsigned __int128, int, int)", OrderedOperation::Store),
    ordered("__nv_atomic_exchange_4", "unsigned(void *, unsigned, int, int)", OrderedOperation::Exchange),
    ordered("__nv_atomic_exchange_8", "unsigned long long(void *, unsigned long long, int, int)", OrderedOperation::Exchange),
    ordered("__nv_atomic_exchange_16", "unsigned __int128(void *, unsigned __int128, int, int)", OrderedOperation::Exchange),
    ordered("__nv_atomic_compare_exchange_2", "bool(void *, void *, unsigned short, bool, int, int, int)", OrderedOperation::CompareExchange),
    ordered("__nv_atomic_compare_exchange_4", "bool(void *, void *, unsigned, bool, int, int, int)", OrderedOperation::CompareExchange),
    ordered("__nv_atomic_compare_exchange_8", "bool(void *, void *, unsigned long long, bool, int, int, int)", OrderedOperation::CompareExchange),
    ordered("__nv_atomic_compare_exchange_16", "bool(void *, void *, unsigned __int128, bool, int, int, int)", OrderedOperation::CompareExchange),
    update("__nv_atomic_fetch_add_4_u", "unsigned(unsigned *, unsigned, int, int)", Update::Add),
    update("__nv_atomic_fetch_add_4_s", "int(int *, int, int, int)", Update::Add),
    update("__nv_atomic_fetch_add_4_f", "float(float *, float, int, int)", Update::Add),
    update("__nv_atomic_fetch_add_8_u", "unsigned long long(void *, unsigned long long, int, int)", Update::Add),
    update("__nv_atomic_fetch_add_8_s", "long long(void *, long long, int, int)", Update::Add),
    update("__nv_atomic_fetch_add_8_f", "double(double *, double, int, int)", Update::Add),
    update("__nv_atomic_fetch_sub_4_u", "unsigned(unsigned *, unsigned, int, int)", Update::Subtract),
    update("__nv_atomic_fetch_sub_4_s", "int(int *, int, int, int)", Update::Subtract),
    update("__nv_atomic_fetch_sub_4_f", "float(float *, float, int, int)", Update::Subtract),
    update("__nv_atomic_fetch_sub_8_u", "unsigned long long(void *, unsigned long long, int, int)", Update::Subtract),
    update("__nv_atomic_fetch_sub_8_s", "long long(void *, long long, int, int)", Update::Subtract),
    update("__nv_atomic_fetch_sub_8_f", "double(double *, double, int, int)", Update::Subtract),
    update("__nv_atomic_fetch_max_4_u", "unsigned(unsigned *, unsigned, int, int)", Update::Maximum),
    update("__nv_atomic_fetch_max_4_s", "int(int *, int, int, int)", Update::Maximum),
    update("__nv_atomic_fetch_max_4_f", "float(float *, float, int, int)", Update::Maximum),
    update("__nv_atomic_fetch_max_8_u", "unsigned long long(void *, unsigned long long, int, int)", Update::Maximum),
    update("__nv_atomic_fetch_max_8_s", "long long(void *, long long, int, int)", Update::Maximum),
    update("__nv_atomic_fetch_max_8_f", "double(double *, double, int, int)", Update::Maximum),
    update("__nv_atomic_fetch_min_4_u", "unsigned(unsigned *, unsigned, int, int)", Update::Minimum),
    update("__nv_atomic_fetch_min_4_s", "int(int *, int, int, int)", Update::Minimum),
    update("__nv_atomic_fetch_min_4_f", "float(float *, float, int, int)", Update::Minimum),
    update("__nv_atomic_fetch_min_8_u", "unsigned long long(void *, unsigned long long, int, int)", Update::Minimum),
    update("__nv_atomic_fetch_min_8_s", "long long(void *, long long, int, int)", Update::Minimum),
    update("__nv_atomic_fetch_min_8_f", "double(double *, double, int, int)", Update::Minimum),
    update("__nv_atomic_fetch_and_4", "unsigned(void *, unsigned, int, int)", Update::And),
    update("__nv_atomic_fetch_and_8", "unsigned long long(void *, unsigned long long, int, int)", Update::And),
    update("__nv_atomic_fetch_or_4", "unsigned(void *, unsigned, int, int)", Update::Or),
    update("__nv_atomic_fetch_or_8", "unsigned long long(void *, unsigned long long, int, int)", Update::Or),
    update("__nv_atomic_fetch_xor_4", "unsigned(void *, unsigned, int, int)", Update::Xor),
    update("__nv_atomic_fetch_xor_8", "unsigned long long(void *, unsigned long long, int, int)", Update::Xor),
];
