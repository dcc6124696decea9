//! The hands on a real desktop: real players, a real sound server, real windows. Parts that cannot be real
//! here (the login manager, the radios) are doubles on a private bus, and are named so.

mod act;

mod applications;
mod commands;
mod doubles;
mod files;
mod looking;
mod running;
mod sound;
mod status;
mod wayland;
mod windows;
