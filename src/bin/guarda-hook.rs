//! guarda-hook: started by a coding agent's client before each tool call. A separate program, because `guarda` takes
//! longer to start and an agent waits for its hook.

fn main() -> std::process::ExitCode {
    guarda::doors::hook::relay::small()
}
