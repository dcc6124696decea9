//! The languages say the same things.
