//! `2/8`: the second of eight parts of the rows.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use crate::study::survey::WINDOW;

/// `index` is counted from 0 and below `of`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Shard {
    pub index: usize,
    pub of: usize,
}

impl Shard {
    pub const WHOLE: Shard = Shard { index: 0, of: 1 };

    /// Counts this part's rows of `rows`: every `of`-th window.
    pub fn share(self, rows: usize) -> usize {
        (0..rows).filter(|row| row / WINDOW % self.of == self.index).count()
    }

    /// The folder that its rows lie in, below the survey's.
    pub fn folder(self) -> String {
        format!("shard-{}-of-{}", self.index + 1, self.of)
    }
}

impl fmt::Display for Shard {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.index + 1, self.of)
    }
}

impl FromStr for Shard {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let parts = text.split_once('/');
        let numbers =
            parts.and_then(|(k, n)| Some((k.parse::<usize>().ok()?, n.parse::<usize>().ok()?)));
        match numbers {
            Some((k, of)) if 1 <= k && k <= of => Ok(Shard { index: k - 1, of }),
            Some((k, of)) => Err(format!("there is no part {k} of {of}: they are counted from 1")),
            None => Err("write the k-th of n parts as k/n, such as 2/8".into()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_share_windows_and_not_rows() {
        let shares = [0, 1].map(|index| Shard { index, of: 2 }.share(WINDOW + 3));
        assert_eq!(shares, [WINDOW, 3]);
    }
}
