
# What audit, registry, session, keys, hook and the errors of the client show.

## How the command line shows a request
act-reason = reason: { $reason }
act-exit = exit status { $code }
act-params = --params is not JSON: { $why }
act-unknown = A command line is the target of an action: guarda act RUN_COMMAND "ls Downloads"

## The service does not answer
client-nobody = no guard answers for { $path }: start one with `guarda serve`, or set GUARDA_STATE_DIR to the folder of the running one
client-unserved = no answer within { $seconds } s: the socket in { $path } is held by { $holder }, which does not serve it. End that process, or restart the service (systemctl --user restart guarda.service), and try again
client-process = { $name } (process { $pid })
client-listener = the process that listens at { $name }
client-unknown = an unknown process
client-ended = the guard closed the connection before it answered ({ $why }). The outcome is not known: `guarda history` shows what was begun
client-foreign = what answers in place of the guard is another program ({ $why })
client-broken = the request failed ({ $why })

## What works, and what is missing
banner-listens = guarda { $version } listens on http://{ $name }
banner-works = Works:
banner-missing = Missing:
banner-next = Run guarda doctor.
banner-files = configuration: { $config } · token for requests: { $token }
banner-try = Try it in another terminal:
status-off = switched off ({ $key })
ready-record = every decision is recorded before the action
ready-sessions = what sessions have seen is kept until a person clears it
ready-stage = what a command changes is judged before it counts, and can be undone
ready-mcp = a form in the requesting client, for low risks
ready-http-code = with the approve token and the code of the question, which is shown and spoken here
ready-http-token = with the approve token alone: nothing here can show or speak a code
ready-http-chosen = with the approve token alone (server.answer_code = "never")
ready-http-nothing = nobody: it takes a code (server.answer_code = "always"), and nothing here can show or speak one
degraded-speech = Nothing is spoken. { $why }
degraded-remote = Nothing here can show a question: it is answered over HTTP, by whoever holds the approve token
degraded-no-human = Nobody is asked (--no-human): what needs a yes is refused, and reported at the end
degraded-nobody = Nobody can answer, so actions that need a person's yes are refused
degraded-unseen = A question can be neither shown nor heard at this computer
degraded-token = The approve token alone says yes: nothing here can show or speak the code of a question, so every program of this user that reads the token can answer (docs/answers.md)
degraded-code = Nobody can say yes over the service: it takes a code (server.answer_code = "always"), and nothing here can show or speak one
degraded-silence = Silence for { $seconds } more seconds: every question is refused (`guarda silence off` ends it)
degraded-part = Not working: { $name }. { $why }
degraded-record = The record cannot be written, so nothing is done: { $why }
degraded-advice = There is no second opinion. { $why }
degraded-registry = The registry of commands is lost, so every command is asked about: { $why }
degraded-plugins = The plugin folder cannot be trusted, so every action is asked about: { $why }
degraded-plugin = The plugin { $name } fails, so a person is asked: { $why }
degraded-marks-unwritten = The marks of sessions cannot be written, so every session counts as having seen secrets: { $why }
degraded-marks-full = Too many sessions are marked, so every new one counts as having seen secrets; clear all marks with `guarda session clear --all`
degraded-marks-lost = The marks of sessions were lost ({ $why }), so every session of the record was marked; look at them with `guarda session list`
failure-switched-off = It is switched off in the configuration.
failure-quiet-hours = Nothing is spoken in the quiet hours.
failure-no-voice = The speech service does not answer.
failure-inaudible = The sound is off or at zero: nothing would be heard.
failure-no-helper = The helper guarda-keys of the trusted keyboard is not installed.
failure-no-keyboard = No keyboard is trusted yet; see: guarda keys status.
failure-not-from-terminal = The service was not started from a terminal.
failure-no-cell = This computer cannot confine commands fully.
failure-no-stage = Changes cannot be held back here: commands that change files are asked by their words, and cannot be undone.
failure-stage-stuck = A change could be neither finished nor taken back: part of it may be done.
failure-no-network = Commands reach no other computer here, not even an approved one.
failure-no-model = The model for second opinions does not answer, so you are asked about what it would have checked.

