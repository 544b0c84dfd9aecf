//! The Painters paper's data sets, read from the published files where they are at hand.

use crate::common;
use atelier::task::item::Item;
use atelier::task::painters::Painters;

/// Files under `../shared/data`, with the rows that were counted in each.
const FILES: [(Painters, &str, usize); 7] = [
    (Painters::Lambada, "lambada/lambada_test_openai.jsonl", 5153),
    (Painters::HellaSwag, "hellaswag/val_first_1000.txt", 1000),
    (Painters::WinoGrande, "winogrande/winogrande_dev.llmfoundry.jsonl", 1267),
    (Painters::Arc, "arc/arc_challenge_test.llmfoundry.jsonl", 1172),
    (Painters::Arc, "arc/arc_easy_test.llmfoundry.jsonl", 2376),
    (Painters::Arc, "arc/ai2_arc_test.jsonl", 299),
    (Painters::Gsm8k, "gsm8k/test.jsonl", 1319),
];

#[test]
fn the_published_files_are_read_whole() {
    for (set, path, rows) in FILES {
        let Some(file) = common::data(path) else {
            continue;
        };
        let items = set.read(&file).expect(path);
        assert_eq!(items.len(), rows, "{path}");
        for item in &items {
            assert_eq!(item.score(), set.score(), "{path}");
            match item {
                Item::Continuation { candidates, answer } => {
                    assert!(*answer < candidates.len(), "{path}");
                    assert!((2..=5).contains(&candidates.len()), "{path}");
                }
                Item::LastWord { word, .. } => assert!(word.starts_with(' '), "{path}"),
                Item::Generate { answer, .. } => {
                    assert!(answer.parse::<f64>().is_ok(), "{path}: {answer}");
                }
                Item::Option { .. } | Item::Ids { .. } => panic!("{path}: {item:?}"),
            }
        }
    }
}
