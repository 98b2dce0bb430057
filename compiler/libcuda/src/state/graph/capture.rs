//! Streams whose work is captured into a graph.

use std::collections::BTreeSet;

use super::{Capture, Graphs, Work};
use crate::result::{Code, Failed};
use crate::state::ContextId;

impl Graphs {
    /// From now on the work of a stream becomes nodes, of a new graph or of one that is there.
    pub(crate) fn begin(
        &mut self,
        stream: u64,
        into: Option<(usize, Vec<usize>)>,
        context: ContextId,
    ) -> Result<(), Failed> {
        if self.captures.contains_key(&stream) {
            return Err(Failed::new(
                Code::StreamCaptureUnsupported,
                "the stream is captured already",
            ));
        }
        let (graph, last) = match into {
            Some((graph, last)) => {
                self.graph(graph)?;
                (graph, last)
            }
            None => (self.create(context), Vec::new()),
        };
        self.begun += 1;
        let capture = Capture {
            graph,
            number: self.begun,
            began: true,
            is_invalid: false,
            last,
        };
        self.captures.insert(stream, capture);
        Ok(())
    }

    /// The graph that a stream was captured into. Streams that joined must have been waited for.
    pub(crate) fn end(&mut self, stream: u64) -> Result<usize, Failed> {
        let own = match self.captures.get(&stream) {
            Some(own) if own.began => own.clone(),
            Some(_) => {
                return Err(Failed::new(
                    Code::StreamCaptureUnmatched,
                    "the capture began in another stream",
                ));
            }
            None => return Err(Failed::new(Code::IllegalState, "the stream is not captured")),
        };
        let joined = self
            .captures
            .iter()
            .filter(|(_, other)| other.number == own.number && !other.began);
        let unjoined = joined
            .filter(|(_, other)| other.last.iter().any(|node| !self.comes_before(*node, &own.last)))
            .count();
        self.captures.retain(|_, other| other.number != own.number);
        match unjoined {
            _ if own.is_invalid => Err(Failed::silent(Code::StreamCaptureInvalidated)),
            0 => Ok(own.graph),
            _ => Err(Failed::new(
                Code::StreamCaptureUnjoined,
                "a stream that has joined the capture was not waited for",
            )),
        }
    }

    /// Ends the work of the capture of a stream: its end gives an error.
    pub(crate) fn invalidate(&mut self, stream: u64) {
        let Some(number) = self.captures.get(&stream).map(|capture| capture.number) else {
            return;
        };
        for capture in self.captures.values_mut().filter(|capture| capture.number == number) {
            capture.is_invalid = true;
        }
    }

    /// The state of a stream, in numbers of `CUstreamCaptureStatus`.
    pub(crate) fn status(&self, stream: u64) -> i32 {
        match self.captures.get(&stream) {
            None => 0,
            Some(capture) if capture.is_invalid => 2,
            Some(_) => 1,
        }
    }

    /// Whether a node is among others, or before one of them.
    fn comes_before(&self, node: usize, others: &[usize]) -> bool {
        let mut seen = BTreeSet::new();
        let mut open = others.to_vec();
        while let Some(next) = open.pop() {
            if next == node {
                return true;
            }
            if seen.insert(next) {
                open.extend(self.node(next).map(|found| found.after.clone()).unwrap_or_default());
            }
        }
        false
    }

    /// The graph and the number of the capture of a stream.
    pub(crate) fn capture(&self, stream: u64) -> Option<(usize, u64, &[usize])> {
        let found = self.captures.get(&stream)?;
        Some((found.graph, found.number, &found.last))
    }

    /// What the next node of a captured stream comes after.
    pub(crate) fn set_last(&mut self, stream: u64, nodes: Vec<usize>, added: bool) -> Result<(), Failed> {
        let found = self.captures.get_mut(&stream);
        let found = found.ok_or_else(|| Failed::new(Code::IllegalState, "the stream is not captured"))?;
        if !added {
            found.last.clear();
        }
        found.last.extend(nodes);
        Ok(())
    }

