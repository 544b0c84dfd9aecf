//! `tokenizer.model`, a protocol buffer: the fields that say how a text is cut.

/// Pieces at most: the largest vocabularies have a quarter of it.
const MAX_PIECES: usize = 1 << 20;

/// A piece's kind, as the format numbers them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PieceKind {
    Normal,
    Unknown,
    Control,
    UserDefined,
    Unused,
    Byte,
}

/// A piece of text that is a token.
pub struct StoredPiece<'a> {
    pub text: &'a str,
    pub score: f32,
    pub kind: PieceKind,
}

/// How pieces are put together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PieceRule {
    /// The most probable pieces.
    Unigram,
    /// Neighbours become one while a piece with a better score comes of it.
    Merges,
    /// Every letter by itself.
    Letters,
}

/// The fields of the file, with the format's own values where it says nothing.
pub struct PieceModel<'a> {
    pub pieces: Vec<StoredPiece<'a>>,
    pub rule: PieceRule,
    pub has_bytes: bool,
    pub bos: i32,
    pub is_space_behind: bool,
    pub charsmap: &'a [u8],
    pub adds_space: bool,
    pub drops_spaces: bool,
    pub escapes_spaces: bool,
}

/// A field's value, by how it is stored.
enum ProtoValue<'a> {
    Number(u64),
    Bytes(&'a [u8]),
    Single([u8; 4]),
    Double,
}

impl<'a> PieceModel<'a> {
    /// Reads the file's bytes.
    ///
    /// # Errors
    /// Why they are no such model.
    pub fn read(bytes: &'a [u8]) -> Result<Self, String> {
        let mut model = Self {
            pieces: Vec::new(),
            rule: PieceRule::Unigram,
            has_bytes: false,
            bos: 1,
            is_space_behind: false,
            charsmap: &[],
            adds_space: true,
            drops_spaces: true,
            escapes_spaces: true,
        };
        let mut left = bytes;
        while let Some((number, value)) = field(&mut left)? {
            match (number, value) {
                (1, _) if model.pieces.len() == MAX_PIECES => {
                    return Err(format!("it has more than {MAX_PIECES} pieces"));
                }
                (1, ProtoValue::Bytes(piece)) => model.pieces.push(StoredPiece::read(piece)?),
                (2, ProtoValue::Bytes(trainer)) => model.read_trainer(trainer)?,
                (3, ProtoValue::Bytes(normalizer)) => model.read_normalizer(normalizer)?,
                _ => {}
            }
        }
        Ok(model)
    }

    fn read_trainer(&mut self, mut left: &'a [u8]) -> Result<(), String> {
        while let Some((number, value)) = field(&mut left)? {
            match (number, value) {
                (3, ProtoValue::Number(number)) => self.rule = PieceRule::numbered(number)?,
                (24, ProtoValue::Number(flag)) => self.is_space_behind = flag != 0,
                (35, ProtoValue::Number(flag)) => self.has_bytes = flag != 0,
                // A negative number is stored as 64 bits.
                (41, ProtoValue::Number(id)) => self.bos = id as i32,
                _ => {}
            }
        }
        Ok(())
    }

    fn read_normalizer(&mut self, mut left: &'a [u8]) -> Result<(), String> {
        while let Some((number, value)) = field(&mut left)? {
            match (number, value) {
                (2, ProtoValue::Bytes(charsmap)) => self.charsmap = charsmap,
                (3, ProtoValue::Number(flag)) => self.adds_space = flag != 0,
                (4, ProtoValue::Number(flag)) => self.drops_spaces = flag != 0,
                (5, ProtoValue::Number(flag)) => self.escapes_spaces = flag != 0,
                _ => {}
            }
        }
        Ok(())
    }
}

impl<'a> StoredPiece<'a> {
    fn read(mut left: &'a [u8]) -> Result<Self, String> {
        let mut piece = Self { text: "", score: 0.0, kind: PieceKind::Normal };
        while let Some((number, value)) = field(&mut left)? {
            match (number, value) {
                (1, ProtoValue::Bytes(text)) => {
                    piece.text = std::str::from_utf8(text).map_err(|_| "a piece is no UTF-8")?;
                }
                (2, ProtoValue::Single(bytes)) => piece.score = f32::from_le_bytes(bytes),
                (3, ProtoValue::Number(number)) => piece.kind = PieceKind::numbered(number)?,
                _ => {}
            }
        }
        Ok(piece)
    }
}

impl PieceKind {
    /// Returns the kind that the format gives this number.
    fn numbered(number: u64) -> Result<Self, String> {
        Ok(match number {
            1 => Self::Normal,
            2 => Self::Unknown,
            3 => Self::Control,
            4 => Self::UserDefined,
            5 => Self::Unused,
            6 => Self::Byte,
            other => return Err(format!("a piece is of kind {other}, which does not exist")),
        })
    }
}

impl PieceRule {
    /// Returns the rule that the format gives this number.
    fn numbered(number: u64) -> Result<Self, String> {
        match number {
            1 => Ok(Self::Unigram),
            2 => Ok(Self::Merges),
            3 => Err("its pieces are words; atelier reads BPE, unigram and characters".into()),
            4 => Ok(Self::Letters),
            other => Err(format!("its type of model is {other}, which does not exist")),
        }
    }
}

/// Takes the next field, its number and value; `None` at the end.
fn field<'a>(left: &mut &'a [u8]) -> Result<Option<(u64, ProtoValue<'a>)>, String> {
    let cut_off = || "it was cut off, or is no SentencePiece model".to_owned();
    if left.is_empty() {
        return Ok(None);
    }
    let key = varint(left).ok_or_else(cut_off)?;
    let value = match key & 7 {
        0 => varint(left).map(ProtoValue::Number),
        1 => take(left, 8).map(|_| ProtoValue::Double),
        2 => varint(left).and_then(|length| take(left, length)).map(ProtoValue::Bytes),
        5 => take(left, 4).and_then(<[u8]>::first_chunk).copied().map(ProtoValue::Single),
        _ => None,
    };
    Ok(Some((key >> 3, value.ok_or_else(cut_off)?)))
}

fn take<'a>(left: &mut &'a [u8], count: u64) -> Option<&'a [u8]> {
    let (taken, rest) = left.split_at_checked(usize::try_from(count).ok()?)?;
    *left = rest;
    Some(taken)
}

/// Seven bits a byte, the lowest first; the highest bit says that more follow.
fn varint(left: &mut &[u8]) -> Option<u64> {
    let mut number = 0;
    for shift in (0..64).step_by(7) {
        let (&byte, rest) = left.split_first()?;
        *left = rest;
        number |= u64::from(byte & 0x7f) << shift;
        if byte < 0x80 {
            return Some(number);
        }
    }
    None
}
