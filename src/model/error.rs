use std::path::PathBuf;

/// Why a model folder cannot be used: each message is one sentence that says what to do.
#[derive(Debug, thiserror::Error)]
pub enum ModelError {
    // Files
    #[error("cannot read {path}: {reason}; check the path and its permissions", path = path.display())]
    Read { path: PathBuf, reason: std::io::Error },
    #[error(
        "{path} changed after this run opened it. Start the run again, and leave the file alone until it ends",
        path = path.display()
    )]
    Changed { path: PathBuf },
    #[error("{file} could not be read: was it moved or changed since it was opened?")]
    Unreadable { file: String },
    #[error("{folder} is no model; give a model folder with config.json and its weights, a .gguf file, or a known name ({known})", folder = folder.display())]
    NoFolder { folder: PathBuf, known: String },
    #[error("{folder} has no {file}; {hint}")]
    MissingFile { folder: String, file: &'static str, hint: &'static str },

    #[error(
        "{path} is not a file (it may be a folder, a pipe or a device); put the model's own {file} there",
        path = path.display()
    )]
    NotAFile { path: PathBuf, file: String },
    #[error(
        "{file} has {size} bytes, but no model's has more than {most}; copy it again from where the model came from"
    )]
    TooLarge { file: String, size: u64, most: u64 },
    #[error(
        "{folder} holds several indexes of weights ({files}), none of them {expected}; keep the one of the model"
    )]
    SeveralIndexes { folder: String, files: String, expected: &'static str },
    #[error(
        "{folder} holds several {kind} files ({files}) and no {index} that says which belong together; keep one model in a folder, or add its index"
    )]
    SeveralWeights { folder: String, files: String, kind: &'static str, index: &'static str },

    #[error(
        "{folder} holds several GGUF files ({files}), which are not parts of one model; open one of them by its path"
    )]
    SeveralGgufs { folder: String, files: String },

    // config.json
    #[error(
        "{file} is not the JSON that was expected ({reason}); copy it again from where the model came from"
    )]
    Json { file: String, reason: serde_json::Error },
    #[error("{file} says the architecture is {found}; atelier runs {known}")]
    UnknownFamily { file: String, found: String, known: String },
    #[error(
        "config.json has no {field}, which every {family} model has; copy it again from where the model came from"
    )]
    MissingField { field: &'static str, family: &'static str },
    #[error("config.json: {field} is {found}, but {expected}")]
    Config { field: &'static str, found: String, expected: String },

    // Weights
    #[error("{file} is not a safetensors file ({reason}); download it again")]
    NotSafetensors { file: String, reason: String },
    #[error(
        "{file} says its header has {header} bytes, but the whole file has {size}. It is incomplete or not a \
         safetensors file: download it again"
    )]
    HeaderPastEnd { file: String, header: u64, size: u64 },
    #[error("{file} is not a {expected} file but {what}; {hint}")]
    OtherFormat { file: String, expected: &'static str, what: &'static str, hint: &'static str },
    #[error("{file} is not a PyTorch checkpoint that can be read ({reason}); {hint}")]
    NotPyTorch { file: String, reason: String, hint: &'static str },
    #[error(
        "{file} asks for {what}, which no weights need: it is not read, and nothing in it was run; {hint}"
    )]
    PickleAsks { file: String, what: String, hint: &'static str },
    #[error(
        "tensor {tensor} in {file} {reason}; download the file again, or save the model's state dict anew"
    )]
    OddTensor { tensor: String, file: String, reason: String },
    #[error(
        "{file} says its header has {header} bytes, but a safetensors header has at most {longest}; it is not a safetensors file: download it again"
    )]
    HeaderTooLong { file: String, header: u64, longest: u64 },
    #[error(
        "{file} ends too early: its header describes {expected} bytes and the file has {found}; download it again"
    )]
    Truncated { file: String, expected: u64, found: u64 },
    #[error(
        "{index} says tensor {tensor} is in {file}, which {what}; copy all shards beside the index"
    )]
    Shard { index: String, tensor: String, file: String, what: &'static str },
    #[error(
        "{index} says tensor {tensor} is in {file}, which is not beside it. Copy all shards beside the index, or \
         correct the index"
    )]
    ShardOutside { index: String, tensor: String, file: String },
    #[error(
        "tensor {tensor} is both in {first} and in {second}; keep the files of one model in a folder"
    )]
    StoredTwice { tensor: String, first: String, second: String },
    #[error(
        "tensor {tensor} in {file} has no place in this {family} model, and leaving it out would change the numbers; {hint}"
    )]
    UnusedTensor { tensor: String, file: String, family: &'static str, hint: String },
    #[error("tensor {tensor} is missing from the checkpoint; it does not fit {said_by} ({hint})")]
    MissingTensor { tensor: String, said_by: &'static str, hint: String },
    #[error(
        "tensor {tensor} in {file} has shape {found:?}, but {said_by} asks for {expected:?}; they are of different models"
    )]
    Shape {
        tensor: String,
        file: String,
        said_by: &'static str,
        expected: Box<[u64]>,
        found: Box<[u64]>,
    },
    #[error(
        "tensor {tensor} in {file} is stored as {found}; atelier reads F32, F16, BF16 and, in GGUF files, Q8_0, Q4_0, Q4_1, Q5_0, Q5_1, Q4_K, Q5_K and Q6_K: take another file of the model"
    )]
    Dtype { tensor: String, file: String, found: String },
    #[error(
        "the vector {tensor} in {file} is stored as {found}. atelier reads vectors as F32, F16 or BF16: take \
         another file of the model"
    )]
    VectorBlocks { tensor: String, file: String, found: &'static str },
    #[error(
        "tensor {tensor} in {file} holds {value} at element {element}; the checkpoint is damaged or its training diverged"
    )]
    NotFinite { tensor: String, file: String, element: u64, value: f32 },

    #[error("{file} is not a GGUF file that can be read ({reason}); download it again")]
    NotGguf { file: String, reason: String },
    #[error("{file} has no {key}, which every model of its kind has; download it again")]
    MissingKey { file: String, key: String },
    #[error("{file}: {key} is {found}, but {expected}")]
    Key { file: String, key: String, found: String, expected: String },
    #[error("{file}, whose metadata were read as a config.json: {reason}")]
    Metadata { file: String, reason: Box<ModelError> },

    // Tokenizer and prompts
    #[error(
        "tokenizer.json cannot be read ({reason}); copy it again from where the model came from"
    )]
    Tokenizer { reason: String },
    #[error(
        "{file} cannot be read ({reason}); copy it again from where the model came from, or put the model's tokenizer.json beside it"
    )]
    SentencePiece { file: &'static str, reason: String },
    #[error(
        "{file} has ids up to {largest}, but the model's vocabulary has {vocabulary} tokens; the two files are of different models"
    )]
    Vocabulary { file: &'static str, largest: usize, vocabulary: usize },
    #[error("the prompt is empty; write at least one word")]
    EmptyPrompt,
    #[error("the prompt holds only spaces; write at least one word")]
    BlankPrompt,
    #[error("a lens needs at least two options; add one")]
    TooFewOptions,
    #[error("the prompt has {tokens} tokens, but the model's context is {context}; shorten it")]
    TooLong { tokens: usize, context: usize },
    #[error(
        "after this prompt the option {option:?} is not one token but {pieces}; choose another word, or check its leading space{nearest}"
    )]
    OptionPieces {
        option: String,
        pieces: String,
        /// `; the nearest that is one token is …`, or nothing.
        nearest: String,
    },
    #[error(
        "the option {option:?} changes how the end of the prompt is cut into tokens ({pieces}). End the prompt \
         before a space, and start the option with one"
    )]
    OptionMerges { option: String, pieces: String },
    #[error(
        "options {first:?} and {second:?} are one and the same token to this model, {piece:?} (id {id}); each option must differ"
    )]
    EqualOptions { first: String, second: String, piece: String, id: u32 },
    #[error("token id {id} is past the model's vocabulary of {vocabulary}; use ids from 0 to {last}", last = vocabulary - 1)]
    TokenId { id: u32, vocabulary: usize },
    #[error("answer {answer} is not one of the {options} options; count from 0")]
    Answer { answer: usize, options: usize },
}
