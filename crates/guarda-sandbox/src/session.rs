//! The variables of a desktop session, which lead to its display, buses, sound and keys.

/// What a variable of the session is for a command.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum SessionVariable {
    /// It is withheld from sandboxed programs.
    Withheld,
    /// The same, but it leads to a service that a person may let a command reach.
    Service,
    /// Such a service, and something stands in for its socket, so that programs look for it as usual.
    StandIn,
}

/// What this variable is; `None` if it is not of the session.
#[must_use]
pub fn session_variable(name: &str) -> Option<SessionVariable> {
    Some(match name {
        "DISPLAY" | "DBUS_SESSION_BUS_ADDRESS" | "PULSE_SERVER" | "SSH_AUTH_SOCK" => SessionVariable::StandIn,
        "WAYLAND_DISPLAY" | "XAUTHORITY" | "XDG_RUNTIME_DIR" => SessionVariable::Service,
        "WAYLAND_SOCKET"
        | "DBUS_SYSTEM_BUS_ADDRESS"
        | "AT_SPI_BUS_ADDRESS"
        | "PULSE_COOKIE"
        | "PIPEWIRE_REMOTE"
        | "SSH_AGENT_PID"
        | "GPG_AGENT_INFO"
        | "GNOME_KEYRING_CONTROL"
        | "SESSION_MANAGER"
        | "NOTIFY_SOCKET"
        | "SPEECHD_ADDRESS"
        | "TMUX"
        | "STY" => SessionVariable::Withheld,
        _ => return None,
    })
}