    /// Makes work of a captured stream a node; gives it back where the stream is not captured.
    pub(crate) fn captured(&mut self, stream: u64, work: Work) -> Result<Option<Work>, Failed> {
        let Some(capture) = self.captures.get(&stream) else {
            return Ok(Some(work));
        };
        let (graph, after) = (capture.graph, capture.last.clone());
        let work = match work {
            // What is launched in a captured stream is a graph of the node.
            Work::Graph(steps) => {
                let context = self.graph(graph)?.context;
                Work::Child(self.chain(steps, context)?)
            }
            work => work,
        };
        let node = self.add(graph, work, after)?;
        if let Some(capture) = self.captures.get_mut(&stream) {
            capture.last = vec![node];
        }
        Ok(None)
    }

    /// Records an event in a stream: whether that was captured.
    pub(crate) fn record(&mut self, event: usize, stream: u64) -> bool {
        match self.captures.get(&stream) {
            Some(capture) => {
                self.marks.insert(event, (capture.number, capture.last.clone()));
                true
            }
            None => {
                self.marks.remove(&event);
                false
            }
        }
    }

    /// Lets a stream wait for an event: what comes next comes after what was captured before it. The stream joins the capture.
    pub(crate) fn wait(&mut self, stream: u64, event: usize) -> Result<(), Failed> {
        let Some((number, nodes)) = self.marks.get(&event).cloned() else {
            return Ok(());
        };
        let Some(graph) = self
            .captures
            .values()
            .find(|capture| capture.number == number)
            .map(|capture| capture.graph)
        else {
            return Ok(());
        };
        let own = self.captures.entry(stream).or_insert(Capture {
            graph,
            number,
            began: false,
            is_invalid: false,
            last: Vec::new(),
        });
        if own.number != number {
            let reason = "a stream waits for an event of another capture";
            return Err(Failed::new(Code::StreamCaptureMerge, reason));
        }
        for node in nodes {
            if !own.last.contains(&node) {
                own.last.push(node);
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::super::Step;
    use super::*;
    use crate::state::PRIMARY;

    /// The events that the steps record, which tell them apart.
    fn recorded(steps: &[Step]) -> Vec<usize> {
        let number = |step: &Step| match step.work {
            Work::Record(number) => number,
            _ => usize::MAX,
        };
        steps.iter().map(number).collect()
    }

    #[test]
    fn streams_join_a_capture_by_waiting() {
        let mut graphs = Graphs::default();
        graphs.begin(8, None, PRIMARY).expect("it is not captured");
        let is_captured = |graphs: &mut Graphs, stream, number| {
            graphs
                .captured(stream, Work::Record(number))
                .expect("it is there")
                .is_none()
        };
        assert!(is_captured(&mut graphs, 8, 1) && !is_captured(&mut graphs, 9, 5));
        assert!(graphs.record(0, 8));
        graphs.wait(9, 0).expect("it joins");
        assert!(is_captured(&mut graphs, 9, 2) && is_captured(&mut graphs, 8, 3));
        assert!(graphs.end(9).is_err(), "it began elsewhere");
        assert!(graphs.record(1, 9));
        graphs.wait(8, 1).expect("it is waited for");
        assert!(is_captured(&mut graphs, 8, 4));
        let graph = graphs.end(8).expect("all have joined");
        let nodes = graphs.nodes(graph, false).expect("it is there");
        assert_eq!(recorded(&graphs.steps(graph).expect("no circle")), [1, 2, 3, 4]);
        assert_eq!(graphs.after(nodes[3]).expect("it is there"), [nodes[2], nodes[1]]);
        assert!(!is_captured(&mut graphs, 9, 6) && graphs.end(8).is_err());
    }

    #[test]
    fn a_stream_that_is_not_waited_for_is_told() {
        let mut graphs = Graphs::default();
        graphs.begin(8, None, PRIMARY).expect("it is not captured");
        assert!(graphs.record(0, 8));
        graphs.wait(9, 0).expect("it joins");
        graphs.captured(9, Work::Empty).expect("it is there");
        let failed = graphs.end(8).expect_err("a stream is left");
        assert_eq!(failed.code, Code::StreamCaptureUnjoined);
    }
}
