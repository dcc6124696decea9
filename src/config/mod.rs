//! Parses text into a [`Config`]: one plain struct per section. Reading the file is the command line's part.

pub mod sections;
pub mod fault;
mod field;
mod file;
mod notice;
mod rules;
pub mod place;
pub mod hours;
pub mod press;
pub mod section;
mod whole;

pub use fault::ConfigFault;
pub use hours::Hours;
pub use notice::ConfigNotice;
pub use section::{
    Bans, BashSection, KeysSection, LanguageSection, RecordSection, RunSection, SecuritySection,
    ServerSection, SpeechSection, TerminalSection,
};
pub use sections::advice::{AdviceSection, AskSection, EndpointSection};
pub use sections::channels::ChannelsSection;
pub use sections::git::GitSection;
pub use sections::hooks::HooksSection;
pub use sections::network::NetworkSection;
pub use sections::password::PasswordSection;
pub use sections::plugins::PluginsSection;
pub use sections::registry::RegistrySection;
pub use sections::sandbox::SandboxSection;
pub use sections::services::{ServiceSection, ServicesSection};
pub use sections::telemetry::TelemetrySection;
pub use sections::undo::UndoSection;
pub use sections::wyoming::WyomingSection;
pub use whole::{Config, ConfigError};

#[cfg(test)]
mod tests;
