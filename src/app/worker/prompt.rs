//! One prompt on the loaded model, the lens and the lab; and what waits for no sweep.

use super::job::Job;
use super::{Desk, Stop, coupling, done, failed, inside, member, stop, told};
use crate::app::protocol::{Ask, Asked, InsideAsk, Stage, Tell};
use crate::engine::{Capture, Reference, Trace};
use crate::plan::Plan;
use crate::study::lab::Rearranging;
use crate::study::original::OriginalAfter;
use crate::study::report::{Lens, Report};
use crate::study::{self, Generation, LoadedModel, Question, Wrote};

/// Every pair of a stream's states is compared, and the worker hears nothing meanwhile.
const MOST_RUNS: usize = 256;

/// Answers a request that needs one prompt and no other model, or no model at all: also in the middle of a sweep.
pub async fn answer(job: Job<'_>, ask: &Ask) -> Result<Tell, Stop> {
    job.desk.listen(job.id).await?;
    let report = match ask {
        Ask::Lens { asked, inside: None } => lens(job, asked).await,
        Ask::Lens { asked, inside: Some(inside) } => looked_into(job, asked, inside).await,
        Ask::Lab(asked) => lab(job, asked).await,
        Ask::Coupling { prompt, plan, tokens } => {
            coupling::one(job, prompt, plan.as_deref(), *tokens).await
        }
        Ask::Says { prompt, plan } => return says(job, prompt, plan.as_deref()).await,
        Ask::GoOn { text, plan, tokens } => {
            return go_on(job, text, plan.as_deref(), *tokens).await;
        }
        _ => return Err(Stop::Cancelled),
    };
    report.map(|report| done(job.desk, report))
}

/// Answers the prompts that wait: lens and lab stay live while many rows are run.
pub async fn answer_waiting(model: &LoadedModel, desk: &Desk) -> Result<(), Stop> {
    while let Some(request) = desk.take_quick() {
        let job = Job::new(model, desk, request.id);
        // In the middle of a study, itself in the middle of none.
        match Box::pin(answer(job, &request.ask)).await {
            // Whoever opens the model again comes back to both.
            Err(gpu @ Stop::Gpu { .. }) => {
                desk.put_back(request);
                return Err(gpu);
            }
            answer => {
                desk.tell(request.id, told(answer));
                desk.over(request.id);
            }
        }
    }
    Ok(())
}

/// The likeliest next tokens, as options.
async fn says(job: Job<'_>, prompt: &str, plan: Option<&str>) -> Result<Tell, Stop> {
    let model = job.model;
    let tokenizer = model.tokenizer().map_err(failed)?;
    let asked = tokenizer.prompt(model.shape(), prompt, &[]).map_err(failed)?;
    let ids = asked.token_ids.clone();
    let plan = job.plan(plan)?;
    let mut run = model.engine.next([asked].into(), [plan].into()).map_err(stop)?;
    job.drive(Stage::Run, &mut run).await?;
    let logits = run.finish().map_err(stop)?;
    let logits: Vec<f32> = logits.into_iter().flatten().flatten().collect();
    let sayings = model.sayings(prompt, &ids, &logits).map_err(failed)?;
    Ok(Tell::Says { sayings })
}

/// The model's own next words, told as they come.
async fn go_on(job: Job<'_>, text: &str, plan: Option<&str>, tokens: usize) -> Result<Tell, Stop> {
    let Job { model, desk, id, .. } = job;
    let ids = model.tokenizer().and_then(|t| Ok(t.encode(text)?));
    let plan = job.plan(plan)?;
    let writing = Generation::new(model, ids.map_err(failed)?, &plan, tokens);
    let mut writing = writing.map_err(stop)?;
    let mut text = String::new();
    loop {
        match writing.advance().map_err(stop)? {
            Wrote::Nothing => {}
            Wrote::Token { text: more, .. } => {
                text += &more;
                let text = text.clone();
                desk.tell(id, Tell::Wrote { text });
                let written = writing.written().len();
                desk.progress(id, Stage::Write, written as f64, tokens as f64);
            }
            Wrote::End(end) => return Ok(Tell::Written { end }),
        }
        desk.turn(id, writing.is_waiting()).await?;
    }
}

async fn lens(job: Job<'_>, asked: &Asked) -> Result<Report, Stop> {
    let (question, plan) = job.read(asked)?;
    compared(job, &question, &plan, Capture::default(), |_| ()).await
}

