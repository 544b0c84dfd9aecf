//! The CPU engine against the golden values: float64 runs of an independent implementation.

mod common;

use std::ops::ControlFlow;

use atelier::engine::{Engine, Trace};
use atelier::model::Prompt;
use atelier::plan::Plan;
use atelier::study::{LoadedModel, Question, lens};
use common::{assert_close, goldens, load, model_folder, notation, strings, u32s};
use serde_json::{Value, json};

fn run(engine: &dyn Engine, prompts: &[Prompt], plans: &[Plan]) -> Vec<Vec<Trace>> {
    engine
        .run(prompts, plans, &mut |_, _| ControlFlow::Continue(()))
        .expect("a run")
}

fn question(model: &LoadedModel, golden: &Value) -> Question {
    let answer = golden["answer"].as_u64().expect("an answer") as usize;
    match golden["prompt"].as_str() {
        Some(prompt) => model.question(prompt, &strings(&golden["options"]), answer),
        None => model.question_from_ids(&u32s(&golden["ids"]), &u32s(&golden["rows"]), answer),
    }
    .expect("a question")
}

#[test]
fn every_golden_run_and_every_plan_of_it() {
    let mut checked = 0;
    for (name, golden) in goldens() {
        let Some(folder) = model_folder(golden["model"].as_str().expect("a model")) else {
            continue;
        };
        let model = load(&folder);
        let question = question(&model, &golden);
        assert_eq!(
            question.prompt.token_ids,
            u32s(&golden["token_ids"]),
            "{name}: tokens"
        );
        assert_eq!(
            question.prompt.option_ids,
            u32s(&golden["option_token_ids"]),
            "{name}: options"
        );

        // All plans in one pass, the model's own order first.
        let config = model.config();
        let own = model.plan(None).expect("its own order");
        let golden_plans = golden["plans"].as_array().expect("plans");
        let parse = |plan: &Value| {
            Plan::parse(&notation(&plan["steps"]), &config.order).expect("a golden plan")
        };
        let plans: Vec<Plan> = std::iter::once(own)
            .chain(golden_plans.iter().map(parse))
            .collect();
        let traces = run(
            model.engine.as_ref(),
            std::slice::from_ref(&question.prompt),
            &plans,
        );
        let expected = std::iter::once(&golden["baseline"]).chain(golden_plans);
        for ((plan, mut traces), expected) in plans.iter().zip(traces).zip(expected) {
            let found = lens::lens(&question, plan, traces.remove(0));
            let mut expected = expected.clone();
            let fields = expected.as_object_mut().expect("an object");
            fields.remove("name");
            fields.remove("steps");
            assert_close(&json!(found), &expected, &format!("{name} {plan}"));
            checked += 1;
        }
    }
    println!("{checked} golden runs equal");
    assert!(checked >= 5 + 4 * 32, "{checked}");
}

#[test]
fn a_batch_of_unequal_lengths_equals_its_rows_run_alone() {
    for name in ["random-llama3", "random-mistral", "random-phi3"] {
        let model = load(&model_folder(name).expect("random models travel with the project"));
        let prompt = |length: u32, options: &[u32]| Prompt {
            token_ids: (0..length).map(|i| (i * 37 + length) % 512).collect(),
            option_ids: options.to_vec(),
        };
        let prompts = [
            prompt(3, &[1, 2]),
            prompt(40, &[3, 4, 5, 6]),
            prompt(1, &[7, 8, 9]),
            prompt(17, &[1, 2]),
        ];
        let plans = ["0-5", "5-0", "0,(1-4)x2,5", "0-2,3a,4m,5", "0-4"];
        let plans = plans.map(|line| model.plan(Some(line)).expect("a plan"));
        let together = run(model.engine.as_ref(), &prompts, &plans);
        for (p, prompt) in prompts.iter().enumerate() {
            for (i, plan) in plans.iter().enumerate() {
                let alone = run(
                    model.engine.as_ref(),
                    std::slice::from_ref(prompt),
                    std::slice::from_ref(plan),
                );
                let (together, alone) = (&together[i][p], &alone[0][0]);
                assert_eq!(together.members, alone.members);
                let at = format!("{name}, prompt {p}, plan {plan}");
                assert_close(
                    &json!(together.member_logits),
                    &json!(alone.member_logits),
                    &at,
                );
                assert_close(&json!(together.logits), &json!(alone.logits), &at);
            }
        }
    }
}

#[test]
fn more_tokens_than_one_pack_holds_come_back_in_order() {
    let model =
        load(&model_folder("random-llama2").expect("random models travel with the project"));
    let prompts: Vec<Prompt> = (0..40)
        .map(|i| Prompt {
            token_ids: (0..150 + i).map(|t| (t * 11 + i) % 512).collect(),
            option_ids: vec![i, i + 1],
        })
        .collect();
    let plan = [model.plan(None).expect("its own order")];
    let together = run(model.engine.as_ref(), &prompts, &plan);
    for i in [0, 20, 39] {
        let alone = run(model.engine.as_ref(), &prompts[i..=i], &plan);
        assert_close(
            &json!(together[0][i].logits),
            &json!(alone[0][0].logits),
            &format!("prompt {i}"),
        );
    }
}

#[test]
fn a_run_tells_its_progress_and_can_be_cancelled() {
    let model =
        load(&model_folder("random-llama2").expect("random models travel with the project"));
    let prompt = [Prompt {
        token_ids: vec![1, 2, 3],
        option_ids: vec![4, 5],
    }];
    let plans = [
        model.plan(None).expect("its own order"),
        model.plan(Some("0-2")).expect("a plan"),
    ];
    let mut seen = Vec::new();
    let traces = model.engine.run(&prompt, &plans, &mut |done, of| {
        seen.push((done, of));
        ControlFlow::Continue(())
    });
    assert!(traces.is_ok());
    assert_eq!(
        seen.last(),
        Some(&(6, 6)),
        "the shorter plan is a prefix of the longer"
    );
    let stopped = model.engine.run(&prompt, &plans, &mut |done, _| {
        if done >= 2 {
            ControlFlow::Break(())
        } else {
            ControlFlow::Continue(())
        }
    });
    assert_eq!(
        stopped.expect_err("cancelled").to_string(),
        "the run was cancelled"
    );
}

#[test]
fn the_story_model_tells_its_story() {
    let Some(folder) = model_folder("stories260k") else {
        return;
    };
    let model = load(&folder);
    let text = model
        .greedy("", 200, &model.plan(None).expect("its own order"))
        .expect("a story");
    let story = "Once upon a time, there was a little girl named Lily. She loved to play outside in the park. \
                 One day, she saw a big, red ball.";
    assert!(text.trim_start().starts_with(story), "{text}");
}
