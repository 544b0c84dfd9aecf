//! Where the records of a zip archive lie, as PyTorch writes one: stored, never compressed. Read by the
//! directory at its end; of a record, only the header that says where its bytes begin.

use std::collections::BTreeMap;
use std::ops::Range;

use crate::model::ModelError;
use crate::model::checkpoint::described::ReadRange;

/// Bytes of the directory at most: a record takes a hundred.
const MAX_DIRECTORY: u64 = 64 << 20;

/// Bytes of the record at an archive's end without its comment, and the longest comment.
const END: u64 = 22;
const MAX_COMMENT: u64 = 0xffff;

/// The number that says that the real one stands in the fields of zip64.
const ELSEWHERE: u32 = u32::MAX;

/// An archive, by its directory.
pub struct ZipArchive<'a, 'b> {
    file: &'b str,
    read: ReadRange<'a, 'b>,
    entries: BTreeMap<String, ZipEntry>,
}

/// A record as the directory has it.
struct ZipEntry {
    /// Where its own header begins.
    header: u64,
    size: u64,
    /// Where the next record's header, or the directory, begins.
    limit: u64,
}

impl<'a, 'b> ZipArchive<'a, 'b> {
    /// Reads the directory of the file called `file`, of `size` bytes.
    ///
    /// # Errors
    /// It is cut off or damaged; a record is compressed or encrypted, is there twice, overlaps another, or
    /// has a name that leads out of the archive.
    pub fn read(file: &'b str, size: u64, read: ReadRange<'a, 'b>) -> Result<Self, ModelError> {
        let mut archive = Self { file, read, entries: BTreeMap::new() };
        let (count, directory) = archive.directory(size)?;
        let bytes = read(directory.clone())?;

        // Entries, one behind the other, to the directory's end.
        let mut left = ZipFields(&bytes);
        for _ in 0..count {
            let (name, entry) = archive.entry(&mut left)?;
            let twice = format!("it lists {} twice", name.escape_debug());
            refuse_if!(archive.entries.insert(name, entry).is_some(), archive.odd(&twice));
        }
        refuse_if!(!left.0.is_empty(), archive.damaged());

        // Records lie apart from each other and before the directory.
        let mut in_order: Vec<&mut ZipEntry> = archive.entries.values_mut().collect();
        in_order.sort_by_key(|entry| std::cmp::Reverse(entry.header));
        let mut next = directory.start;
        let mut is_apart = true;
        for entry in in_order {
            entry.limit = next;
            is_apart &= entry.header < next;
            next = entry.header;
        }
        refuse_if!(!is_apart, archive.damaged());
        Ok(archive)
    }

