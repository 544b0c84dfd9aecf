//! A pickle, read as values. Nothing is looked up, imported or called: a global is one of a few names, a
//! call is noted with its arguments, and whatever else a pickle can say is refused by its name. Values lie
//! in one list and hold each other by number, so that nesting takes no stack and sharing no memory.

use std::collections::HashMap;

use super::globals::PickleGlobal;

/// Values of a pickle at most, and entries of its memo: 30 for each of the most tensors.
const MAX_VALUES: usize = 1 << 21;

/// Values that wait on the stack at most: PyTorch writes lists and dicts a thousand entries at a time.
const MAX_WAITING: usize = 1 << 16;

/// The opcode that ends a pickle.
const STOP: u8 = b'.';

/// Characters of a name that a sentence shows.
const SHOWN: usize = 80;

/// Why a pickle is not read.
#[derive(Debug, PartialEq, Eq)]
pub enum PickleError {
    /// Its bytes end within a value.
    Ends,
    /// It asks for something that no weights need.
    Asks(String),
    /// It is none that could be read.
    Odd(String),
    /// It is whole, and not what PyTorch writes.
    OtherContents(&'static str),
}

/// The number of a value in its pickle.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ValueId(u32);

/// A value of a pickle.
#[derive(Debug)]
pub enum PickleValue<'a> {
    /// `None`, a truth value or a fraction: no part of a tensor's place.
    Opaque,
    Int(i64),
    /// A whole number of more than 64 bits, as its bytes, the lowest first.
    Long(&'a [u8]),
    Text(&'a str),
    Tuple(Vec<ValueId>),
    List(Vec<ValueId>),
    Dict(Vec<(ValueId, ValueId)>),
    Global(PickleGlobal),
    /// Something stored outside of the pickle, by its name.
    Persistent(ValueId),
    /// A global with the arguments that it would be called with.
    Call(PickleGlobal, ValueId),
}

/// The values of a pickle.
pub struct Pickle<'a> {
    values: Vec<PickleValue<'a>>,
    root: ValueId,
    /// Bytes that it takes.
    pub length: usize,
}

impl<'a> Pickle<'a> {
    /// Reads the pickle that `bytes` begin with.
    ///
    /// # Errors
    /// It is cut off, damaged or too large, or asks for what no weights need.
    pub fn read(bytes: &'a [u8]) -> Result<Self, PickleError> {
        let mut machine = PickleMachine {
            left: bytes,
            values: Vec::new(),
            stack: Vec::new(),
            memo: HashMap::new(),
        };
        loop {
            if let Some(root) = machine.step()? {
                let length = bytes.len() - machine.left.len();
                return Ok(Self { values: machine.values, root, length });
            }
        }
    }

    /// The value that the pickle is.
    pub fn root(&self) -> &PickleValue<'a> {
        self.value(self.root)
    }

    /// A value by its number.
    pub fn value(&self, id: ValueId) -> &PickleValue<'a> {
        &self.values[id.0 as usize]
    }

    /// The text of a value, if it is one.
    pub fn text(&self, id: ValueId) -> Option<&'a str> {
        match self.value(id) {
            PickleValue::Text(text) => Some(text),
            _ => None,
        }
    }

    /// The values of a tuple, if the value is one.
    pub fn tuple(&self, id: ValueId) -> Option<&[ValueId]> {
        match self.value(id) {
            PickleValue::Tuple(values) => Some(values),
            _ => None,
        }
    }

    /// Every name of something stored outside of the pickle.
    pub fn persistent(&self) -> impl Iterator<Item = ValueId> {
        self.values.iter().filter_map(|value| match value {
            PickleValue::Persistent(name) => Some(*name),
            _ => None,
        })
    }
}

impl PickleValue<'_> {
    /// For people.
    pub fn kind(&self) -> &'static str {
        match self {
            Self::Opaque => "a single value",
            Self::Int(_) | Self::Long(_) => "a number",
            Self::Text(_) => "a text",
            Self::Tuple(_) => "a tuple",
            Self::List(_) => "a list",
            Self::Dict(_) => "a dict",
            Self::Global(_) => "a class or function",
            Self::Persistent(_) => "a storage",
            Self::Call(..) => "a tensor",
        }
    }
}

/// A pickle being read.
struct PickleMachine<'a> {
    left: &'a [u8],
    values: Vec<PickleValue<'a>>,
    /// `None` is a mark.
    stack: Vec<Option<ValueId>>,
    memo: HashMap<u32, ValueId>,
}

