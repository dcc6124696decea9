//! Tests of redaction.
