//! The service's surface, tried by others: requests from its own description, web pages in a real browser,
//! and another user of the same machine.

mod described;
mod neighbour;
mod pages;
