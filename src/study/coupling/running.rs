//! One prompt's coupling, in small steps: the run's streams, every step's Jacobians (whole, or searched
//! by products), then all that are wanted in one another's bases.

use std::rc::Rc;

use super::assembly;
use super::jacobians::{JacobianPlace, Jacobians};
use super::linearised::LinearPath;
use super::step::StepTangents;
use super::wish::CouplingWish;
use super::{Coupling, CouplingMethod, MethodReason, ProductCount};
use crate::engine::{EngineError, Run, TangentProduct};
use crate::measure::coupling::{
    Alignment, Jacobian, LOCKSTEP, Lanczos, NotFinite, PROBES, PROBES_TOGETHER, Spectrum, TOLERANCE,
};
use crate::study::{LoadedModel, StudyError};

/// Probes of one product, so that progress stays true and "cancel" is heard.
const PANEL: usize = 128;

/// Bytes that whole Jacobians may take.
const WHOLE_BYTES: usize = if cfg!(target_arch = "wasm32") {
    256 << 20
} else {
    2 << 30
};

/// A coupling on its way; [`Linearising::advance`] it until nothing is left to do.
pub struct Linearising<'a> {
    model: &'a LoadedModel,
    wish: CouplingWish,
    token_ids: Vec<u32>,
    /// `[S + 1]` of `[T, D]`
    streams: Vec<Rc<[f32]>>,
    jacobians: Jacobians,
    method: CouplingMethod,
    reason: MethodReason,
    path: Option<LinearPath>,
    spent: ProductCount,
    /// Products that are thought to be needed altogether.
    expected: u64,
    stage: Option<CouplingStage<'a>>,
    is_waiting: bool,
}

