//! The `warpsmith` binary from the outside: command lines in, text, files and exit statuses out.

mod asm;
#[cfg(unix)]
mod claims;
mod compile;
mod cuda;
mod debug;
mod disasm;
mod exit;
mod face;
mod fatbin;
mod fault;
mod kind;
mod layouts;
mod nvdisasm;
#[cfg(unix)]
mod outputs;
mod places;
mod ptx;
mod ptxas;
mod run;
mod support;
mod targets;
