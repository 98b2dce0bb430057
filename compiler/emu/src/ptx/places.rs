//! Where an instruction stands: its function, its line, and the calls around it.

use super::{
    Fault, FaultKind, Place,
    code::{CallLocation, Code, Program},
    warp::Frame,
};

/// How many calls around a place a fault tells of.
const MOST_CALLERS: usize = 16;

impl Program {
    /// A fault of no kind yet at an instruction, with the calls that have led there.
    pub(crate) fn placed(&self, function: u32, pc: u32, stack: Option<&Frame>) -> Fault {
        let code: &Code = &self.functions[function as usize];
        let mut callers = self.places(code, pc);
        let place = (!callers.is_empty()).then(|| callers.remove(0));
        let mut frame = stack;
        while let Some(caller) = frame.filter(|_| callers.len() < MOST_CALLERS) {
            callers.extend(self.places(&self.functions[caller.function as usize], caller.pc));
            frame = caller.caller.as_deref();
        }
        callers.truncate(MOST_CALLERS);
        let origin = code.origins.get(pc as usize);
        Fault {
            function: Some(code.name.clone()),
            instruction: origin.and_then(|origin| self.mnemonics.get(origin.variant.0 as usize).cloned()),
            span: origin.map(|origin| origin.span),
            place,
            callers,
            ..Fault::new(FaultKind::Race, "")
        }
    }

    /// The line of a step, and those of the calls to which its function was copied, the innermost first.
    fn places(&self, code: &Code, pc: u32) -> Vec<Place> {
        let mut places = Vec::new();
        let first = code.origins.get(pc as usize).and_then(|origin| origin.location);
        let mut next = first.map(CallLocation::Known);
        while let Some(at) = next.filter(|_| places.len() < MOST_CALLERS) {
            let (place, function, call) = match at {
                CallLocation::Known(index) => match code.locations.get(index as usize) {
                    Some(location) => (location.place, location.function.clone(), location.call),
                    None => break,
                },
                CallLocation::Place(file, line, column) => ((file, line, column), None, None),
            };
            let (file, line, column) = place;
            let name = self.files.iter().find(|(index, _)| *index == file);
            places.push(Place {
                file: name.map_or_else(|| file.to_string(), |(_, name)| name.clone()),
                line,
                column,
                function: function.or_else(|| call.is_none().then(|| code.name.clone())),
            });
            next = call;
        }
        places
    }
}