impl<'a> PickleMachine<'a> {
    /// Carries out the next opcode; the root, where it is the last.
    fn step(&mut self) -> Result<Option<ValueId>, PickleError> {
        let opcode = self.byte()?;
        if opcode == STOP {
            return self.pop().map(Some);
        }
        match self.new_value(opcode)? {
            Some(value) => self.push(value)?,
            None => self.act(opcode)?,
        }
        Ok(None)
    }

    /// The value that an opcode puts on the stack; `None` for one that does something else.
    fn new_value(&mut self, opcode: u8) -> Result<Option<PickleValue<'a>>, PickleError> {
        Ok(Some(match opcode {
            // EMPTY_TUPLE, TUPLE, TUPLE1, TUPLE2, TUPLE3, EMPTY_LIST, LIST, EMPTY_DICT
            b')' => PickleValue::Tuple(Vec::new()),
            b't' => PickleValue::Tuple(self.pop_to_mark()?),
            0x85..=0x87 => {
                let mut values = Vec::new();
                for _ in 0x84..opcode {
                    values.push(self.pop()?);
                }
                values.reverse();
                PickleValue::Tuple(values)
            }
            b']' => PickleValue::List(Vec::new()),
            b'l' => PickleValue::List(self.pop_to_mark()?),
            b'}' => PickleValue::Dict(Vec::new()),

            // BINUNICODE, SHORT_BINUNICODE
            b'X' => {
                let length = u32::from_le_bytes(self.array()?);
                self.text(length as usize)?
            }
            0x8c => {
                let length = self.byte()?;
                self.text(usize::from(length))?
            }

            // BININT, BININT1, BININT2, LONG1, BINFLOAT, NEWTRUE, NEWFALSE, NONE
            b'J' => PickleValue::Int(i32::from_le_bytes(self.array()?).into()),
            b'K' => PickleValue::Int(self.byte()?.into()),
            b'M' => PickleValue::Int(u16::from_le_bytes(self.array()?).into()),
            0x8a => {
                let length = self.byte()?;
                long(self.take(usize::from(length))?)
            }
            b'G' => self.take(8).map(|_| PickleValue::Opaque)?,
            0x88 | 0x89 | b'N' => PickleValue::Opaque,

            // GLOBAL, STACK_GLOBAL, BINPERSID, REDUCE
            b'c' => {
                let (module, name) = (self.line()?, self.line()?);
                self.global(module, name)?
            }
            0x93 => {
                let (name, module) = (self.pop()?, self.pop()?);
                let text = |id: ValueId| match self.values[id.0 as usize] {
                    PickleValue::Text(text) => Some(text),
                    _ => None,
                };
                let Some((module, name)) = text(module).zip(text(name)) else {
                    return Err(odd("a global whose name is no text".into()));
                };
                self.global(module, name)?
            }
            b'Q' => PickleValue::Persistent(self.pop()?),
            b'R' => self.call()?,
            _ => return Ok(None),
        }))
    }

    /// Carries out an opcode that puts no new value on the stack.
    fn act(&mut self, opcode: u8) -> Result<(), PickleError> {
        match opcode {
            // PROTO, FRAME, MARK
            0x80 => match self.byte()? {
                2..=5 => {}
                other => return Err(odd(format!("its protocol is {other}, not 2 to 5"))),
            },
            0x95 => {
                let length = u64::from_le_bytes(self.array()?);
                refuse_if!(length > self.left.len() as u64, PickleError::Ends);
            }
            b'(' => self.wait(None)?,

            // APPEND, APPENDS, SETITEM, SETITEMS, BUILD
            b'a' => {
                let value = self.pop()?;
                self.list()?.push(value);
            }
            b'e' => {
                let values = self.pop_to_mark()?;
                self.list()?.extend(values);
            }
            b's' => {
                let value = self.pop()?;
                let key = self.pop()?;
                self.dict("SETITEM")?.push((key, value));
            }
            b'u' => {
                let values = self.pop_to_mark()?;
                let (pairs, rest) = values.as_chunks::<2>();
                refuse_if!(!rest.is_empty(), odd("a key without a value".into()));
                let pairs = pairs.iter().map(|&[key, value]| (key, value));
                self.dict("SETITEMS")?.extend(pairs);
            }
            // The state of an OrderedDict is its `_metadata`: versions of modules, which no weights need.
            b'b' => {
                self.pop()?;
                self.dict("BUILD")?;
            }

            // BINPUT, LONG_BINPUT, MEMOIZE, BINGET, LONG_BINGET
            b'q' => {
                let entry = self.byte()?;
                self.remember(entry.into())?;
            }
            b'r' => {
                let entry = u32::from_le_bytes(self.array()?);
                self.remember(entry)?;
            }
            0x94 => self.remember(self.memo.len() as u32)?,
            b'h' => {
                let entry = self.byte()?;
                self.recall(entry.into())?;
            }
            b'j' => {
                let entry = u32::from_le_bytes(self.array()?);
                self.recall(entry)?;
            }

            // INST
            b'i' => {
                let (module, name) = (self.line()?, self.line()?);
                return Err(PickleError::Asks(shown(module, name)));
            }
            other => {
                return Err(match opcode_name(other) {
                    Some(name) => PickleError::Asks(format!("the opcode {name}")),
                    None => odd(format!("{other:#04x} is no opcode")),
                });
            }
        }
        Ok(())
    }

    /// Notes a call. An OrderedDict of nothing is a dict.
    fn call(&mut self) -> Result<PickleValue<'a>, PickleError> {
        let arguments = self.pop()?;
        let callee = self.pop()?;
        let PickleValue::Global(global) = self.values[callee.0 as usize] else {
            return Err(odd("a call of what is no function".into()));
        };
        let is_empty = matches!(
            &self.values[arguments.0 as usize],
            PickleValue::Tuple(values) if values.is_empty()
        );
        match global {
            PickleGlobal::OrderedDict if is_empty => Ok(PickleValue::Dict(Vec::new())),
            PickleGlobal::OrderedDict => Err(odd("an OrderedDict that is made of pairs".into())),
            PickleGlobal::Storage(storage) => {
                Err(PickleError::Asks(format!("a call of torch.{}", storage.class)))
            }
            PickleGlobal::RebuildTensor | PickleGlobal::RebuildParameter => {
                Ok(PickleValue::Call(global, arguments))
            }
        }
    }

    fn take(&mut self, count: usize) -> Result<&'a [u8], PickleError> {
        let (taken, left) = self.left.split_at_checked(count).ok_or(PickleError::Ends)?;
        self.left = left;
        Ok(taken)
    }

    fn array<const N: usize>(&mut self) -> Result<[u8; N], PickleError> {
        let (taken, left) = self.left.split_first_chunk().ok_or(PickleError::Ends)?;
        self.left = left;
        Ok(*taken)
    }

    fn byte(&mut self) -> Result<u8, PickleError> {
        self.array::<1>().map(|[byte]| byte)
    }

    /// A text that ends with its line.
    fn line(&mut self) -> Result<&'a str, PickleError> {
        let end = self.left.iter().position(|&byte| byte == b'\n').ok_or(PickleError::Ends)?;
        let line = self.take(end)?;
        self.take(1)?;
        utf8(line)
    }

    fn wait(&mut self, value: Option<ValueId>) -> Result<(), PickleError> {
        refuse_if!(self.stack.len() == MAX_WAITING, odd("it nests deeper than weights do".into()));
        self.stack.push(value);
        Ok(())
    }

    fn push(&mut self, value: PickleValue<'a>) -> Result<(), PickleError> {
        if self.values.len() == MAX_VALUES {
            return Err(odd(format!("it has more than {MAX_VALUES} values")));
        }
        let id = ValueId(self.values.len() as u32);
        self.values.push(value);
        self.wait(Some(id))
    }

    fn text(&mut self, length: usize) -> Result<PickleValue<'a>, PickleError> {
        let here = self.left;
        let text = std::str::from_utf8(self.take(length)?).map_err(|_| {
            // With what follows: a length that is wrong shows there.
            let near = String::from_utf8_lossy(&here[..here.len().min(SHOWN)]);
            odd(format!("a text in it is no UTF-8, {}", near.escape_debug()))
        })?;
        Ok(PickleValue::Text(text))
    }

    fn global(&self, module: &str, name: &str) -> Result<PickleValue<'a>, PickleError> {
        match PickleGlobal::named(module, name) {
            Some(global) => Ok(PickleValue::Global(global)),
            None if self.is_source() => {
                Err(PickleError::Asks(format!("the source of a module, {}", shown(module, name))))
            }
            None => Err(PickleError::Asks(shown(module, name))),
        }
    }

    /// Whether the value being read names a module's source, as the older format stores it: a tuple that
    /// begins with `module`.
    fn is_source(&self) -> bool {
        let value = |id: ValueId| &self.values[id.0 as usize];
        matches!(self.stack[..], [.., None, Some(id)] if matches!(value(id), PickleValue::Text("module")))
    }

    fn pop(&mut self) -> Result<ValueId, PickleError> {
        self.stack.pop().flatten().ok_or_else(too_few)
    }

    fn pop_to_mark(&mut self) -> Result<Vec<ValueId>, PickleError> {
        let mark = self.stack.iter().rposition(Option::is_none).ok_or_else(too_few)?;
        let values = self.stack.split_off(mark);
        Ok(values.into_iter().flatten().collect())
    }

    fn top(&self) -> Result<ValueId, PickleError> {
        self.stack.last().copied().flatten().ok_or_else(too_few)
    }

    fn list(&mut self) -> Result<&mut Vec<ValueId>, PickleError> {
        let top = self.top()?;
        match &mut self.values[top.0 as usize] {
            PickleValue::List(values) => Ok(values),
            _ => Err(odd("an entry is added to what is no list".into())),
        }
    }

    fn dict(&mut self, opcode: &'static str) -> Result<&mut Vec<(ValueId, ValueId)>, PickleError> {
        let top = self.top()?;
        match &mut self.values[top.0 as usize] {
            PickleValue::Dict(pairs) => Ok(pairs),
            _ => Err(odd(format!("{opcode} is applied to what is no dict"))),
        }
    }

    fn remember(&mut self, entry: u32) -> Result<(), PickleError> {
        let top = self.top()?;
        if self.memo.len() == MAX_VALUES {
            return Err(odd(format!("it names more than {MAX_VALUES} values")));
        }
        self.memo.insert(entry, top);
        Ok(())
    }

    fn recall(&mut self, entry: u32) -> Result<(), PickleError> {
        let Some(&value) = self.memo.get(&entry) else {
            return Err(odd(format!("it asks for entry {entry} of its memo, which is not there")));
        };
        self.wait(Some(value))
    }
}

