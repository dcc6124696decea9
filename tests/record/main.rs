//! The record, from outside: what is written, what survives, what is noticed.

mod bench;
mod writing;
