//! The lexicon: a few hundred words, and the vocabulary made of them.

pub const TOPICS: [&str; 4] = ["world", "sport", "business", "science"];

/// Twelve words for each of [`TOPICS`].
pub const TOPIC_WORDS: [[&str; 12]; 4] = [
    [
        "war",
        "treaty",
        "president",
        "border",
        "embassy",
        "election",
        "minister",
        "peace",
        "nation",
        "vote",
        "army",
        "parliament",
    ],
    [
        "goal", "team", "match", "coach", "player", "race", "score", "league", "stadium", "medal",
        "champion", "referee",
    ],
    [
        "market", "price", "profit", "stock", "trade", "tax", "company", "salary", "budget",
        "factory", "customer", "sale",
    ],
    [
        "atom",
        "planet",
        "cell",
        "energy",
        "robot",
        "comet",
        "gene",
        "theory",
        "telescope",
        "experiment",
        "virus",
        "magnet",
    ],
];

pub const CATEGORIES: [&str; 8] = [
    "color",
    "animal",
    "fruit",
    "tool",
    "furniture",
    "garment",
    "vehicle",
    "instrument",
];

/// Eight members of each of [`CATEGORIES`].
pub const CATEGORY_WORDS: [[&str; 8]; 8] = [
    [
        "red", "blue", "green", "white", "black", "yellow", "brown", "pink",
    ],
    [
        "dog", "cat", "horse", "cow", "bird", "lion", "mouse", "goat",
    ],
    [
        "apple", "pear", "plum", "grape", "lemon", "cherry", "peach", "melon",
    ],
    [
        "hammer", "saw", "axe", "drill", "shovel", "rake", "broom", "needle",
    ],
    [
        "table", "chair", "bed", "sofa", "shelf", "desk", "bench", "stool",
    ],
    [
        "hat", "coat", "shoe", "sock", "scarf", "shirt", "glove", "boot",
    ],
    [
        "car", "bus", "train", "boat", "plane", "truck", "bike", "tram",
    ],
    [
        "drum", "flute", "piano", "violin", "guitar", "harp", "trumpet", "cello",
    ],
];

pub const NAMES: [&str; 12] = [
    "tom", "ann", "kim", "sam", "bob", "eva", "max", "lily", "ben", "joe", "mia", "zoe",
];

pub const PLACES: [&str; 12] = [
    "barn", "park", "school", "kitchen", "garden", "shop", "station", "library", "forest",
    "castle", "harbor", "museum",
];

pub const DAYS: [&str; 7] = [
    "monday",
    "tuesday",
    "wednesday",
    "thursday",
    "friday",
    "saturday",
    "sunday",
];

pub const ACTIONS: [&str; 8] = [
    "sings", "runs", "sleeps", "reads", "dances", "paints", "swims", "cooks",
];

/// What a thing, living or not, may do in a premise.
pub const EVENTS: [&str; 8] = [
    "falls", "moves", "stops", "waits", "turns", "shines", "shakes", "returns",
];

/// Pairs of the same meaning.
pub const ADJECTIVE_PAIRS: [[&str; 2]; 6] = [
    ["big", "large"],
    ["small", "little"],
    ["happy", "glad"],
    ["quick", "fast"],
    ["smart", "clever"],
    ["calm", "quiet"],
];
pub const PERSON_PAIRS: [[&str; 2]; 6] = [
    ["boy", "lad"],
    ["girl", "lass"],
    ["friend", "pal"],
    ["doctor", "physician"],
    ["thief", "robber"],
    ["sailor", "seaman"],
];
pub const VERB_PAIRS: [[&str; 2]; 6] = [
    ["sees", "spots"],
    ["likes", "enjoys"],
    ["takes", "grabs"],
    ["hits", "strikes"],
    ["makes", "builds"],
    ["buys", "purchases"],
];
pub const THING_PAIRS: [[&str; 2]; 6] = [
    ["house", "home"],
    ["road", "street"],
    ["rock", "stone"],
    ["present", "gift"],
    ["picture", "image"],
    ["bag", "sack"],
];

