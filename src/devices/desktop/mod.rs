//! The desktop: its session, its buses, applications, displays and radios.

pub mod session;
pub mod bus;
pub mod mpris;
pub mod login;
pub mod backlight;
pub mod radio;
pub mod notify;
pub mod input;
pub mod portal;
pub mod user_dirs;
pub mod display;
pub mod apps;
pub mod handlers;
