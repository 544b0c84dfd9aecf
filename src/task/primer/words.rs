//! The lexicon of the primer: short lists, so that a model learns what a word does before it has
//! to learn many words.

pub const TOPICS: [&str; 4] = ["politics", "sport", "business", "science"];

/// Eight words for each of [`TOPICS`].
pub const TOPIC_WORDS: [[&str; 8]; 4] = [
    ["treaty", "president", "border", "embassy", "election", "minister", "army", "vote"],
    ["goal", "team", "match", "coach", "race", "score", "stadium", "medal"],
    ["market", "price", "profit", "trade", "tax", "company", "salary", "budget"],
    ["atom", "planet", "cell", "robot", "comet", "gene", "theory", "magnet"],
];

/// Each begins with a consonant, so that `a` stands before it.
pub const CATEGORIES: [&str; 6] = ["beast", "fruit", "tool", "garment", "vehicle", "color"];

/// Four things of each of [`CATEGORIES`].
pub const CATEGORY_WORDS: [[&str; 4]; 6] = [
    ["dog", "cat", "horse", "cow"],
    ["apple", "pear", "plum", "lemon"],
    ["hammer", "saw", "axe", "shovel"],
    ["hat", "coat", "shoe", "sock"],
    ["car", "bus", "train", "boat"],
    ["red", "blue", "green", "white"],
];

/// Eight, of whom the longest stories name all.
pub const NAMES: [&str; 8] = ["Ann", "Ben", "Eva", "Joe", "Kim", "Max", "Sam", "Tom"];

pub const ACTIONS: [&str; 6] = ["sings", "reads", "paints", "swims", "cooks", "runs"];

pub const DAYS: [&str; 7] =
    ["Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"];

/// Verbs of the things in a premise.
pub const EVENTS: [&str; 6] = ["falls", "moves", "stops", "turns", "shines", "shakes"];

/// Pairs of the same meaning.
pub const PERSON_PAIRS: [[&str; 2]; 6] = [
    ["boys", "lads"],
    ["girls", "lasses"],
    ["friends", "pals"],
    ["doctors", "physicians"],
    ["thieves", "robbers"],
    ["sailors", "seamen"],
];
pub const VERB_PAIRS: [[&str; 2]; 6] = [
    ["see", "spot"],
    ["like", "enjoy"],
    ["take", "grab"],
    ["hit", "strike"],
    ["make", "build"],
    ["buy", "purchase"],
];
pub const THING_PAIRS: [[&str; 2]; 6] = [
    ["houses", "homes"],
    ["roads", "streets"],
    ["rocks", "stones"],
    ["presents", "gifts"],
    ["pictures", "images"],
    ["bags", "sacks"],
];

pub const REVIEWED: [&str; 8] = ["soup", "film", "book", "song", "show", "cake", "game", "tea"];
pub const GOOD: [&str; 6] = ["good", "great", "nice", "lovely", "fine", "pleasant"];
pub const BAD: [&str; 6] = ["bad", "awful", "nasty", "ugly", "dull", "horrible"];

/// Four words for each of six domains: water, money, animals, sport, music, kitchen.
pub const DOMAIN_WORDS: [[&str; 4]; 6] = [
    ["river", "lake", "shore", "wave"],
    ["coin", "loan", "debt", "wallet"],
    ["wing", "nest", "paw", "claw"],
    ["ball", "jersey", "kick", "catch"],
    ["tune", "chord", "choir", "melody"],
    ["oven", "salt", "pan", "pot"],
];

/// A word, and the two of [`DOMAIN_WORDS`] that it has a sense in.
pub const AMBIGUOUS: [(&str, [usize; 2]); 8] = [
    ("bank", [0, 1]),
    ("bat", [2, 3]),
    ("note", [4, 1]),
    ("bass", [4, 0]),
    ("scale", [5, 2]),
    ("pitch", [3, 4]),
    ("jam", [5, 4]),
    ("duck", [2, 3]),
];

pub const DIGITS: [&str; 10] = ["0", "1", "2", "3", "4", "5", "6", "7", "8", "9"];
pub const LETTERS: [&str; 4] = ["A", "B", "C", "D"];

/// Attached to the word before them, and tokens of their own.
pub const PUNCTUATION: [&str; 3] = [".", ",", ":"];

/// Words that hold sentences together, and the answers that are no story words.
const GLUE: &str = "+ The the We On So Here Senses take and is it in of this that about after last ends sum \
    see a some says denies not copies leads one two indeed always sometimes never";

/// Ids 0, 1 and 2.
pub const SPECIAL: [&str; 3] = ["<unk>", "<bos>", "<eos>"];
pub const BOS: u32 = 1;
pub const EOS: u32 = 2;

/// Every word that follows a space (or begins the text), in the order of its id, without repeats.
pub fn words() -> Vec<&'static str> {
    let mut all: Vec<&'static str> = GLUE.split(' ').collect();
    all.extend(DIGITS);
    all.extend(LETTERS);
    all.extend(TOPICS);
    all.extend(TOPIC_WORDS.as_flattened());
    all.extend(CATEGORIES);
    all.extend(CATEGORY_WORDS.as_flattened());
    all.extend(NAMES);
    all.extend(ACTIONS);
    all.extend(DAYS);
    all.extend(EVENTS);
    for pairs in [PERSON_PAIRS, VERB_PAIRS, THING_PAIRS] {
        all.extend(pairs.as_flattened());
    }
    all.extend(REVIEWED);
    all.extend(GOOD);
    all.extend(BAD);
    all.extend(DOMAIN_WORDS.as_flattened());
    all.extend(AMBIGUOUS.map(|(word, _)| word));
    let mut seen = std::collections::HashSet::new();
    all.retain(|word| seen.insert(*word));
    all
}
