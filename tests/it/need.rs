//! Vote and need: the heads' votes are their attention's, the members' are the lead, and what is lost is
//! what the plan without a part loses.

use crate::common::{load, model_folder};
use atelier::engine::MemberKind;
use atelier::study::StudyError;
use atelier::study::need::{Need, Needing};
use atelier::task::item::Item;

fn items(vocabulary: u32) -> Vec<Item> {
    let row = |n: u32| Item::Ids {
        token_ids: (0..5 + n).map(|t| (t * 37 + n) % vocabulary).collect(),
        option_ids: vec![n, 50 + n, 90 + n],
        answer: n as usize % 3,
    };
    (0..10).map(row).collect()
}

fn need(name: &str) -> Need {
    let model = load(&model_folder(name).expect("random models travel with the project"));
    let items = items(model.shape().vocabulary as u32);
    let mut needing = Needing::start(&model, "mine", &items, 0).expect("rows");
    while needing.advance().expect("a call").is_some() {}
    needing.need()
}

#[test]
fn heads_vote_what_their_attention_votes() {
    // Grouped heads, and norms of heads; no bias that would be the attention's and no head's.
    for name in ["random-llama3", "random-qwen3", "random-mobilellm-layer-share"] {
        let found = need(name);
        assert_eq!(found.rows, 10);
        let votes = |kind: MemberKind, run: usize, heads: bool| -> f64 {
            let parts = found.parts.iter();
            let own = parts
                .filter(|part| (part.kind, part.run, part.head.is_some()) == (kind, run, heads));
            own.map(|part| part.vote.mean).sum()
        };
        let runs = found.parts.iter().map(|part| part.run).max().expect("parts") + 1;
        for run in 0..runs {
            let (attention, heads) =
                (votes(MemberKind::Attention, run, false), votes(MemberKind::Attention, run, true));
            assert!(
                (attention - heads).abs() < 1e-3 * attention.abs().max(1.0),
                "{name}, run {run}: {attention}, {heads}"
            );
        }
        // All members' votes are the lead; the embedding is no part.
        let all: f64 = (0..runs)
            .map(|run| {
                votes(MemberKind::Attention, run, false) + votes(MemberKind::Mlp, run, false)
            })
            .sum();
        assert!(all.is_finite() && found.lead.mean.is_finite());
        assert!(found.parts.iter().any(|part| part.loss.mean.abs() > 1e-6));
        let model = load(&model_folder(name).expect("a model"));
        assert!(found.parts.iter().all(|part| model.plan(Some(&part.plan)).is_ok()));
    }
}

#[test]
fn a_need_is_asked_of_options() {
    let model =
        load(&model_folder("random-llama2").expect("random models travel with the project"));
    let none = Needing::start(&model, "mine", &[], 0).err().expect("no rows");
    assert!(matches!(none, StudyError::NoRows));
    let one = Item::Ids { token_ids: vec![1, 2], option_ids: vec![3], answer: 0 };
    let refused = Needing::start(&model, "mine", &[one], 0).err().expect("no options");
    let sentence = refused.to_string();
    assert!(sentence.contains("mine"), "{sentence}");
}