fn odd(reason: String) -> PickleError {
    PickleError::Odd(reason)
}

fn too_few() -> PickleError {
    odd("an opcode has no value to work on".into())
}

fn utf8(bytes: &[u8]) -> Result<&str, PickleError> {
    std::str::from_utf8(bytes).map_err(|_| odd("a text in it is no UTF-8".into()))
}

/// A whole number in two's complement, the lowest byte first.
fn long(bytes: &[u8]) -> PickleValue<'_> {
    let Some(&last) = bytes.last() else {
        return PickleValue::Int(0);
    };
    if bytes.len() > 8 {
        return PickleValue::Long(bytes);
    }
    let mut whole = [if last < 0x80 { 0 } else { 0xff }; 8];
    whole[..bytes.len()].copy_from_slice(bytes);
    PickleValue::Int(i64::from_le_bytes(whole))
}

/// A global's name in a line.
fn shown(module: &str, name: &str) -> String {
    let name = format!("{module}.{name}").escape_debug().to_string();
    match name.char_indices().nth(SHOWN) {
        None => name,
        Some((end, _)) => format!("{}…", &name[..end]),
    }
}

/// Names of the opcodes that no state dict takes.
fn opcode_name(opcode: u8) -> Option<&'static str> {
    Some(match opcode {
        b'0' => "POP",
        b'1' => "POP_MARK",
        b'2' => "DUP",
        b'F' => "FLOAT",
        b'I' => "INT",
        b'L' => "LONG",
        b'P' => "PERSID",
        b'S' => "STRING",
        b'T' => "BINSTRING",
        b'U' => "SHORT_BINSTRING",
        b'V' => "UNICODE",
        b'B' => "BINBYTES",
        b'C' => "SHORT_BINBYTES",
        b'd' => "DICT",
        b'g' => "GET",
        b'o' => "OBJ",
        b'p' => "PUT",
        0x81 => "NEWOBJ",
        0x82 => "EXT1",
        0x83 => "EXT2",
        0x84 => "EXT4",
        0x8b => "LONG4",
        0x8d => "BINUNICODE8",
        0x8e => "BINBYTES8",
        0x8f => "EMPTY_SET",
        0x90 => "ADDITEMS",
        0x91 => "FROZENSET",
        0x92 => "NEWOBJ_EX",
        0x96 => "BYTEARRAY8",
        0x97 => "NEXT_BUFFER",
        0x98 => "READONLY_BUFFER",
        _ => return None,
    })
}