    /// Names of all records.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.entries.keys().map(String::as_str)
    }

    /// Where the bytes of the record of this name lie; `None`: there is none.
    ///
    /// # Errors
    /// Its own header says something else than the directory, or it reaches into the next one.
    pub fn record(&self, name: &str) -> Result<Option<Range<u64>>, ModelError> {
        const HEADER: u64 = 30;
        let Some(entry) = self.entries.get(name) else {
            return Ok(None);
        };
        let names = entry.header + HEADER;
        refuse_if!(names > entry.limit, self.damaged());
        let bytes = (self.read)(entry.header..names)?;
        let mut fields = ZipFields(&bytes);
        let header =
            RecordFields::read(&mut fields, b"PK\x03\x04", 2).ok_or_else(|| self.damaged())?;

        // The name, and where the bytes begin and end.
        let start = names + u64::from(header.name) + u64::from(header.extra);
        let end = start.checked_add(entry.size).filter(|&end| end <= entry.limit);
        let Some(end) = end else {
            return Err(self.damaged());
        };
        let about = (self.read)(names..start)?;
        let (named, extra) = about.split_at(usize::from(header.name));
        let mut large = ZipFields(extra).zip64();
        let mut is_size = |size: u32| match size {
            // Writers that do not know a size yet write it behind the record.
            0 if header.is_size_behind => true,
            ELSEWHERE => large.u64() == Some(entry.size),
            size => u64::from(size) == entry.size,
        };
        let is_as_listed = named == name.as_bytes()
            && header.is_stored
            && is_size(header.whole)
            && is_size(header.stored);
        refuse_if!(!is_as_listed, self.damaged());
        Ok(Some(start..end))
    }

    /// How many entries the directory has, and where it lies: right before what ends the archive.
    fn directory(&self, size: u64) -> Result<(u64, Range<u64>), ModelError> {
        let damaged = || self.damaged();
        let from = size.saturating_sub(END + MAX_COMMENT);
        let tail = (self.read)(from..size)?;
        let (at, end) = EndRecord::find(&tail).ok_or_else(damaged)?;
        let mut end_at = from + at as u64;
        let mut end = end;

        // Zip64's end stands before it, found by a record of its own between the two.
        const LOCATOR: u64 = 20;
        const END_64: u64 = 56;
        if let Some(locator_at) = end_at.checked_sub(LOCATOR) {
            let locator = (self.read)(locator_at..end_at)?;
            if let Some(at) = ZipFields(&locator).locator() {
                let stop = at.checked_add(END_64).filter(|&stop| stop <= locator_at);
                let bytes = (self.read)(at..stop.ok_or_else(damaged)?)?;
                end = EndRecord::read_64(&mut ZipFields(&bytes)).ok_or_else(damaged)?;
                end_at = at;
            }
        }

        let stop = end.start.checked_add(end.size);
        refuse_if!(stop != Some(end_at) || end.size > MAX_DIRECTORY, damaged());
        Ok((end.count, end.start..end_at))
    }

    fn entry(&self, fields: &mut ZipFields) -> Result<(String, ZipEntry), ModelError> {
        let entry = DirectoryEntry::read(fields).ok_or_else(|| self.damaged())?;
        let name = std::str::from_utf8(entry.name).map_err(|_| self.damaged())?;
        if !entry.is_stored {
            let reason = "its records are compressed or encrypted, and PyTorch stores them";
            return Err(super::other_contents(self.file, reason));
        }
        refuse_if!(entry.stored != entry.whole, self.damaged());
        let leads_out = |part: &str| part == ".." || part.contains('\\');
        if name.starts_with('/') || name.split('/').any(leads_out) {
            let name = name.escape_debug();
            return Err(self.odd(&format!("the name of its record {name} leads out of it")));
        }
        let (header, size) = (entry.header, entry.whole);
        Ok((name.to_owned(), ZipEntry { header, size, limit: 0 }))
    }

    fn damaged(&self) -> ModelError {
        self.odd("it is a zip archive that was cut off or damaged")
    }

    fn odd(&self, reason: &str) -> ModelError {
        super::not_pytorch(self.file, reason)
    }
}

/// The directory's place, as an archive's end has it.
struct EndRecord {
    count: u64,
    size: u64,
    start: u64,
}

impl EndRecord {
    /// The record that ends the archive, and where it begins in its last bytes: the one whose comment ends
    /// with them.
    fn find(tail: &[u8]) -> Option<(usize, Self)> {
        let last = tail.len().checked_sub(END as usize)?;
        let begin = (0..=last).rev().find(|&begin| {
            let comment = [tail[begin + 20], tail[begin + 21]];
            tail[begin..].starts_with(b"PK\x05\x06")
                && usize::from(u16::from_le_bytes(comment)) == last - begin
        })?;
        let mut fields = ZipFields(&tail[begin + 4..]);
        let disks = (fields.u16()?, fields.u16()?);
        let (here, count) = (fields.u16()?, fields.u16()?);
        let (size, start) = (fields.u32()?, fields.u32()?);
        let is_whole = disks == (0, 0) && here == count;
        let end = Self { count: count.into(), size: size.into(), start: start.into() };
        is_whole.then_some((begin, end))
    }

    fn read_64(fields: &mut ZipFields) -> Option<Self> {
        let signature = fields.array::<4>()?;
        fields.skip(8 + 2 + 2)?;
        let disks = (fields.u32()?, fields.u32()?);
        let (here, count) = (fields.u64()?, fields.u64()?);
        let (size, start) = (fields.u64()?, fields.u64()?);
        let is_whole = signature == *b"PK\x06\x06" && disks == (0, 0) && here == count;
        is_whole.then_some(Self { count, size, start })
    }
}