## The configuration, guarda ask and guarda demo
load-no-file = { $path }: there is no such file
load-no-home = there is no home folder: set GUARDA_STATE_DIR to a folder of your own
ask-no-model = no model is named: set ask.model in the configuration to a name from `ollama list`, or use --model
ask-which-model = there are several models: { $names }; choose one with --model, or in ask.model of the configuration
ask-no-actions = no actions are offered in the profile { $profile }
ask-no-server = start the model's server (such as `ollama serve`), or set endpoint.address to where it is
endpoint-unreachable = { $place } does not answer
endpoint-broken = the answer of the model's server broke off ({ $why })
endpoint-late = the model's server gave no answer within { $seconds } s
endpoint-address = endpoint.address in the configuration is not an address ({ $why })
endpoint-no-host = endpoint.address in the configuration names no host
endpoint-key-file = the key of endpoint.key_file cannot be read: { $why }
endpoint-no-key = { $path }, named by endpoint.key_file, contains no key: one line without blanks is expected
ask-answered = the model's server answers { $answer }
ask-no-action = the model's answer is not an action ({ $why }): { $text }
demo-not-started = `guarda serve` shows more, and `guarda doctor` how to fix it

## What to do instead, by the rule
instead-decode-and-run = decode to a file, read it, then run it
instead-banned = ask the person to run it, or to write bans = "ask" under [bash] in config.toml
instead-download-and-run = download to a file, read it, then run it
instead-search-secrets = name the folder that is meant
instead-erase-system = name the one file or folder below it that should go
instead-own-files-gone = name the one file or folder below it that should go
instead-through-process = name the files by their own path
instead-kill-all-of-owner = name the program that should end
instead-search-outside = search the project, or name the folder of the system that is meant
instead-client-settings = say what is to be changed; a person changes it
instead-secret-session = begin a new session without secrets for it
instead-exfiltration = begin a new session without secrets for it

## The record: guarda audit
audit-head-time = TIME ({ $zone })
audit-head-id = REQUEST
audit-head-end = END
audit-head-by = DECIDED BY
audit-head-what = WHAT
audit-end-opened = file begun
audit-end-at-start = ended at the start
audit-end-mended = record mended
audit-end-advice = advice: { $verdict }
audit-end-kept-by-itself = stopped running
audit-end-kept-stopped = stopped
audit-end-kept-idle = stopped: its session was idle
audit-end-cleared = marks cleared
audit-end-granted = allowed for good
audit-end-granted-for-now = granted
audit-end-trusted-for-session = trusted in its session
audit-end-trusted = trusted from now on
audit-end-withdrawn = no longer allowed
audit-end-reloaded = rules changed
audit-end-guessed = wrong code
audit-end-marked = marked: { $marks }
audit-end-host-asked = host asked
audit-end-host-allowed = host allowed
audit-end-host-refused = host refused
audit-end-exit = exit status { $code }
audit-fate-done_unasked = done, not asked
audit-fate-done_approved = done after a yes
audit-fate-denied = denied
audit-fate-expired = no answer
audit-fate-withdrawn = withdrawn
audit-fate-denied_unasked = denied, not asked
audit-fate-blocked = blocked
audit-fate-failed = failed
audit-fate-not_held_back = not held back
audit-fate-left_to_client = left to the client
audit-fate-judged = judged only
audit-fate-waiting = waiting
audit-fate-begun = begun
audit-part = part { $part }
audit-cut = { $count } bytes of an unfinished line were cut off
audit-gap = it could not be written since { $since }: { $why }
blame-none = The record knows no change to { $path }. What you change in programs of your own is not recorded.
blame-since = Changed since then, at { $time }, by something that the guard did not see.
blame-more = { $count ->
    [one] One earlier change; --all shows it.
   *[other] { $count } earlier changes; --all shows them.
}
blame-named = named by a command whose changes were not held back
blame-record = More: guarda history { $id }
blame-undo = Back: guarda undo { $id }
audit-row-what = What
audit-row-instead = Instead
audit-row-decided = Decided by
audit-row-reason = Reason
audit-row-verdict = The rules say
audit-row-why = Why
audit-row-exit = Exit status
audit-row-time = Took
audit-row-output = Output
audit-row-ended = Detail
audit-row-hosts = Hosts
audit-row-changed = Changed
audit-place = line { $line } of { $session }
audit-unknown = there is no request { $given } in { $path }; `guarda history` names the last ones
audit-none = { $path }: there is no record yet; name another folder with --folder, or start a guard with `guarda serve`
audit-sum = { $requests ->
    [one] { $requests } request
   *[other] { $requests } requests
} in { $sessions ->
    [one] { $sessions } session
   *[other] { $sessions } sessions
}
audit-sum-from = { $sum }, from { $first } to { $last }
audit-fates = what became of them
audit-actions = actions
audit-answers = answers
audit-rules = rules
audit-redactions = secrets hidden
audit-note = note
audit-sound = sound
audit-unsound = { $count ->
    [one] not sound: { $count } finding
   *[other] not sound: { $count } findings
}
audit-lines = { $lines ->
    [one] { $lines } line
   *[other] { $lines } lines
} in { $files ->
    [one] { $files } file
   *[other] { $files } files
}
audit-signed = signed on { $time }
audit-unsigned = { $count ->
    [one] { $count } line since then, protected by its chain alone
   *[other] { $count } lines since then, protected by their chain alone
  }