/// The lens with what a view of the run's inside needs.
async fn looked_into(job: Job<'_>, asked: &Asked, ask: &InsideAsk) -> Result<Report, Stop> {
    let model = job.model;
    let (question, plan) = job.read(asked)?;
    if let InsideAsk::Member { name } = ask {
        return member::account(job, &question, plan, name.as_deref()).await;
    }
    let capture = inside::capture(model, &question, &plan, ask)?;
    let finish = |lens: &mut Lens| {
        inside::note(lens, ask);
        study::lens::name_words(lens, model);
    };
    let mut report = compared(job, &question, &plan, capture, finish).await?;

    // The views of heads show the original order's answer beside.
    let original = model.plan(None).map_err(failed)?;
    if matches!(ask, InsideAsk::Attention { .. })
        && plan != original
        && let Some(known) = model.last_original(&question.prompt)
        && let Some(lens) = &mut report.lens
    {
        let before = study::lens::lens(model, &question, &original, known.trace);
        lens.before = Some(before.probabilities);
        lens.before_vocabulary = before.vocabulary;
    }
    Ok(report)
}

/// A plan's answer, finished by `finish`.
async fn compared(
    job: Job<'_>,
    question: &Question,
    plan: &Plan,
    mut capture: Capture,
    finish: impl Fn(&mut Lens),
) -> Result<Report, Stop> {
    let model = job.model;
    let wish = model.answer_wish(&question.prompt, plan).map_err(failed)?;
    let read = match wish.reference {
        Reference::None => study::lens::lens,
        _ => study::lens::compared_lens,
    };
    capture.vocabulary = Some(wish);
    let trace = trace(job, question, plan, capture).await?;
    let after = model.original_after(&question.prompt, plan, &trace).map_err(stop)?;
    let mut lens = read(model, question, plan, trace);
    finish(&mut lens);
    if after.is_some() {
        job.desk.ran(model.shape().order.len());
    }
    beside_original(job, study::lens::report(model, lens), after).await
}

/// Compares a plan's answer with the original order's; where that is still to run, the answer is shown before.
pub(super) async fn beside_original(
    job: Job<'_>,
    mut report: Report,
    after: Option<OriginalAfter<'_>>,
) -> Result<Report, Stop> {
    let Some(mut after) = after else {
        return Ok(report);
    };
    job.desk.tell(job.id, Tell::Partial { report: Box::new(report.clone()) });
    job.drive(Stage::Compare, &mut after).await?;
    let original = after.finish().map_err(stop)?;
    if let Some(lens) = &mut report.lens {
        study::lens::compare(lens, &original);
    }
    Ok(report)
}

async fn trace(
    job: Job<'_>,
    question: &Question,
    plan: &Plan,
    capture: Capture,
) -> Result<Trace, Stop> {
    let prompts = [question.prompt.clone()];
    let run = job.model.engine.start(prompts.into(), [plan.clone()].into(), capture);
    let mut run = run.map_err(stop)?;
    job.desk.ran(job.drive(Stage::Run, &mut run).await?);
    let traces = run.finish().map_err(stop)?;
    let trace = traces.into_iter().flatten().next();
    trace.ok_or_else(|| Stop::Failed("the engine gave no trace for this prompt".to_owned()))
}

/// Runs a prompt on two engines: says how far their members and logits lie apart.
pub async fn compare(
    models: [&LoadedModel; 2],
    desk: &Desk,
    id: u32,
    asked: &Asked,
) -> Result<Tell, Stop> {
    let mut found = Vec::new();
    for model in models {
        let job = Job::new(model, desk, id);
        let (question, plan) = job.read(asked)?;
        found.push(trace(job, &question, &plan, Capture::answer()).await?);
    }
    let numbers = |trace: &Trace| {
        let members = trace.member_logits.iter().flatten();
        members.chain(&trace.logits).copied().collect::<Vec<f32>>()
    };
    let (a, b) = (numbers(&found[0]), numbers(&found[1]));
    let largest = b.iter().fold(f32::MIN_POSITIVE, |max, x| max.max(x.abs()));
    let apart = a.iter().zip(&b).map(|(a, b)| (a - b).abs());
    let apart = apart.fold(0.0, f32::max) / largest;
    let sentence = format!(
        "On this prompt and order, the {} numbers of the GPU and of the CPU differ by at most {apart:.1e} of the largest.",
        b.len()
    );
    Ok(Tell::Compared { sentence })
}

async fn lab(job: Job<'_>, asked: &Asked) -> Result<Report, Stop> {
    let (question, plan) = job.read(asked)?;
    let runs = plan.block_runs().count();
    if runs > MOST_RUNS {
        return Err(Stop::Failed(format!(
            "this plan runs {runs} blocks and this view draws up to {MOST_RUNS}: the lens, or `atelier lens --plan`, takes more"
        )));
    }
    let mut run = Rearranging::start(job.model, &question, plan).map_err(stop)?;
    job.desk.ran(job.drive(Stage::Run, &mut run).await?);
    run.report().map_err(stop)
}
