//! A model folder written as PyTorch writes one: a zip archive of a pickle and raw numbers, or the format
//! before it.

use std::path::{Path, PathBuf};

use safetensors::{Dtype, SafeTensors};

/// Writes the weights of `folder` to `to/pytorch_model.bin`, beside what describes them.
pub fn write(folder: &Path, to: &Path) -> PathBuf {
    let bytes = std::fs::read(folder.join("model.safetensors")).expect("weights");
    let tensors = SafeTensors::deserialize(&bytes).expect("safetensors");
    let tensors = tensors.tensors().into_iter().map(|(name, view)| PickledTensor {
        name,
        class: class(view.dtype()),
        shape: view.shape().iter().map(|&side| side as u64).collect(),
        numbers: view.data().to_vec(),
    });
    std::fs::write(to.join("pytorch_model.bin"), zip(&tensors.collect::<Vec<_>>()))
        .expect("written");
    for file in ["config.json", "tokenizer.json"] {
        if folder.join(file).exists() {
            std::fs::copy(folder.join(file), to.join(file)).expect("copied");
        }
    }
    to.to_path_buf()
}

/// A tensor that has a storage of its own.
pub struct PickledTensor {
    pub name: String,
    pub class: &'static str,
    pub shape: Vec<u64>,
    pub numbers: Vec<u8>,
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
    let mut records = vec![("model/data.pkl".to_owned(), state_dict(tensors))];
    let storages = tensors.iter().enumerate();
    records.extend(
        storages.map(|(key, tensor)| (format!("model/data/{key}"), tensor.numbers.clone())),
    );
    archive(&records)
}

/// A zip archive of stored records.
pub fn archive(records: &[(String, Vec<u8>)]) -> Vec<u8> {
    let (mut file, mut directory) = (Vec::new(), Vec::new());
    for (name, bytes) in records {
        // Method, time, date and checksum are zero; both lengths, and that of the name.
        let mut about = vec![0; 12];
        for length in [bytes.len() as u32; 2] {
            about.extend(length.to_le_bytes());
        }
        about.extend((name.len() as u16).to_le_bytes());
        about.extend([0; 2]);
        directory.extend(b"PK\x01\x02\x14\x00\x14\x00\x00\x00".iter().chain(&about[2..]));
        directory.extend([0; 10]);
        directory.extend((file.len() as u32).to_le_bytes());
        directory.extend(name.bytes());
        file.extend(b"PK\x03\x04\x14\x00\x00\x00".iter().chain(&about[2..]));
        file.extend(name.bytes());
        file.extend(bytes);
    }
    let start = file.len() as u32;
    let count = (records.len() as u16).to_le_bytes();
    let size = (directory.len() as u32).to_le_bytes();
    file.extend(directory);
    file.extend(b"PK\x05\x06\x00\x00\x00\x00");
    file.extend([count, count].concat());
    file.extend(size);
    file.extend(start.to_le_bytes());
    file.extend([0; 2]);
    file
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
        file.extend(&tensor.numbers);
    }
    file
}