audit-open = { $count ->
    [one] { $count } action without an outcome yet
   *[other] { $count } actions without an outcome yet
  }
audit-key = { $path } contains no public key: 64 hexadecimal digits are expected
audit-change = { $change ->
    [created] created
    [changed] changed
    [replaced] replaced
    [deleted] deleted
    [renamed] renamed
   *[attributes] attributes changed
} { $path }
audit-from = { $what }, from { $from }

## Remembered commands: guarda registry
registry-off = note: the registry is off (registry.enabled), so the service ignores it
registry-nothing = there is no registry yet at { $place }: nothing has run. `guarda registry init` creates it
registry-trouble = the registry { $place }: { $why }
registry-damaged-next = { $why }; start the service, which sets the file aside and keeps what is forbidden, or: guarda registry init --force
registry-aside = the damaged file is now { $path }
registry-over = started over: { $place } ({ $commands } commands forgotten)
registry-exists = the registry exists: { $place } ({ $commands } commands); --force starts over
registry-ready = ready: { $place }
registry-empty = no such command
registry-first = the first { $count }; --most 0 shows all
registry-no-candidates = no command has the record for a promotion
registry-still-asked = { $hash }  is still asked about: { $why }
registry-unknown = the registry does not know { $given } here; `guarda registry list` shows what it knows, and --cwd names the folder
registry-several = { $given } matches several commands: give more digits of the hash
registry-differs = its program, the profile or a hidden secret differs now; today the rules say:
registry-gone = it cannot be looked at any more (its folder is gone?)
registry-not-allowed = this cannot be allowed once and for all: { $why }
registry-changed = this is not that command any more: its program or the profile was changed since, or a secret in it is hidden. Name it by its text and --cwd
registry-in = in { $folder }, with the programs as they are now
registry-where = where it runs, with the programs as they are now
registry-anywhere = wherever it runs
registry-reset = removed: the override and everything learned about the command; it starts over
registry-no-command = this is not a command line
registry-head-policy = POLICY
registry-head-runs = RUNS
registry-head-well = WELL
registry-head-risk = RISK
registry-head-last = LAST
registry-head-command = COMMAND
registry-never-ran = not yet
registry-command = command
registry-folder = folder
registry-profile = profile
registry-hash = hash
registry-programs = programs
registry-policy = policy
registry-unchanged = nothing changed it yet
registry-said = said
registry-by = { $word } by { $who }
registry-person = a person
registry-runs = runs
registry-runs-told = { $all } ({ $well } well, { $ill } not: { $late } by time-out, { $killed } by a signal)
registry-earned = earned
registry-earned-told = { $well } of { $all } count towards a promotion
registry-held-back = held back
registry-duration = duration
registry-duration-told = { $mean } ms on average, { $least } to { $most }
registry-first-last = first, last
registry-ends = ends
registry-duplicates = duplicates
registry-duplicates-told = requested again within { $within } ms
registry-duplicates-off = not detected: it is monitoring
registry-risk = risk
registry-because = {"  "}because
registry-policy-auto-approve = allowed by its record
registry-policy-ask = by the rules
registry-policy-ask-warning = asked with a warning
registry-policy-always-allow = always allowed
registry-policy-always-ask = always asked
registry-policy-never = never
registry-policy-unsealed = asked: not in the record
registry-sum-commands = commands
registry-sum-runs = runs
registry-sum-well = {"  "}ended well
registry-sum-risky = high risk

