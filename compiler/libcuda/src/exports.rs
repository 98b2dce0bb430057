//! How exported functions are declared.

/// Declares exported functions of an API that give a code, and where one is named a function that finds them by name. `[Context]` or `[Anywhere]` says what a
/// call works on; names behind it stand for the same function: variants for the stream of each thread, which are the same here, as everything is done
/// when its call returns, and older names of an unchanged function.
macro_rules! exports {
    ($call:path, $find:ident; $([$scope:ident $($alias:ident)*] fn $name:ident $parameters:tt $body:block)*) => {
        $crate::exports::exports! { $call; $([$scope $($alias)*] fn $name $parameters $body)* }

        /// The function of a name.
        pub(crate) fn $find(name: &str) -> Option<*const ::std::ffi::c_void> {
            match name {
                $(
                    stringify!($name) => Some($name as *const ::std::ffi::c_void),
                    $(stringify!($alias) => Some($alias as *const ::std::ffi::c_void),)*
                )*
                _ => None,
            }
        }
    };
    ($call:path; $([$scope:ident $($alias:ident)*] fn $name:ident $parameters:tt $body:block)*) => {
        $(
            $crate::exports::export!($call, $scope, $name, $parameters, $body);
            $($crate::exports::export!($call, $scope, $alias, $parameters, $body);)*
        )*

        /// The names.
        #[cfg(test)]
        pub(crate) static NAMES: &[&str] = &[$(stringify!($name), $(stringify!($alias),)*)*];
    };
}

/// Declares one.
macro_rules! export {
    ($call:path, $scope:ident, $name:ident, ($($parameter:ident: $type:ty),* $(,)?), $body:block) => {
        // SAFETY of the name: it is that of the library that this one is there to stand in for.
        #[unsafe(no_mangle)]
        pub(crate) extern "system" fn $name($($parameter: $type),*) -> ::std::ffi::c_int {
            $call($crate::interface::Scope::$scope, move || $body)
        }
    };
}

pub(crate) use {export, exports};