enum CouplingStage<'a> {
    Streams(Box<dyn Run<Vec<Rc<[f32]>>> + 'a>),
    /// The Jacobians of a step.
    Step(usize, StepTangents<'a>, StepWork),
    /// One of its whole Jacobians is there: to be taken apart.
    TakeApart(usize, StepTangents<'a>, StepWork),
    /// The Jacobian of this number in all bases wanted, from its matrix.
    WholePairs(usize),
    /// A step's Jacobians times what is left of the bases wanted of them.
    Pairs(usize, StepTangents<'a>, PairWork),
    Done,
}

/// What is left to do with a step's Jacobians.
enum StepWork {
    /// Columns so far of the first of these.
    Whole { left: Vec<usize>, columns: Vec<f32> },
    Searches {
        searches: Vec<(usize, Option<Lanczos>)>,
        /// Which of them were asked for; and whether the linearised path's product is the first.
        asked: Vec<usize>,
        with_path: bool,
    },
}

/// Images wanted of a step's Jacobians: whose, of which basis, how many of its vectors.
struct PairWork {
    left: Vec<(usize, usize, usize)>,
    asked: Vec<(usize, usize, usize)>,
}

impl<'a> Linearising<'a> {
    /// Checks all that is asked before anything runs.
    ///
    /// # Errors
    /// See [`CouplingWish::check`]; a prompt that the model cannot read.
    pub fn start(
        model: &'a LoadedModel,
        token_ids: &[u32],
        wish: CouplingWish,
    ) -> Result<Self, StudyError> {
        let shape = model.shape();
        wish.check(shape, token_ids.len())?;
        let run = model
            .engine
            .streams([token_ids.to_vec()].into(), [wish.plan.clone()].into())?;
        let jacobians = Jacobians::of(&wish, shape, token_ids.len());
        let (method, reason) = method(&wish, &jacobians, shape.width);
        let expected = expected(method, &jacobians, shape.width);
        Ok(Self {
            model,
            token_ids: token_ids.to_vec(),
            streams: Vec::new(),
            jacobians,
            method,
            reason,
            path: None,
            spent: ProductCount::default(),
            expected,
            stage: Some(CouplingStage::Streams(run)),
            is_waiting: false,
            wish,
        })
    }

    /// Goes on a little: `Some((done, of))` in products, `None` once all is done.
    ///
    /// # Errors
    /// What the engine says; numbers past f32.
    pub fn advance(&mut self) -> Result<Option<(usize, usize)>, StudyError> {
        self.is_waiting = false;
        let stage = match self.stage.take() {
            Some(CouplingStage::Streams(mut run)) => match run.advance()? {
                Some(_) => {
                    self.is_waiting = run.is_waiting();
                    CouplingStage::Streams(run)
                }
                None => {
                    let streams = run.finish()?.into_iter().flatten().next();
                    self.streams = streams.ok_or(EngineError::Cancelled)?;
                    self.path = Some(LinearPath::new(self.last_state(0)));
                    self.begin_step(0)?
                }
            },
            Some(CouplingStage::Step(step, tangents, work)) => self.step(step, tangents, work)?,
            Some(CouplingStage::TakeApart(step, tangents, work)) => {
                self.take_apart(step, tangents, work)?
            }
            Some(CouplingStage::WholePairs(number)) => self.whole_pairs(number)?,
            Some(CouplingStage::Pairs(step, tangents, work)) => self.pairs(step, tangents, work)?,
            Some(CouplingStage::Done) | None => {
                self.stage = Some(CouplingStage::Done);
                return Ok(None);
            }
        };
        self.stage = Some(stage);
        let done = self.spent.jvp + self.spent.vjp;
        Ok(Some((done as usize, self.expected.max(done + 1) as usize)))
    }

    /// Is the device to answer first? See [`Run::is_waiting`].
    pub fn is_waiting(&self) -> bool {
        self.is_waiting
    }

    /// What was found, with the prompt's text where it came as one.
    ///
    /// # Errors
    /// Called too early: [`EngineError::Cancelled`].
    pub fn coupling(self, text: Option<(String, Vec<String>)>) -> Result<Coupling, StudyError> {
        let is_done = matches!(self.stage, Some(CouplingStage::Done));
        let Some(path) = self.path.filter(|_| is_done) else {
            return Err(EngineError::Cancelled.into());
        };
        let (prompt, tokens) = text.unzip();
        Ok(Coupling {
            prompt,
            tokens,
            token_ids: self.token_ids,
            method: self.method,
            reason: self.reason,
            products: self.spent,
            linearised: path.finish(),
            ..assembly::assembled(&self.wish, &self.jacobians, &self.streams, self.model)
        })
    }

    fn width(&self) -> usize {
        self.model.shape().width
    }

    /// The last token's, before the step of this number. `[D]`
    fn last_state(&self, step: usize) -> &[f32] {
        let stream = &self.streams[step];
        &stream[stream.len() - self.width()..]
    }

    fn tangents(&self, step: usize) -> Result<StepTangents<'a>, StudyError> {
        let of = &self.wish.plan.steps()[step];
        Ok(StepTangents::new(
            &self.model.engine,
            of,
            &self.streams[step],
        )?)
    }

    fn begin_step(&mut self, step: usize) -> Result<CouplingStage<'a>, StudyError> {
        if step == self.wish.plan.steps().len() {
            return match self.method {
                CouplingMethod::Whole => Ok(CouplingStage::WholePairs(0)),
                CouplingMethod::Lanczos => self.begin_pairs(0),
            };
        }
        let mut tangents = self.tangents(step)?;
        let width = self.width();
        let left = self.jacobians.of_step(step);
        let mut work = match self.method {
            CouplingMethod::Whole => StepWork::Whole {
                left,
                columns: Vec::with_capacity(width * width),
            },
            CouplingMethod::Lanczos => {
                let probes = if left.len() < LOCKSTEP {
                    PROBES
                } else {
                    PROBES_TOGETHER
                };
                let search = |number: usize| {
                    let top = self.jacobians.all[number].top;
                    // One start a Jacobian.
                    let seed = self.wish.seed.wrapping_mul(0x9E37_79B9) ^ number as u32;
                    (
                        number,
                        Some(Lanczos::new(width, top, probes, TOLERANCE, seed)),
                    )
                };
                StepWork::Searches {
                    searches: left.into_iter().map(search).collect(),
                    asked: Vec::new(),
                    with_path: true,
                }
            }
        };
        self.ask(&mut tangents, &mut work)?;
        Ok(CouplingStage::Step(step, tangents, work))
    }

    /// Asks for the next products of a step.
    fn ask(&self, tangents: &mut StepTangents<'a>, work: &mut StepWork) -> Result<(), StudyError> {
        let width = self.width();
        let product = |number: usize, transposed: bool, probes: Vec<f32>| {
            let JacobianPlace { t_in, t_out, .. } = self.jacobians.all[number].place;
            TangentProduct {
                t_in,
                t_out,
                transposed,
                probes,
            }
        };
        let mut products = Vec::new();
        match work {
            StepWork::Whole { left, columns } => {
                let first = columns.len() / width;
                let count = PANEL.min(width - first);
                let mut probes = vec![0.0; count * width];
                (0..count).for_each(|n| probes[n * width + first + n] = 1.0);
                products.extend(left.first().map(|&number| product(number, false, probes)));
            }
            StepWork::Searches {
                searches,
                asked,
                with_path,
            } => {
                if *with_path
                    && let Some(path) = &self.path
                    && let Some((number, _)) = searches.first()
                {
                    let place = self.jacobians.all[*number].place;
                    let last = self.jacobians.at_last(place.step);
                    products.push(TangentProduct {
                        t_in: last.t_in,
                        t_out: last.t_out,
                        transposed: false,
                        probes: path.state(),
                    });
                }
                asked.clear();
                for (at, (number, search)) in searches.iter().enumerate() {
                    if let Some(wanted) = search.as_ref().and_then(Lanczos::wanted) {
                        asked.push(at);
                        products.push(product(*number, wanted.transposed, wanted.rows));
                    }
                }
            }
        }
        Ok(tangents.ask(products)?)
    }

    /// Takes a step's products, if they are there.
    fn step(
        &mut self,
        step: usize,
        mut tangents: StepTangents<'a>,
        mut work: StepWork,
    ) -> Result<CouplingStage<'a>, StudyError> {
        let Some(found) = tangents.answer()? else {
            self.is_waiting = true;
            return Ok(CouplingStage::Step(step, tangents, work));
        };
        let width = self.width();
        match &mut work {
            StepWork::Whole { columns, .. } => {
                let found = found.into_iter().flatten();
                let before = columns.len();
                columns.extend(found);
                self.spent.jvp += ((columns.len() - before) / width) as u64;
                if columns.len() == width * width {
                    return Ok(CouplingStage::TakeApart(step, tangents, work));
                }
            }
            StepWork::Searches {
                searches,
                asked,
                with_path,
            } => {
                let mut found = found.into_iter();
                if std::mem::take(with_path) {
                    let change = found.next().unwrap_or_default();
                    self.spent.jvp += 1;
                    self.follow(step, &change);
                }
                for (&at, found) in asked.iter().zip(found) {
                    let (number, search) = &mut searches[at];
                    let Some(mut machine) = search.take() else {
                        continue;
                    };
                    let rows = (found.len() / width) as u64;
                    match machine.wanted() {
                        Some(wanted) if wanted.transposed => self.spent.vjp += rows,
                        _ => self.spent.jvp += rows,
                    }
                    machine.answer(&found).map_err(|error| past(error, step))?;
                    if machine.wanted().is_some() {
                        *search = Some(machine);
                        continue;
                    }
                    let known = &mut self.jacobians.all[*number];
                    known.leading = machine.into_leading();
                    if let Some(leading) = &known.leading {
                        known.spectrum = Some(Spectrum::of_leading(leading, &self.wish.top));
                    }
                }
                if searches.iter().all(|(_, search)| search.is_none()) {
                    return self.begin_step(step + 1);
                }
            }
        }
        self.ask(&mut tangents, &mut work)?;
        Ok(CouplingStage::Step(step, tangents, work))
    }

    fn follow(&mut self, step: usize, change: &[f32]) {
        let reached = self.last_state(step + 1).to_vec();
        if let Some(path) = &mut self.path {
            path.step(change, &reached);
        }
    }

    /// Singular vectors of a Jacobian whose columns are all there, and on to the next.
    fn take_apart(
        &mut self,
        step: usize,
        mut tangents: StepTangents<'a>,
        mut work: StepWork,
    ) -> Result<CouplingStage<'a>, StudyError> {
        let width = self.width();
        if let StepWork::Whole { left, columns } = &mut work
            && !left.is_empty()
        {
            let number = left.remove(0);
            let columns = std::mem::take(columns);
            let top = &self.wish.top;
            let last = self.jacobians.at_last(step);
            let known = &mut self.jacobians.all[number];
            let seed = self.wish.seed;
            let apart = || -> Result<_, NotFinite> {
                let whole = Jacobian::of_columns(width, columns)?;
                let leading = whole.leading(known.top, seed)?;
                // Of those between tokens only the gaps are shown.
                let spectrum = if known.place == last {
                    whole.spectrum(&leading, top)?
                } else {
                    Spectrum::of_leading(&leading, top)
                };
                Ok((whole, leading, spectrum))
            };
            let (whole, leading, spectrum) = apart().map_err(|error| past(error, step))?;
            let change = (known.place == last)
                .then(|| self.path.as_ref().map(|path| whole.times(&path.state())))
                .flatten();
            known.whole = Some(whole);
            known.leading = Some(leading);
            known.spectrum = Some(spectrum);
            if let Some(change) = change {
                self.follow(step, &change);
            }
            if left.is_empty() {
                return self.begin_step(step + 1);
            }
        }
        self.ask(&mut tangents, &mut work)?;
        Ok(CouplingStage::Step(step, tangents, work))
    }

    /// The vectors of the bases that a Jacobian is wanted in and that exist: whose, and how many.
    fn bases(&self, number: usize) -> Vec<(usize, usize)> {
        let known = &self.jacobians.all[number];
        if known.why_row().is_some() {
            return Vec::new();
        }
        let of = known.bases.iter().filter_map(|&(basis, k)| {
            let leading = self.jacobians.all[basis].leading.as_ref()?;
            let most = (1..=k).rev().find(|&k| leading.is_basis(k))?;
            Some((basis, most))
        });
        of.collect()
    }

    fn right(&self, number: usize, k: usize) -> Vec<f32> {
        let leading = self.jacobians.all[number].leading.as_ref();
        let rows = leading.map_or(&[][..], |leading| leading.right(k));
        rows.iter().map(|&x| x as f32).collect()
    }

    fn align(&mut self, number: usize, basis: usize, k: usize, images: &[f32]) {
        let width = self.width();
        let leading = self.jacobians.all[basis].leading.as_ref();
        if let Some(aligned) = leading.map(|leading| Alignment::of(leading, images, k, width)) {
            self.jacobians.all[number].aligned.insert(basis, aligned);
        }
    }

    /// In its own basis no product is needed.
    fn align_with_itself(&mut self, number: usize, k: usize) {
        let known = &mut self.jacobians.all[number];
        if let Some(leading) = &known.leading {
            let own = Alignment::with_itself(leading, k);
            known.aligned.insert(number, own);
        }
    }

    fn whole_pairs(&mut self, number: usize) -> Result<CouplingStage<'a>, StudyError> {
        if number == self.jacobians.all.len() {
            return Ok(CouplingStage::Done);
        }
        let width = self.width();
        let bases = self.bases(number);
        let others = bases.iter().filter(|(basis, _)| *basis != number);
        let rows: Vec<f32> = others
            .flat_map(|&(basis, k)| self.right(basis, k))
            .collect();
        let whole = self.jacobians.all[number].whole.as_ref();
        let images = whole.map_or(Vec::new(), |whole| whole.times(&rows));
        let mut at = 0;
        for (basis, k) in bases {
            if basis == number {
                self.align_with_itself(number, k);
            } else {
                self.align(number, basis, k, &images[at..at + k * width]);
                at += k * width;
            }
        }
        Ok(CouplingStage::WholePairs(number + 1))
    }

    fn begin_pairs(&mut self, step: usize) -> Result<CouplingStage<'a>, StudyError> {
        if step == self.wish.plan.steps().len() {
            return Ok(CouplingStage::Done);
        }
        let mut left = Vec::new();
        for number in self.jacobians.of_step(step) {
            for (basis, k) in self.bases(number) {
                if basis == number {
                    self.align_with_itself(number, k);
                } else {
                    left.push((number, basis, k));
                }
            }
        }
        if left.is_empty() {
            return self.begin_pairs(step + 1);
        }
        let mut work = PairWork {
            left,
            asked: Vec::new(),
        };
        let mut tangents = self.tangents(step)?;
        self.ask_pairs(&mut tangents, &mut work)?;
        Ok(CouplingStage::Pairs(step, tangents, work))
    }

    fn ask_pairs(
        &self,
        tangents: &mut StepTangents<'a>,
        work: &mut PairWork,
    ) -> Result<(), StudyError> {
        let mut rows = 0;
        let fits = work.left.iter().take_while(|(_, _, k)| {
            rows += k;
            rows <= PANEL
        });
        let count = fits.count().max(1).min(work.left.len());
        work.asked = work.left.drain(..count).collect();
        let products = work.asked.iter().map(|&(number, basis, k)| {
            let JacobianPlace { t_in, t_out, .. } = self.jacobians.all[number].place;
            TangentProduct {
                t_in,
                t_out,
                transposed: false,
                probes: self.right(basis, k),
            }
        });
        Ok(tangents.ask(products.collect())?)
    }

    fn pairs(
        &mut self,
        step: usize,
        mut tangents: StepTangents<'a>,
        mut work: PairWork,
    ) -> Result<CouplingStage<'a>, StudyError> {
        let Some(found) = tangents.answer()? else {
            self.is_waiting = true;
            return Ok(CouplingStage::Pairs(step, tangents, work));
        };
        for (&(number, basis, k), images) in work.asked.iter().zip(&found) {
            if !images.iter().all(|x| x.is_finite()) {
                return Err(past(NotFinite, step));
            }
            self.spent.jvp += k as u64;
            self.align(number, basis, k, images);
        }
        if work.left.is_empty() {
            return self.begin_pairs(step + 1);
        }
        self.ask_pairs(&mut tangents, &mut work)?;
        Ok(CouplingStage::Pairs(step, tangents, work))
    }
}

