//! English prompts: every option is one token to each of the usual tokenizers; and what a model says by
//! itself.

use crate::common::{self, in_project, skipped};
use atelier::model::{ModelShape, Tokenizer};
use atelier::study::LoadedModel;
use atelier::task::english::english;
use atelier::task::item::Item;
use atelier::task::plain::PlainTask;

/// A shape with room for every id.
fn shape() -> ModelShape {
    let folder = common::model_folder("random-llama2").expect("it is in the project");
    let mut shape = common::load(&folder).shape().clone();
    shape.vocabulary = 1 << 20;
    shape.context = 4096;
    shape
}

fn tokenizer(name: &str) -> Option<Tokenizer> {
    let path = in_project("../shared/tokenizers").join(name).join("tokenizer.json");
    let Ok(json) = std::fs::read(&path) else {
        skipped(&format!("{name} is not here (../shared/tokenizers); no option was cut with it"));
        return None;
    };
    Some(Tokenizer::from_json(&json, &shape()).expect(name))
}

#[test]
fn every_option_is_one_token_to_every_tokenizer() {
    for name in ["gpt2", "llama", "mistral-7b-v0.1", "phi-3-mini"] {
        let Some(tokenizer) = tokenizer(name) else { continue };
        for example in english() {
            let cut = tokenizer.prompt(&shape(), &example.prompt, &example.options);
            assert!(cut.is_ok(), "{name}, {}: {:?}", example.name, cut.err());
        }
    }
}

#[test]
fn the_plain_tasks_that_a_tokenizer_reads() {
    for (name, expected) in [
        ("gpt2", PlainTask::ALL.map(PlainTask::name).as_slice()),
        ("llama", &["opposites", "past", "kinds", "colours", "agreement", "who"]),
        ("mistral-7b-v0.1", &["opposites", "past", "kinds", "colours", "agreement", "who"]),
        ("phi-3-mini", &["opposites", "past", "kinds", "colours", "agreement", "who"]),
    ] {
        let Some(tokenizer) = tokenizer(name) else { continue };
        let shape = shape();
        let reads = |item: &Item| match item {
            Item::Option { prompt, options, .. } => {
                tokenizer.prompt(&shape, prompt, options).is_ok()
            }
            other => panic!("{other:?}"),
        };
        let mut read = Vec::new();
        for task in PlainTask::ALL {
            // The probe stands for every row.
            let is_read = reads(&task.probe());
            assert_eq!(is_read, task.rows(usize::MAX).iter().all(|row| reads(&row.item)));
            if is_read {
                read.push(task.name());
            }
        }
        assert_eq!(read, expected, "{name}");
    }
}

#[test]
fn what_is_several_tokens_is_told_with_the_nearest_that_is_one() {
    for (name, option, expected) in [
        ("gpt2", "yes", None),
        ("gpt2", " unbelievablest", Some("the nearest that are one token are \" unbelievable\"")),
        ("gpt2", " Negativ", Some("\" Neg\"")),
        ("llama", " unbelievablest", Some("the nearest that")),
    ] {
        let Some(tokenizer) = tokenizer(name) else { continue };
        let options = [option.to_owned(), " no".to_owned()];
        let cut = tokenizer.prompt(&shape(), "Is it so? Answer:", &options);
        match expected {
            None => assert!(cut.is_ok(), "{option}"),
            Some(expected) => {
                let sentence = cut.expect_err(option).to_string();
                assert!(sentence.contains(expected), "{name}: {sentence}");
                println!("{sentence}");
            }
        }
    }
}

#[test]
fn a_word_that_a_model_does_not_know_is_nearest_to_nothing() {
    let known = atelier::model::catalogue::find("scholar-2").expect("it is shipped");
    let files = known.open().expect("its files");
    let model = LoadedModel::from_files(&files, &mut |_, _| ()).expect("it loads");
    let options = [" badxyzzy.".to_owned(), " good".to_owned()];
    let refused = model.question("The soup is bad. So it is", &options, 0);
    let sentence = refused.expect_err("two tokens").to_string();
    assert!(!sentence.contains("badxyz\""), "{sentence}");
}

#[test]
fn a_model_says_its_five_likeliest_as_options() {
    let Some(folder) = common::model_folder("stories260k") else { return };
    let model = common::load(&folder);
    let plan = model.plan(None).expect("a plan");
    let prompt = "Once upon a time, there was a little girl named";
    let said = model.says(prompt, &plan).expect("an answer");
    assert_eq!(said.len(), 5);
    assert!(said.windows(2).all(|pair| pair[0].probability >= pair[1].probability));
    assert!(said.iter().map(|saying| saying.probability).sum::<f64>() <= 1.0);
    // The likeliest is what the model goes on with.
    let greedy = model.greedy(prompt, 1, &plan).expect("a text");
    assert!(greedy.ends_with(&said[0].option), "{greedy}: {said:?}");
    // They are options of that prompt as they stand.
    let options: Vec<String> = said.into_iter().map(|saying| saying.option).collect();
    let question = model.question(prompt, &options, 0);
    assert!(question.is_ok(), "{:?}", question.err());
}
