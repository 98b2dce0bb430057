//! The `warpsmith` binary from the outside: command lines in, text, files and exit statuses out.

mod asm;
mod compile;
mod cuda;
mod debug;
mod disasm;
mod face;
mod fatbin;
mod nvdisasm;
mod ptx;
mod ptxas;
mod run;
mod support;
mod targets;
