use std::collections::HashSet;

use super::*;

fn every_exercise(count: usize, mut check: impl FnMut(GeneratedTask, usize, AskKind, &Exercise)) {
    for task in GeneratedTask::ALL {
        for level in 0..levels(task) {
            let mut dice = Dice::new(7, level as u64);
            for kind in [AskKind::Claimed, AskKind::Told] {
                for _ in 0..count {
                    check(task, level, kind, &lesson(task, level, kind, &mut dice));
                }
            }
        }
    }
}

#[test]
fn the_same_seed_gives_the_same_rows() {
    for task in GeneratedTask::ALL {
        assert_eq!(held_out(task, None, 40, 3), held_out(task, None, 40, 3));
        assert_ne!(held_out(task, None, 40, 3), held_out(task, None, 40, 4));
        let hardest = levels(task) - 1;
        assert_ne!(held_out(task, None, 9, 3), held_out(task, Some(hardest), 9, 3));
    }
}

/// Another platform, or a change of the generator, would show here: the shipped models and their
/// accuracies belong to exactly these rows and lessons.
#[test]
fn rows_and_lessons_are_those_that_the_scholars_met() {
    let rows: Vec<String> = GeneratedTask::ALL
        .iter()
        .map(|&task| held_out(task, None, 1, 1).remove(0).prompt)
        .collect();
    assert_eq!(rows.join("\n"), include_str!("pinned.txt").trim_end());
    let mut all = String::new();
    for task in GeneratedTask::ALL {
        for level in std::iter::once(None).chain((0..levels(task)).map(Some)) {
            for row in held_out(task, level, 30, 1) {
                all += &format!("{} {:?} {}", row.prompt, row.options, row.answer);
            }
        }
    }
    every_exercise(10, |_, _, _, exercise| {
        all += &format!("{:?}", exercise.counted_text());
    });
    assert_eq!(split::fnv(all.bytes()), 1_051_071_511_542_147_314);
}

#[test]
fn every_word_is_in_the_vocabulary_and_every_option_is_one_token() {
    every_exercise(60, |_, level, _, exercise| {
        let row = exercise.row(level);
        let prompt = encode(&row.prompt).expect("a prompt of known words");
        for option in &row.options {
            let whole =
                encode(&format!("{}{option}", row.prompt)).expect("an option of known words");
            assert_eq!(whole.len(), prompt.len() + 1);
            assert_eq!(whole[..prompt.len()], prompt);
        }
        let distinct: HashSet<&String> = row.options.iter().collect();
        assert!(distinct.len() == row.options.len() && row.answer < row.options.len());
        let text = exercise.counted_text();
        let starts: HashSet<usize> = pieces(&text.text).into_iter().map(|piece| piece.0).collect();
        assert!(text.counted.iter().all(|(at, _)| starts.contains(at)), "{text:?}");
        let longest = encode(&text.text).expect("known words").len();
        assert!(longest <= 128, "{longest}: {}", text.text);
    });
}

#[test]
fn answers_are_balanced_at_every_level() {
    for task in GeneratedTask::ALL {
        for level in 1..levels(task) {
            let rows = held_out(task, Some(level), 600, 1);
            if rows.len() < 600 {
                continue; // Too few there are to be balanced.
            }
            // A quiz of three things has no fourth letter.
            let options = rows.iter().map(|row| row.answer + 1).max().unwrap_or(1);
            for answer in 0..options {
                let right = rows.iter().filter(|row| row.answer == answer).count();
                let share = (right * options) as f64 / rows.len() as f64;
                assert!((share - 1.0).abs() < 0.35, "{} {level}: {share}", task.name());
            }
        }
    }
}

/// Two digits make a hundred sums, of which a tenth is held out.
#[test]
fn no_row_comes_twice_and_a_level_that_has_no_more_is_passed_over() {
    let few = held_out(GeneratedTask::Sum, Some(0), 500, 1);
    assert!((5..20).contains(&few.len()), "{}", few.len());
    let mixed = held_out(GeneratedTask::Sum, None, 500, 1);
    assert_eq!(mixed.len(), 500);
    for rows in [&few, &mixed] {
        let distinct: HashSet<&String> = rows.iter().map(|row| &row.prompt).collect();
        assert_eq!(distinct.len(), rows.len());
    }
    let easiest = mixed.iter().filter(|row| row.level == 2).count();
    assert!(easiest <= few.len() + 2, "{easiest}");
}

/// No question of a training text, asked alone, is a held-out row.
#[test]
fn no_held_out_row_is_asked_in_training() {
    let mut asked = HashSet::new();
    every_exercise(100, |_, _, _, exercise| {
        for ask in &exercise.asks {
            asked.insert(format!("{}{}", exercise.story, ask.text));
        }
    });
    for task in GeneratedTask::ALL {
        for level in 0..levels(task) {
            let mut dice = Dice::new(7, level as u64);
            for _ in 0..200 {
                let prompt = row(task, level, DataSplit::HeldOut, &mut dice).prompt;
                assert!(!asked.contains(&prompt), "{prompt}");
            }
        }
    }
}

#[test]
fn the_vocabulary_is_a_few_hundred_distinct_words_that_are_all_used() {
    let words = vocabulary();
    assert!((200..320).contains(&words.len()), "{}", words.len());
    assert_eq!(words.iter().collect::<HashSet<_>>().len(), words.len());
    let mut used = HashSet::new();
    every_exercise(1500, |_, _, _, exercise| {
        let text = exercise.counted_text().text;
        used.extend(encode(&text).expect("known words"));
    });
    let never: Vec<&String> = (3..words.len() as u32)
        .filter(|id| !used.contains(id))
        .map(|id| &words[id as usize])
        .collect();
    assert!(never.is_empty(), "{never:?}");
}

#[test]
fn the_tokenizer_file_agrees_with_encode_and_joins_back() {
    let tokenizer = tokenizers::Tokenizer::from_bytes(tokenizer_json().to_string())
        .expect("a loadable tokenizer");
    assert_eq!(tokenizer.get_vocab_size(true), vocabulary().len());
    every_exercise(8, |_, _, _, exercise| {
        let text = exercise.counted_text().text;
        let encoding = tokenizer.encode(text.as_str(), true).expect("an encoding");
        assert_eq!(Some(encoding.get_ids().to_vec()), encode(&text));
        let back = tokenizer.decode(encoding.get_ids(), true).expect("a text");
        assert_eq!(back, text);
    });
    let unknown = tokenizer.encode("Ann juggles.", true).expect("an encoding");
    assert_eq!(unknown.get_ids()[2], 0);
}
