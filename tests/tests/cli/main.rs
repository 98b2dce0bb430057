//! The `warpsmith` binary from the outside: command lines in, text, files and exit statuses out.

mod asm;
mod bisect;
#[cfg(unix)]
mod claims;
mod compile;
mod cuda;
mod debug;
mod dependencies;
#[cfg(target_os = "linux")]
mod device_link;
mod disasm;
mod exit;
mod explain;
mod face;
mod fatbin;
mod fault;
mod global;
#[cfg(target_os = "linux")]
mod host;
mod kind;
mod layouts;
mod nvdisasm;
#[cfg(unix)]
mod outputs;
mod places;
mod ptx;
mod ptxas;
mod reduce;
mod run;
mod support;
mod targets;
mod tools;
