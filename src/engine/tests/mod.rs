//! What the tests of every device share.

pub mod twin;
