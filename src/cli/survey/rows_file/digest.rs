//! The checksum that a rows' file carries: of its facts and of every row's values, in their order, as
//! they are read. Whatever byte of the file changes, either nothing that is read of it does, or the
//! checksum is another.

use sha2::{Digest as _, Sha256};

use super::About;
use crate::cli::fingerprint::hex;
use crate::study::survey::MeasuredRow;

pub struct Digest(Sha256);

impl Digest {
    pub fn new(about: &About) -> anyhow::Result<Self> {
        let About { model, task, members, facts, asked, shard } = about;
        let mut digest = Self(Sha256::new());
        digest.text(model);
        digest.text(task);
        digest.text(&serde_json::to_string(members)?);
        digest.text(&serde_json::to_string(facts)?);
        digest.text(asked);
        digest.text(&shard.to_string());
        Ok(digest)
    }

    pub fn row(&mut self, row: &MeasuredRow) {
        // Every field by its name, so that one more does not stay out by mistake.
        let MeasuredRow {
            row,
            line,
            level,
            tokens,
            answer,
            answered,
            correct,
            correct_per_byte,
            option_ids,
            logits,
            member_logits,
            sum_error,
            probability,
            logit,
            centred,
            offset,
            paper,
            log_partition,
            entropy,
            option_ranks,
            log_likelihoods,
            mass,
            first_word,
            answer_tokens,
            prompt,
            choices,
            right,
        } = row;
        for count in [row, line, tokens, answer, answered] {
            self.count(*count);
        }
        self.0.update([u8::from(*correct)]);
        self.0.update([correct_per_byte.map_or(2, u8::from)]);
        self.count(option_ids.len());
        for id in option_ids {
            self.0.update(id.to_le_bytes());
        }
        for list in [logits, member_logits] {
            self.count(list.len());
            for x in list {
                self.0.update(x.to_bits().to_le_bytes());
            }
        }
        let columns = [probability, logit, centred, offset, paper].into_iter().flatten();
        for x in std::iter::once(sum_error).chain(columns) {
            self.0.update(x.to_bits().to_le_bytes());
        }
        for x in [log_partition, entropy, mass] {
            self.0.update([u8::from(x.is_some())]);
            self.0.update(x.unwrap_or_default().to_bits().to_le_bytes());
        }
        self.0.update([first_word.map_or(2, u8::from)]);
        self.count(*answer_tokens);
        self.count(option_ranks.len());
        for rank in option_ranks {
            self.0.update(rank.to_le_bytes());
        }
        self.count(log_likelihoods.len());
        for x in log_likelihoods {
            self.0.update(x.to_bits().to_le_bytes());
        }
        self.0.update([u8::from(prompt.is_some())]);
        self.text(prompt.as_deref().unwrap_or_default());
        self.count(choices.len());
        for choice in choices {
            self.text(choice);
        }
        for place in [right, level] {
            self.count(place.map_or(0, |place| place + 1));
        }
    }

    pub fn finish(self) -> String {
        hex(self.0)
    }

    fn count(&mut self, count: usize) {
        self.0.update((count as u64).to_le_bytes());
    }

    fn text(&mut self, text: &str) {
        self.count(text.len());
        self.0.update(text);
    }
}
