//! Keys pressed anywhere on the desktop.
