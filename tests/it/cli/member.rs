//! `atelier lens --member`: one member by itself.

use super::support::{model, printed, report};

const IDS: [&str; 6] = ["--ids", "1,5,9", "--rows", "17,230", "--answer", "0"];

fn lens<'a>(model: &'a str, more: &[&'a str]) -> Vec<&'a str> {
    [&["lens", "--model", model], &IDS[..], more].concat()
}

#[test]
fn a_member_is_said_in_words_and_stands_in_the_report() {
    let model = model("random-llama3");
    let found = report(&lens(&model, &["--member", "1a:2", "--plan", "0,1,1", "--json"]));
    assert_eq!(found["member"]["name"], "1a:2");
    assert_eq!(found["member"]["index"], 5);
    // Without a tokenizer, tokens are named by their ids.
    let text = printed(&lens(&model, &["--member", "1a", "--plan", "0,1,1"]));
    for said in ["raises most  id ", "lowers most  id ", " (id "] {
        assert!(text.contains(said), "{said}: {text}");
    }
    let plain = report(&lens(&model, &["--plan", "0,1,1", "--json"]));
    assert_eq!(found["lens"], plain["lens"]);
    assert!(plain.get("member").is_none());
    let text = printed(&lens(&model, &["--member", "emb"]));
    assert!(
        text.contains("It reads the last position alone") && text.contains("cannot be left out")
    );
}