## The marks of sessions: guarda session
session-none = no session has been seen since the start
session-unmarked = no marks
session-corruption = outside text
session-secret = secrets
session-no = no
session-since = since { $time }
session-seen = last seen
session-hosts = read from
session-stopped = { $count ->
    [0] Nothing was running.
    [one] { $count } line is stopped.
   *[other] { $count } lines are stopped.
}
session-running = { $count ->
    [0] running: { $line } (since { $time }, id { $id })
   *[other] running: { $line }, on { $ports } (since { $time }, id { $id })
}
session-cleared = { $count ->
    [one] the marks of one session were cleared
   *[other] the marks of { $count } sessions were cleared
}
session-unmarked-all = there were no marks
session-name = { $given } is not a session name: 1 to 64 letters, digits, '-', '_' or '.', not beginning with '.'

## The trusted keyboard: guarda keys
keys-none = no keyboard was found
keys-counts = counts
keys-refused = refused
keys-listening = { $count ->
    [one] { $count } keyboard is read: { $yes } for yes, { $no } for no
   *[other] { $count } keyboards are read: { $yes } for yes, { $no } for no
}
keys-busy = waiting: { $why }
keys-nobody = nobody answered
keys-layout = { $given } is not a layout: qwerty, qwertz, azerty or dvorak
keys-root = enrolling needs root: sudo guarda keys enroll …
keys-written = written to { $path }; it applies from the next question on

## The hook of an agent: guarda hook
hook-already = nothing to do: { $path } asks the guard already
hook-installed = installed: { $path }
hook-trust = Codex skips a hook until you trust it: start codex, open /hooks, and trust this one.
hook-restart = Restart { $client }, then check the hook: guarda hook doctor { $client }
hook-removed = removed from { $path }
hook-not-in = not in { $path }
hook-good = good
hook-bad = bad
hook-settings = settings
hook-program = program
hook-service = service
hook-rules = rules
hook-judged = Its commands are judged by the profile { $profile } (hooks.profile); a question waits for up to { $minutes } min.
hook-rules-are = hooks are judged by the profile { $profile }
hook-rules-not = the service judges hooks by the profile { $profile }, the configuration names { $meant }: restart the service
hook-a-no = a no
hook-no-guard = no guard
hook-unseen = Codex skips a hook until you trust it (/hooks); this cannot be checked from here.
hook-protected = protected: { $client } asks before its tools
hook-unprotected = not protected
hook-unfit = nothing was changed
hook-kit = { $client } has no settings for hooks: docs/agents.md has the lines for your program
hook-no-home = there is no home folder
hook-not-there = { $path } does not exist: run guarda hook install { $client }
hook-switched-off = { $path }: disableAllHooks is true
hook-lacks = { $path } has no hook, or an outdated one: run guarda hook install { $client }
hook-path = the path of this program is not UTF-8
setup-no-name = the current user has no name in the user database
hook-answers = answers
hook-denied = { $command } is denied
hook-denied-failing = denied, since the hook failed: { $why }
hook-not-denied = { $command } is not denied: { $why }
hook-alone = a guard that cannot be reached denies
hook-not-alone = with no guard running, the hook does not deny: { $why }

## Other messages of the command line
config-there = { $path }
config-not-there = { $path }  (does not exist: the defaults apply)
config-nowhere = none: there is no home folder
config-paths =
    configuration  { $config }
    state folder   { $state }
