//! Helpers that the tests of all devices share.

pub mod twin;
