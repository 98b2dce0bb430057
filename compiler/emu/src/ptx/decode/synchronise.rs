//! Barriers, fences, asynchronous barriers and operations of a whole warp.

use warpsmith_numerics::float::MinMax;
use warpsmith_ptx::{
    instruction::Variant,
    module::Operand,
    table::{Class, Type},
};

use super::{
    Decoded, Decoder, M, O, Unsupported, first_type,
    integer::{format, kind},
};
use crate::ptx::{
    arithmetic::{Function, Whole},
    code::{BarrierAction, Collective, Mbarrier, Op, Shuffle, Source, Space},
};

impl Decoder<'_> {
    /// Instructions by which threads wait for each other.
    pub(super) fn synchronisation(&mut self, variant: &Variant, operands: &[Operand]) -> Option<Decoded> {
        Some(match variant.opcode {
            O::Membar | O::MembarProxy | O::Fence | O::FenceProxy | O::Griddepcontrol => self.nothing(),
            O::Bar | O::BarCta | O::Barrier | O::BarrierCta => self.barrier(variant, operands, false),
            O::BarArrive | O::BarCtaArrive | O::BarrierArrive | O::BarrierCtaArrive => {
                self.barrier(variant, operands, true)
            }
            O::BarRed | O::BarCtaRed | O::BarrierRed | O::BarrierCtaRed => self.barrier_reduce(variant, operands),
            O::BarrierClusterArrive => {
                self.push(Op::ClusterArrive);
                Ok(())
            }
            O::BarrierClusterWait => {
                self.push(Op::ClusterWait);
                Ok(())
            }
            O::BarWarp => self.collective(Collective::Barrier, operands.first()),
            O::Shfl => self.shuffle(variant, operands),
            O::Vote => self.vote(variant, operands),
            O::Match => self.match_(variant, operands),
            O::Redux => self.reduce(variant, operands),
            O::Elect => self.elect(operands),
            O::Activemask => self.active_mask(operands),
            _ if variant.opcode.name().starts_with("mbarrier.") => self.mbarrier(variant, operands),
            _ => return None,
        })
    }

    fn barrier(&mut self, variant: &Variant, operands: &[Operand], arrive: bool) -> Decoded {
        if variant.has(M::All) || variant.has(M::Any) {
            return Err(Unsupported);
        }
        let [number, threads @ ..] = operands else {
            return Err(Unsupported);
        };
        let number = self.value(number, Type::U32)?;
        let threads = match threads {
            [threads] => Some(self.value(threads, Type::U32)?),
            _ => None,
        };
        self.push(Op::Barrier {
            action: if arrive {
                BarrierAction::Arrive
            } else {
                BarrierAction::Sync
            },
            number,
            threads,
        });
        Ok(())
    }

    fn barrier_reduce(&mut self, variant: &Variant, operands: &[Operand]) -> Decoded {
        let (d, number, threads, c) = match operands {
            [d, number, c] => (d, number, None, c),
            [d, number, threads, c] => (d, number, Some(threads), c),
            _ => return Err(Unsupported),
        };
        let number = self.value(number, Type::U32)?;
        let threads = threads.map(|threads| self.value(threads, Type::U32)).transpose()?;
        let a = self.test(c)?;
        let action = if variant.has(M::Popc) {
            BarrierAction::Popcount {
                d: self.destination(d)?,
                a,
            }
        } else if variant.has(M::And) {
            BarrierAction::And {
                p: self.predicate(d)?,
                a,
            }
        } else {
            BarrierAction::Or {
                p: self.predicate(d)?,
                a,
            }
        };
        self.push(Op::Barrier {
            action,
            number,
            threads,
        });
        Ok(())
    }

    /// A warp operation; without a mask, of all lanes that execute it together.
    fn collective(&mut self, collective: Collective, members: Option<&Operand>) -> Decoded {
        let members = match members {
            Some(members) => self.value(members, Type::U32)?,
            None => {
                let d = self.temporary();
                self.push(Op::ActiveMask { d });
                Source::slot(d)
            }
        };
        self.push(Op::Collective { collective, members });
        Ok(())
    }

    fn shuffle(&mut self, variant: &Variant, operands: &[Operand]) -> Decoded {
        let [d, a, b, c, members @ ..] = operands else {
            return Err(Unsupported);
        };
        let (d, p) = self.pair(d);
        let (d, p) = (self.destination(&d)?, self.predicate(&p)?);
        let mode = match variant.of_class(Class::Shuffle) {
            Some(M::Up) => Shuffle::Up,
            Some(M::Down) => Shuffle::Down,
            Some(M::Bfly) => Shuffle::Butterfly,
            Some(M::Idx) => Shuffle::Index,
            _ => return Err(Unsupported),
        };
        let (a, b, c) = (
            self.value(a, Type::B32)?,
            self.value(b, Type::B32)?,
            self.value(c, Type::B32)?,
        );
        self.collective(Collective::Shuffle { mode, d, p, a, b, c }, members.first())
    }

    fn vote(&mut self, variant: &Variant, operands: &[Operand]) -> Decoded {
        let [d, a, members @ ..] = operands else {
            return Err(Unsupported);
        };
        let a = self.test(a)?;
        let collective = if variant.has(M::Ballot) {
            Collective::Ballot {
                d: self.destination(d)?,
                a,
            }
        } else {
            let p = self.predicate(d)?;
            match variant.slot("mode") {
                Some(M::All) => Collective::VoteAll { p, a },
                Some(M::Any) => Collective::VoteAny { p, a },
                Some(M::Uni) => Collective::VoteUniform { p, a },
                _ => return Err(Unsupported),
            }
        };
        self.collective(collective, members.first())
    }

    fn match_(&mut self, variant: &Variant, operands: &[Operand]) -> Decoded {
        let of = first_type(variant)?;
        let [d, a, members] = operands else {
            return Err(Unsupported);
        };
        let (d, p) = self.pair(d);
        let (d, p) = (self.destination(&d)?, self.predicate(&p)?);
        let a = self.value(a, of)?;
        let collective = if variant.has(M::All) {
            Collective::MatchAll { d, p, a }
        } else {
            Collective::MatchAny { d, a }
        };
        self.collective(collective, Some(members))
    }

    fn reduce(&mut self, variant: &Variant, operands: &[Operand]) -> Decoded {
        let of = first_type(variant)?;
        let [d, a, members] = operands else {
            return Err(Unsupported);
        };
        let maximum = variant.has(M::Max);
        let function = if of == Type::F32 {
            Function::Extreme {
                maximum,
                format: format(of)?,
                modifiers: MinMax {
                    nan: variant.has(M::NaN),
                    ..MinMax::default()
                },
                operands: 2,
            }
        } else {
            let operation = match variant.slot("op") {
                Some(M::Add) => Whole::Add,
                Some(M::Min) => Whole::Minimum,
                Some(M::Max) => Whole::Maximum,
                Some(M::And) => Whole::And,
                Some(M::Or) => Whole::Or,
                Some(M::Xor) => Whole::Xor,
                _ => return Err(Unsupported),
            };
            Function::Whole(operation, kind(of)?)
        };
        let (d, a) = (self.destination(d)?, self.value(a, of)?);
        let absolute = variant.has(M::Abs);
        self.collective(
            Collective::Reduce {
                function,
                d,
                a,
                absolute,
            },
            Some(members),
        )
    }

    fn elect(&mut self, operands: &[Operand]) -> Decoded {
        let [d, members] = operands else {
            return Err(Unsupported);
        };
        let (d, p) = self.pair(d);
        let (d, p) = (self.destination(&d)?, self.predicate(&p)?);
        self.collective(Collective::Elect { d, p }, Some(members))
    }

    fn active_mask(&mut self, operands: &[Operand]) -> Decoded {
        let [d] = operands else { return Err(Unsupported) };
        let d = self.destination(d)?;
        self.push(Op::ActiveMask { d });
        Ok(())
    }

    fn mbarrier(&mut self, variant: &Variant, operands: &[Operand]) -> Decoded {
        let space = if variant.slot("state").is_some() {
            Space::Shared
        } else {
            Space::Generic
        };
        let (address, rest, d) = match (variant.opcode, operands) {
            (O::MbarrierPendingCount, [d, state]) => {
                let (d, a) = (self.destination(d)?, self.value(state, Type::U64)?);
                self.push(Op::Extract {
                    d,
                    a,
                    shift: 0,
                    bits: 20,
                });
                return Ok(());
            }
            (
                O::MbarrierInit | O::MbarrierInval | O::MbarrierExpectTx | O::MbarrierCompleteTx,
                [address, rest @ ..],
            ) => (address, rest, None),
            (_, [d, address, rest @ ..]) => (address, rest, Some(d)),
            _ => return Err(Unsupported),
        };
        let (address, offset, _) = self.address(address)?;
        let count = match rest {
            [count, ..] => {
                let of = match variant.opcode {
                    O::MbarrierTestWait | O::MbarrierTryWait => Type::U64,
                    _ => Type::U32,
                };
                Some(self.value(count, of)?)
            }
            [] => None,
        };
        let state = |decoder: &mut Self| d.map_or(Err(Unsupported), |d| decoder.destination(d));
        let operation = match variant.opcode {
            O::MbarrierInit => Mbarrier::Init {
                count: count.ok_or(Unsupported)?,
            },
            O::MbarrierInval => Mbarrier::Invalidate,
            O::MbarrierExpectTx => Mbarrier::ExpectTransactions {
                count: count.ok_or(Unsupported)?,
            },
            O::MbarrierCompleteTx => Mbarrier::CompleteTransactions {
                count: count.ok_or(Unsupported)?,
            },
            O::MbarrierArrive | O::MbarrierArriveDrop => Mbarrier::Arrive {
                d: state(self)?,
                count,
                drop: variant.opcode == O::MbarrierArriveDrop,
                expect: None,
            },
            O::MbarrierArriveExpectTx | O::MbarrierArriveDropExpectTx => Mbarrier::Arrive {
                d: state(self)?,
                count: None,
                drop: variant.opcode == O::MbarrierArriveDropExpectTx,
                expect: count,
            },
            O::MbarrierTestWait | O::MbarrierTryWait | O::MbarrierTestWaitParity | O::MbarrierTryWaitParity => {
                Mbarrier::TestWait {
                    p: d.map_or(Err(Unsupported), |d| self.predicate(d))?,
                    phase: count.ok_or(Unsupported)?,
                    parity: matches!(variant.opcode, O::MbarrierTestWaitParity | O::MbarrierTryWaitParity),
                }
            }
            _ => return Err(Unsupported),
        };
        self.push(Op::Mbarrier {
            operation,
            address,
            offset,
            space,
        });
        Ok(())
    }
}