pub const REVIEWED: [&str; 10] = [
    "soup", "film", "book", "song", "show", "cake", "game", "story", "hotel", "tea",
];
pub const GOOD: [&str; 8] = [
    "good", "great", "nice", "lovely", "sweet", "tasty", "fine", "pleasant",
];
pub const BAD: [&str; 8] = [
    "bad", "awful", "nasty", "ugly", "dull", "sour", "poor", "horrible",
];
pub const STRESS: [&str; 2] = ["really", "very"];

/// Six words for each of six domains: water, money, animal, sport, music, kitchen.
pub const DOMAIN_WORDS: [[&str; 6]; 6] = [
    ["river", "lake", "sand", "shore", "wave", "sea"],
    ["coin", "loan", "cash", "debt", "fee", "wallet"],
    ["fur", "wing", "nest", "paw", "tail", "claw"],
    ["ball", "field", "jersey", "kick", "throw", "catch"],
    ["tune", "chord", "choir", "melody", "rhythm", "concert"],
    ["oven", "bread", "salt", "sugar", "pan", "pot"],
];

/// A word, and the two of [`DOMAIN_WORDS`] it has a sense in.
pub const AMBIGUOUS: [(&str, [usize; 2]); 12] = [
    ("bank", [0, 1]),
    ("bat", [2, 3]),
    ("note", [4, 1]),
    ("bass", [4, 0]),
    ("scale", [5, 2]),
    ("pitch", [3, 4]),
    ("jam", [5, 4]),
    ("duck", [2, 3]),
    ("horn", [2, 4]),
    ("mint", [5, 1]),
    ("hook", [0, 3]),
    ("roll", [5, 3]),
];

pub const DIGITS: [&str; 10] = ["0", "1", "2", "3", "4", "5", "6", "7", "8", "9"];
pub const LETTERS: [&str; 4] = ["A", "B", "C", "D"];

/// Words that hold sentences together, task names, and the answers that are no story words.
const GLUE: &[&str] = &[
    ".",
    ",",
    ":",
    "?",
    "+",
    "topic",
    "quiz",
    "fact",
    "often",
    "same",
    "follows",
    "mood",
    "sense",
    "sum",
    "last",
    "the",
    "and",
    "is",
    "in",
    "on",
    "it",
    "this",
    "with",
    "about",
    "find",
    "answer",
    "so",
    "some",
    "who",
    "not",
    "ends",
    "came",
    "before",
    "after",
    "meaning",
    "met",
    "near",
    "True",
    "False",
    "always",
    "sometimes",
    "never",
    "yes",
    "no",
    "Yes",
    "No",
    "positive",
    "negative",
];

/// Ids 0, 1 and 2.
pub const SPECIAL: [&str; 3] = ["<unk>", "<bos>", "<eos>"];
pub const BOS: u32 = 1;
pub const EOS: u32 = 2;

/// Every token, in the order of its id: specials, then each list above with repeats left out.
pub fn vocabulary() -> Vec<&'static str> {
    let mut all: Vec<&'static str> = SPECIAL.to_vec();
    all.extend(GLUE.iter().copied());
    all.extend(DIGITS);
    all.extend(LETTERS);
    all.extend(TOPICS);
    all.extend(TOPIC_WORDS.as_flattened());
    all.extend(CATEGORIES);
    all.extend(CATEGORY_WORDS.as_flattened());
    all.extend(NAMES);
    all.extend(PLACES);
    all.extend(DAYS);
    all.extend(ACTIONS);
    all.extend(EVENTS);
    for pairs in [ADJECTIVE_PAIRS, PERSON_PAIRS, VERB_PAIRS, THING_PAIRS] {
        all.extend(pairs.as_flattened());
    }
    all.extend(REVIEWED);
    all.extend(GOOD);
    all.extend(BAD);
    all.extend(STRESS);
    all.extend(DOMAIN_WORDS.as_flattened());
    all.extend(AMBIGUOUS.map(|(word, _)| word));
    let mut seen = std::collections::HashSet::new();
    all.retain(|word| seen.insert(*word));
    all
}