fn past(_: NotFinite, step: usize) -> StudyError {
    let at = format!("the derivatives of step {step}");
    EngineError::NotFinite { at }.into()
}

/// About what a search takes (docs/definitions.md, "Coupling").
fn search(top: usize) -> usize {
    60 + 12 * top
}

/// Products of the searches, and of all Jacobians with the bases that they are wanted in.
fn searched(jacobians: &Jacobians) -> usize {
    let of = jacobians.all.iter().filter(|known| known.is_seen);
    let each = of.map(|known| {
        let images: usize = known.bases.iter().map(|(_, k)| k).sum();
        search(known.top) + images.saturating_sub(known.top)
    });
    each.sum()
}

fn method(
    wish: &CouplingWish,
    jacobians: &Jacobians,
    width: usize,
) -> (CouplingMethod, MethodReason) {
    let count = jacobians.all.iter().filter(|known| known.is_seen).count();
    let bytes = count
        .saturating_mul(width)
        .saturating_mul(width)
        .saturating_mul(size_of::<f32>());
    let has_room = bytes <= WHOLE_BYTES;
    let is_cheaper = count * width <= searched(jacobians);
    match wish.method {
        Some(CouplingMethod::Lanczos) => (CouplingMethod::Lanczos, MethodReason::Asked),
        Some(CouplingMethod::Whole) if has_room => (CouplingMethod::Whole, MethodReason::Asked),
        None if is_cheaper && has_room => (CouplingMethod::Whole, MethodReason::FewerProducts),
        None if !is_cheaper => (CouplingMethod::Lanczos, MethodReason::FewerProducts),
        _ => (CouplingMethod::Lanczos, MethodReason::Memory),
    }
}

fn expected(method: CouplingMethod, jacobians: &Jacobians, width: usize) -> u64 {
    let count = jacobians.all.iter().filter(|known| known.is_seen).count();
    match method {
        CouplingMethod::Whole => (count * width) as u64,
        CouplingMethod::Lanczos => searched(jacobians) as u64,
    }
}
