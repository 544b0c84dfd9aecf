//! A model folder written as PyTorch writes one: a zip archive of a pickle and raw numbers, or the format
//! before it.

use std::borrow::Cow;
use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};

use safetensors::{Dtype, SafeTensors};

/// Writes the weights of `folder` to `to/pytorch_model.bin`, beside what describes them.
pub fn write(folder: &Path, to: &Path) -> PathBuf {
    let bytes = std::fs::read(folder.join("model.safetensors")).expect("weights");
    write_file(&to.join("pytorch_model.bin"), &tensors(&bytes));
    for file in ["config.json", "tokenizer.json"] {
        if folder.join(file).exists() {
            std::fs::copy(folder.join(file), to.join(file)).expect("copied");
        }
    }
    to.to_path_buf()
}

/// The tensors of a safetensors file, each with a storage of its own.
pub fn tensors(safetensors: &[u8]) -> Vec<PickledTensor<'_>> {
    let tensors = SafeTensors::deserialize(safetensors).expect("safetensors").tensors();
    let pickled = tensors.into_iter().map(|(name, view)| PickledTensor {
        name,
        class: class(view.dtype()),
        shape: view.shape().iter().map(|&side| side as u64).collect(),
        numbers: view.data().into(),
    });
    pickled.collect()
}

/// A tensor that has a storage of its own.
pub struct PickledTensor<'a> {
    pub name: String,
    pub class: &'static str,
    pub shape: Vec<u64>,
    pub numbers: Cow<'a, [u8]>,
}

/// PyTorch's name of a type's storages.
fn class(dtype: Dtype) -> &'static str {
    match dtype {
        Dtype::F32 => "FloatStorage",
        Dtype::F16 => "HalfStorage",
        Dtype::BF16 => "BFloat16Storage",
        Dtype::BOOL => "BoolStorage",
        Dtype::U8 => "ByteStorage",
        Dtype::I64 => "LongStorage",
        other => panic!("{other:?} has no place in these models"),
    }
}

/// A state dict as a pickle of protocol 2.
pub fn state_dict(tensors: &[PickledTensor]) -> Vec<u8> {
    let mut pickle = b"\x80\x02ccollections\nOrderedDict\n)R(".to_vec();
    for (key, tensor) in tensors.iter().enumerate() {
        let count: u64 = tensor.shape.iter().product();
        text(&mut pickle, &tensor.name);
        pickle.extend(b"ctorch._utils\n_rebuild_tensor_v2\n((");
        text(&mut pickle, "storage");
        pickle.extend(format!("ctorch\n{}\n", tensor.class).bytes());
        text(&mut pickle, &key.to_string());
        text(&mut pickle, "cpu");
        number(&mut pickle, count);
        pickle.extend(b"tQK\x00(");
        tensor.shape.iter().for_each(|&side| number(&mut pickle, side));
        pickle.extend(b"t(");
        for side in 0..tensor.shape.len() {
            number(&mut pickle, tensor.shape[side + 1..].iter().product());
        }
        pickle.extend(b"t\x89ccollections\nOrderedDict\n)RtR");
    }
    pickle.extend(b"u.");
    pickle
}

fn text(pickle: &mut Vec<u8>, text: &str) {
    pickle.push(b'X');
    pickle.extend((text.len() as u32).to_le_bytes());
    pickle.extend(text.bytes());
}

fn number(pickle: &mut Vec<u8>, number: u64) {
    pickle.push(b'J');
    pickle.extend((number as i32).to_le_bytes());
}

/// The archive of a state dict.
pub fn zip(tensors: &[PickledTensor]) -> Vec<u8> {
    let mut archive = ZipWriter::new(Vec::new());
    write_zip(&mut archive, tensors);
    archive.finish()
}

/// Writes the archive of a state dict into a file.
pub fn write_file(path: &Path, tensors: &[PickledTensor]) {
    let file = BufWriter::new(File::create(path).expect("a file"));
    let mut archive = ZipWriter::new(file);
    write_zip(&mut archive, tensors);
    archive.finish().flush().expect("written");
}

fn write_zip<W: Write>(archive: &mut ZipWriter<W>, tensors: &[PickledTensor]) {
    archive.record("model/data.pkl", &state_dict(tensors));
    for (key, tensor) in tensors.iter().enumerate() {
        archive.record(&format!("model/data/{key}"), &tensor.numbers);
    }
}

/// A zip archive of stored records, less than four gigabytes.
pub struct ZipWriter<W> {
    to: W,
    written: u32,
    count: u16,
    directory: Vec<u8>,
}

impl<W: Write> ZipWriter<W> {
    pub fn new(to: W) -> Self {
        Self { to, written: 0, count: 0, directory: Vec::new() }
    }

    pub fn record(&mut self, name: &str, bytes: &[u8]) {
        // Method, time, date and checksum are zero; then both lengths, that of the name, and no extra field.
        let length = u32::try_from(bytes.len()).expect("a short record");
        let mut about = vec![0; 10];
        about.extend([length.to_le_bytes(); 2].concat());
        about.extend((name.len() as u16).to_le_bytes());
        about.extend([0; 2]);

        self.directory.extend(b"PK\x01\x02\x14\x00\x14\x00\x00\x00".iter().chain(&about));
        self.directory.extend([0; 10]);
        self.directory.extend(self.written.to_le_bytes());
        self.directory.extend(name.bytes());
        self.count += 1;
        for part in [b"PK\x03\x04\x14\x00\x00\x00", &about[..], name.as_bytes(), bytes] {
            self.put(part);
        }
    }

    pub fn finish(mut self) -> W {
        let (start, count) = (self.written, self.count.to_le_bytes());
        let directory = std::mem::take(&mut self.directory);
        self.put(&directory);
        self.put(b"PK\x05\x06\x00\x00\x00\x00");
        self.put(&[count, count].concat());
        self.put(&[directory.len() as u32, start].map(u32::to_le_bytes).concat());
        self.put(&[0; 2]);
        self.to
    }

    fn put(&mut self, bytes: &[u8]) {
        self.to.write_all(bytes).expect("written");
        self.written =
            self.written.checked_add(bytes.len() as u32).expect("less than four gigabytes");
    }
}

/// The format before zip.
pub fn older(tensors: &[PickledTensor]) -> Vec<u8> {
    let mut file =
        b"\x80\x02\x8a\x0al\xfc\x9cF\xf9 j\xa8P\x19.\x80\x02M\xe9\x03.\x80\x02}.".to_vec();
    file.extend(state_dict(tensors));
    file.extend(b"\x80\x02](");
    (0..tensors.len()).for_each(|key| text(&mut file, &key.to_string()));
    file.extend(b"e.");
    for tensor in tensors {
        file.extend(tensor.shape.iter().product::<u64>().to_le_bytes());
        file.extend(&*tensor.numbers);
    }
    file
}