config-note = note
config-good = good
rules-unknown = there is no rule { $given } in this profile; `guarda rules list` names all of them
rules-locked = locked
rules-broken = broken
rules-tested = { $rules } rules, { $examples } examples, { $broken } broken
corpus-line = { $path }, line { $line }: not JSON with "cmd" and "label"
advise-nothing = there is no command to assess
advise-clear = clear
advise-flagged = flagged
advise-unclear = unclear
advise-progress = { $done } of { $all } lines
advise-miss = miss
advise-false-alarm = false alarm
advise-no-model = no model is named: set advice.model in the configuration to a name from `ollama list`
unusable-paused = it is left alone for { $seconds } s more, because of this: { $why }
unusable-too-long = it could only be shown the first { $given } characters
unusable-secrets = the secrets in the command could not be hidden from it
unusable-no-random = the system gave no random number ({ $given })
unusable-late = it did not answer within { $given } s
unusable-no-model = there is no model { $model } at { $place }: `ollama list` shows those that there are
unusable-status = its server answers with status { $given }
unusable-not-the-api = its answer does not have the form of the API
unusable-choices = it gave { $given } answers, and one is expected
unusable-cut-off = its answer was cut off
unusable-unfinished = its answer did not come to an end ({ $given })
unusable-no-text = its answer has no text
unusable-no-object = its answer is not the JSON object that was asked for
unusable-no-score = its answer is not a score
token-added =
    added: { $name }
    Mount { $path } into the container as /run/guarda, read-only:
    {"  "}podman run -v { $path }:/run/guarda:ro -e GUARDA_STATE_DIR=/run/guarda …
    In it, `guarda act`, `guarda mcp` and the hooks ask through that socket; so does
    {"  "}curl --unix-socket /run/guarda/guarda.sock -H "Authorization: Bearer $(cat /run/guarda/token)" …
token-none = no container has a token; guarda token add NAME creates one
token-unknown = there is no container named { $name }; `guarda token list` shows all of them
token-removed = removed: { $name }; its token is no longer valid
plugin-trouble = until this is fixed, you are asked about every action
plugin-ready = ready
plugin-ignored = ignored
plugin-failed = failed
plugin-pass = pass
plugin-ask = ask
plugin-deny = deny
plugin-none = there is no plugin; docs/plugins.md shows how to write one
plugin-unknown = there is no plugin { $given } in { $path }
plugin-nothing = there is no plugin in { $path }
speak-unheard = nothing was heard: { $why }
speak-broken-off = it was broken off
redact-long = the text is longer than { $limit } bytes: nothing was written; split the text
service-missing = the service is a separate program that must be in the same folder as guarda: build or install both
hook-no-client = { $given } is no client; guarda hook --help names them
serve-root = guarda does not run as root: start it as your own user, or set GUARDA_ALLOW_ROOT=1 to allow it
serve-as-root = warning: running as root. What you approve is done with every permission
serve-no-socket = LISTEN_FDS passes in a Unix socket, but server.socket is false: set it to true, or remove the socket from guarda.socket
serve-socket-unknown = socket { $number } of LISTEN_FDS is neither a TCP address nor a Unix socket: see ListenStream= in guarda.socket
serve-socket-twice = LISTEN_FDS hands over two sockets of one kind: the guard has one TCP address and one Unix socket; see ListenStream= in guarda.socket
serve-socket-system = a socket of LISTEN_FDS cannot be used ({ $why })
serve-telemetry-address = telemetry.endpoint { $endpoint } cannot be used ({ $why })
serve-telemetry-not-built = telemetry.endpoint names a collector, and this guarda was built without OTLP: build it with `cargo build --features otlp`, or take the key out
serve-no-cell = commands cannot be confined here, so you are asked about every command: { $why }
serve-record = { $why }; look at it with `guarda audit verify`
registry-unsealed = { $count ->
    [one] The registry allows one command for good, but the record does not say who gave that: it is asked about again. See it with `guarda registry list --said`
   *[other] The registry allows { $count } commands for good, but the record does not say who gave that: they are asked about again. See them with `guarda registry list --said`
}
unattended-sum = Without a person: { $done } done, { $refused } refused because nobody could say yes, { $blocked } forbidden, { $failed } failed.
unattended-row = { $count ->
    [1] { "  " }{ $what }
   *[other] { "  " }{ $what } ({ $count } times)
}: { $why }
unattended-more = { "  " }and { $count ->
    [one] one other line
   *[other] { $count } other lines
}
unattended-next = `guarda history` tells each of them. Permit beforehand what should pass: `guarda trust add FOLDER`, `guarda network allow HOST`, `guarda registry allow COMMAND`.
serve-twice = second signal: cancelling running actions
reload-done = the configuration was read again and is in force
reload-partly = the rules were read again and are in force; { $later } from the next start on
reload-kept = the old configuration stays in force: { $why }
network-no-host = { $given } is not a valid host: { $why }
network-no-service = the service's lock file contains no process id
network-no-table = `network` is not a table
network-no-list = `network` holds no list there
recovery-no-stages = nothing can be held back or undone: { $why }
recovery-unrecorded = this could not be recorded: { $why }
recovery-committed = the commit of { $id } was interrupted, and is complete now
recovery-taken-back = the commit of { $id } was interrupted, and has been rolled back: { $why }
recovery-undone = the undo { $id } was interrupted, and is complete now
recovery-undo-taken-back = the undo of { $id } was interrupted, and has been rolled back: { $why }
recovery-unfinished = the changes of { $id } were interrupted, and not all of them could be put back: { $why }. The old versions are held: guarda undo --beside FOLDER { $id }
rules-allows = allowed in this form
audit-by-policy = the rules
audit-by-grant = granted beforehand
audit-by-person = you
audit-by-nobody = nobody
audit-way-keys = keys
audit-way-keyboard = trusted keyboard
audit-way-terminal = terminal
audit-way-notification = notification
audit-way-console = console
audit-way-http = HTTP
audit-way-socket = command line
audit-way-spoken = voice
audit-way-mcp = client
audit-way-remote = elsewhere
audit-error-timeout = took too long
audit-error-cancelled = cancelled
audit-error-signalled = ended by a signal
audit-error-not_found = not found
audit-error-no_player = no player
audit-error-unavailable = not possible here
audit-error-failed = failed
audit-error-unknown = outcome unknown
audit-error-not_begun = never begun
audit-error-changed_since_approval = changed meanwhile
audit-error-redaction_failure = output withheld
audit-error-password_not_possible = no way to ask for the password
audit-answer-approve = yes
audit-answer-approve_all_hosts = yes, to all hosts
audit-answer-deny = no
audit-answer-modify = changed
audit-answer-timeout = no answer
audit-answer-wrong_codes = wrong codes
audit-answer-restart = guard restarted
audit-answer-unasked = not asked
audit-answer-withdrawn = withdrawn
audit-answer-mismatch = changed meanwhile