/// An entry of the directory.
struct DirectoryEntry<'a> {
    /// Neither encrypted nor compressed.
    is_stored: bool,
    /// Bytes in the archive, and of the record.
    stored: u64,
    whole: u64,
    /// Where the record's own header begins.
    header: u64,
    name: &'a [u8],
}

impl<'a> DirectoryEntry<'a> {
    fn read(fields: &mut ZipFields<'a>) -> Option<Self> {
        let RecordFields { is_stored, stored, whole, name, extra, .. } =
            RecordFields::read(fields, b"PK\x01\x02", 4)?;
        let comment = fields.u16()?;
        fields.skip(8)?; // disk, attributes
        let header = fields.u32()?;
        let name = fields.take(name.into())?;
        let mut extra = ZipFields(fields.take(extra.into())?);
        fields.skip(comment.into())?;

        // Numbers of more than 32 bits stand in a field of their own, in this order.
        let mut large = extra.zip64();
        let mut number = |short: u32| match short {
            ELSEWHERE => large.u64(),
            short => Some(short.into()),
        };
        let (whole, stored, header) = (number(whole)?, number(stored)?, number(header)?);
        Some(Self { is_stored, stored, whole, header, name })
    }
}

/// The fields that a record's own header and its entry in the directory begin with.
struct RecordFields {
    is_stored: bool,
    is_size_behind: bool,
    stored: u32,
    whole: u32,
    /// Bytes of the name and of the extra fields that follow.
    name: u16,
    extra: u16,
}

impl RecordFields {
    /// Reads them behind a signature and so many bytes of versions.
    fn read(fields: &mut ZipFields, signature: &[u8; 4], versions: usize) -> Option<Self> {
        const ENCRYPTED: u16 = 1 | 1 << 6 | 1 << 13;
        const SIZE_BEHIND: u16 = 1 << 3;
        let is_signed = fields.array::<4>()? == *signature;
        fields.skip(versions)?;
        let (flags, method) = (fields.u16()?, fields.u16()?);
        fields.skip(8)?; // time, date, checksum
        let read = Self {
            is_stored: flags & ENCRYPTED == 0 && method == 0,
            is_size_behind: flags & SIZE_BEHIND != 0,
            stored: fields.u32()?,
            whole: fields.u32()?,
            name: fields.u16()?,
            extra: fields.u16()?,
        };
        is_signed.then_some(read)
    }
}

/// Numbers one behind the other, the lowest byte first.
struct ZipFields<'a>(&'a [u8]);

impl<'a> ZipFields<'a> {
    fn take(&mut self, count: usize) -> Option<&'a [u8]> {
        let (taken, left) = self.0.split_at_checked(count)?;
        self.0 = left;
        Some(taken)
    }

    fn skip(&mut self, count: usize) -> Option<()> {
        self.take(count).map(|_| ())
    }

    fn array<const N: usize>(&mut self) -> Option<[u8; N]> {
        self.take(N)?.first_chunk().copied()
    }

    fn u16(&mut self) -> Option<u16> {
        self.array().map(u16::from_le_bytes)
    }

    fn u32(&mut self) -> Option<u32> {
        self.array().map(u32::from_le_bytes)
    }

    fn u64(&mut self) -> Option<u64> {
        self.array().map(u64::from_le_bytes)
    }

    /// Where zip64's end begins, if this is the record that says so.
    fn locator(&mut self) -> Option<u64> {
        let signature = self.array::<4>()?;
        self.skip(4)?; // disk
        (signature == *b"PK\x06\x07").then_some(self.u64()?)
    }

    /// The extra field of zip64, empty where there is none.
    fn zip64(&mut self) -> Self {
        const ZIP64: u16 = 1;
        while let Some((kind, length)) = self.u16().zip(self.u16()) {
            match self.take(length.into()) {
                Some(field) if kind == ZIP64 => return Self(field),
                Some(_) => {}
                None => break,
            }
        }
        Self(&[])
    }
}
