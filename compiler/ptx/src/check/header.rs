//! `.version` and `.target`.

use super::Checker;
use crate::{Problem, target::oldest_version};

impl Checker<'_, '_> {
    pub(super) fn header(&mut self) {
        let (version, target) = (self.module.version, self.module.target);
        if target.number == 0 {
            return;
        }
        // The parser reports versions and targets that there are not.
        match oldest_version(target) {
            Some(since) if version < since => {
                let problem = Problem::error(
                    self.module.target_span,
                    format!("{target} needs .version {since} or later"),
                )
                .vendor(format!("PTX .version {version} does not support .target {target}"));
                self.report(problem.note(format!("this module says .version {version}")));
            }
            Some(_) | None => {}
        }
        self.target_options();
        self.address_size();
    }

    /// No target runs 32-bit code any more.
    fn address_size(&mut self) {
        if self.module.address_size == 64 {
            return;
        }
        let old = self.module.target.number < 90;
        let vendor = if old {
            "32-Bit compilation is no longer supported"
        } else {
            "32-Bit ABI (--machine 32 or 32-Bit addressing) is not supported on sm_90 or higher architectures."
        };
        let message = "there is no code for 32-bit addresses any more; .address_size is 64";
        self.report(
            Problem::error(self.module.target_span, message)
                .vendor(vendor)
                .without_line(),
        );
    }

    fn target_options(&mut self) {
        let mut mode: Option<&str> = None;
        let module = self.module;
        for &name in &module.target_options {
            let option = self.text(name);
            match option {
                "texmode_unified" | "texmode_independent" => {
                    if mode.is_some_and(|mode| mode != option) {
                        let problem = Problem::error(module.target_span, "a module has one texture mode")
                            .vendor(format!("Conflicting .target option '{option}'"));
                        self.report(problem);
                    }
                    mode = Some(option);
                }
                "map_f64_to_f32" if module.target.number >= 13 => {
                    let message = "map_f64_to_f32 is for targets without double precision, below sm_13";
                    let vendor = "Directive map_f64_to_f32 is not supported with SM 1.3 or higher";
                    self.report(Problem::error(module.target_span, message).vendor(vendor));
                }
                "debug" if module.sections.is_empty() => {
                    let message = "`.target debug` promises debug information, and there is no .section";
                    let vendor = "Debug information not found in presence of .target debug";
                    self.report(
                        Problem::error(module.target_span, message)
                            .vendor(vendor)
                            .without_line(),
                    );
                }
                _ => {}
            }
        }
    }
}