## What is wrong with a command line
usage-unknown-command = There is no command { $given }.
usage-unknown-option = There is no option { $given } here.
usage-unexpected = { $given } is one word too many.
usage-value = { $given } is not a value for { $option }.
usage-value-why = { $given } is not a value for { $option }: { $why }
usage-no-value = { $option } needs a value.
usage-values = Possible: { $values }
usage-missing = Missing: { $given }
usage-missing-command = A command is missing.
usage-conflict = { $option } and { $given } exclude each other.
usage-once = { $option } may be given only once.
usage-many = { $option } takes no more values.
usage-text = The command line is not UTF-8.
usage-similar = Did you mean { $given }?
usage-help = More: { $command }
usage-form-minutes = minutes, from 1 to 1440, or off
usage-form-when = write 30m, 2h, 3d, 1w, 2026-11-21 or 2026-11-21T18:00:00Z
usage-form-client = one of: claude, codex, gemini, copilot, cursor, opencode, openai-agents
usage-form-number = a whole number
usage-form-rate = a number from -100 to 100
usage-form-volume = a number from -100 to 100
usage-form-seconds = seconds, from 1 to 600
bad-host-empty = the name or a part of it is empty
bad-host-long = the name is too long
bad-host-character = it has a character that no host name has
bad-host-invalid = it is not a valid host name
bad-host-port = a port is a number from 1 to 65535
token-no-name = "{ $name }" is not a container name: 1 to 32 letters, digits, - or _
tag-advice = second opinion
tag-banned = forbidden by name
tag-caller = what the caller says
tag-catastrophic = irreparable loss
tag-container = containers
tag-desktop = desktop
tag-destructive = deletion
tag-disk = disks
tag-evasion = disguise
tag-exec = execution of unknown text
tag-exfiltration = data leaving this computer
tag-files = files
tag-git = git history
tag-guard = the guard itself
tag-keys = pressed keys
tag-network = network
tag-open = opening of a file or program
tag-outside = outside the allowed folders
tag-packages = packages
tag-persistence = keeps running or starts later
tag-plugin = plugin
tag-power = switching off
tag-privilege = administrator rights
tag-process = other processes
tag-protected = protected folder
tag-radio = wireless
tag-registry = earlier runs
tag-remote = a service elsewhere
tag-rights = file permissions
tag-screen = screen content
tag-secrets = secrets
tag-self-approval = self-approval
tag-suspend = sleep
tag-system = system settings
tag-taint = marked session
tag-tool = an agent's tool
tag-unknown = unknown
tag-url = address
tag-writes = file writing
rules-about = about
