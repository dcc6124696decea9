//! guarda-hook: what a coding agent's client starts before each of its tools. A program of its own, since `guarda` loads
//! the libraries of the voice and the display at every start, and an agent waits for its hook.

fn main() -> std::process::ExitCode {
    guarda::doors::hook::relay::small()
}
