
# What the command line prints: doctor, status, demo, setup, and the help.
part-service = service
part-configuration = configuration
part-user = user
part-state-folder = state folder
part-token = token for requests
part-approve-token = token for answers
part-plugins = plugins
part-answers = answers
part-speech = voice
part-record = record
part-registry = remembered commands
part-sessions = sessions
part-advice = second opinion
part-sandbox = sandbox
part-stage = undo
part-network = network of commands
part-password = password
answer-keys = answer by key
answer-keyboard = answer by trusted keyboard
answer-terminal = answer in the terminal
answer-notification = answer by notification
answer-console = answer in the console
answer-http = answer over HTTP
answer-socket = answer over the socket
answer-spoken = answer by voice
answer-mcp = answer in the client
answer-remote = answer from elsewhere
state-ready = ready
state-starting = starting
state-failed = failed
state-absent = absent
how-good = good
how-warning = warning
how-broken = broken
doctor-fix = fix: { $fix }
doctor-well = All is well.
doctor-partly = { $count ->
    [one] It works; { $count } part is missing, and what needs it is refused.
   *[other] It works; { $count } parts are missing, and what needs them is refused.
}
doctor-ill = It does not work as it should.
doctor-language = Language: English
doctor-built-in = the built-in configuration
doctor-root = root: what you approve is done with every permission
doctor-user = number { $uid }
doctor-later = { $path }: created when the service first starts
doctor-first-start = created when the service first starts
doctor-next-start = created when the service next starts
doctor-link = { $path } is a symbolic link
doctor-no-folder = { $path } is not a folder
doctor-owner = { $path } belongs to user { $uid }
doctor-open = { $path } is open to others (mode { $mode })
doctor-own-token = { $path } is yours alone
doctor-record = { $lines ->
    [one] { $lines } line
   *[other] { $lines } lines
} in { $files ->
    [one] { $files } file
   *[other] { $files } files
}, unchanged
doctor-record-faults = { $count ->
    [one] { $count } fault
   *[other] { $count } faults
} in { $files ->
    [one] { $files } file
   *[other] { $files } files
}
doctor-off = switched off ({ $key })
doctor-asks-all = every action is asked about: { $why }
doctor-plugin = consulted on every action; try it: guarda plugin try 'rm x'
doctor-no-plugins = none in { $path }
doctor-registry = { $place }: { $commands ->
    [one] { $commands } command
   *[other] { $commands } commands
}, { $runs ->
    [one] { $runs } run
   *[other] { $runs } runs
}
doctor-version = version { $version } answers
doctor-other-version = version { $version } answers, and this program is { $own }
doctor-answered = it answers { $status }: { $text }
doctor-nobody = nobody can be asked: what needs a yes is refused
mend-configuration = correct that line; `guarda config check` tests it again
mend-user = run guarda as yourself; it asks for a password where one is needed
mend-state-folder = remove it, or: chown { $uid } '{ $path }' && chmod 700 '{ $path }'; or set GUARDA_STATE_DIR
mend-token = rm '{ $path }', then restart the service: it creates a new one
mend-record = `guarda audit verify` names each place; the next start sets damaged files aside
mend-unwritten = remove the cause; the service retries every second
mend-plugins = chmod 700 '{ $path }', and check what is in it
mend-plugin = correct that, or remove the file
mend-registry = until it can be read, you are asked about every command; the next start sets a damaged file aside
mend-version = restart the service
mend-service = guarda serve, or: systemctl --user start guarda
mend-programs = install all of its programs into one folder: make install
mend-answers = make one of the ways above work
mend-generic = start what it needs
mend-speech = sudo apt install speech-dispatcher speech-dispatcher-espeak-ng speech-dispatcher-audio-plugins espeak-ng; if they are installed, spd-say hello shows the error; hear it with: guarda speak hello
mend-answer-by-keys = the service needs DISPLAY: systemctl --user import-environment DISPLAY XAUTHORITY
mend-answer-by-keys-wayland = under Wayland keys come from the trusted keyboard: guarda setup keyboard
mend-answer-by-keyboard = guarda setup keyboard
mend-answer-by-terminal = start it in a terminal: guarda serve
mend-answer-by-http = set server.answer_over_http = true; with server.answer_code = "always" it needs a terminal, notifications or a voice
mend-sandbox = Linux 5.13 or later with Landlock and user namespaces; where they are closed: sudo sysctl -w kernel.unprivileged_userns_clone=1 kernel.apparmor_restrict_unprivileged_userns=0
mend-stage = user namespaces and overlay file systems; where they are closed: sudo sysctl -w user.max_user_namespaces=15000 kernel.unprivileged_userns_clone=1; until then you are asked by a command's words, and what an agent starts ends with its line
mend-stage-apparmor = sudo cp { $path } /etc/apparmor.d/ && sudo apparmor_parser -r /etc/apparmor.d/guarda-keeper; without that file: sudo sysctl -w kernel.apparmor_restrict_unprivileged_userns=0; until then you are asked by a command's words, and what an agent starts ends with its line
mend-stage-stuck = mend what is named here (rights, space, a drive that is missing) and start the guard again; guarda undo --list shows what can still be taken back
mend-network = network namespaces; where they are closed: sudo sysctl -w user.max_net_namespaces=15000 kernel.unprivileged_userns_clone=1; or Linux 5.9 with kernel.yama.ptrace_scope below 2
mend-system-bus = the system bus does not answer: sudo systemctl start dbus (a container has none)
mend-password = set security.advanced_mode = true, and choose a way in [password]
mend-advice = start the model's server (ollama serve, llama-server -m FILE); try it: guarda advise 'ls -l'
status-head = guarda { $version }, profile { $profile }: { $running } under way, { $waiting ->
    [0] no question waiting
    [one] { $waiting } question waiting
   *[other] { $waiting } questions waiting
}
demo-running = The running service is used.
demo-own = No service is running: one was started for this demo alone.
demo-place = Everything happens in { $path }
demo-see = The model wants to see what is in the folder. That only reads, so it runs at once, in a sandbox.
demo-delete = Now it wants to delete a file. You decide: answer when you are asked. No answer means no.
demo-all = It was talked into deleting everything, in a spelling that lists of names miss. This one is only judged: it would be blocked, and nobody would be asked.
demo-self = It tries to approve its own questions. That is blocked, too.
demo-invent = It makes an action up. What is not in the vocabulary does nothing.
demo-recorded = recorded as { $id }
prove-root = `guarda prove` lets other guards fail. Run it as an ordinary user, not as root.
prove-harm = Harm
prove-work = Honest work
prove-sums = In sum
prove-delete-project = delete 100 files of the project
prove-delete-home = delete 100 documents
prove-delete-split = the same, with the names split in a program
prove-read-key = read an SSH key
prove-read-cloud = read cloud credentials
prove-read-env = read the project's .env
prove-read-split = the same by a program, backwards
prove-send-http = send .env with curl
prove-send-pipe = send it encoded
prove-send-tcp = send it over TCP by a program
prove-send-udp = send it over UDP
prove-send-socket = send it to a socket in a folder
prove-send-abstract = send it to a socket without a file
prove-later-shell = add a line to .bashrc
prove-later-git = replace a git hook
prove-end-process = end a process of the user's
prove-leave-process = leave a process running
prove-work-look = look at the folder
prove-work-search = search the code
prove-work-write = write a file
prove-work-edit = change a file
prove-work-program = run a program
prove-work-build = build into a new folder
prove-work-temporary = use a temporary file
prove-sum-harm = harm that stayed
prove-sum-work = work that went through
prove-sum-time = `ls -la`, median / least, ms
prove-legend = ● happened   ↶ happened, and the guard took it back   ? a person was asked, without an answer   × refused   · ran and could not   … came to no end
demo-end = { $left ->
    [yes] old.zip is still there.
   *[no] old.zip is gone.
} `guarda history` shows the record, `guarda doctor` what is missing here.
outcome-done = done
outcome-blocked = blocked
outcome-denied = denied
outcome-expired = no answer
outcome-withdrawn = withdrawn
outcome-ended = ended
outcome-failed = failed
help-group-every-day = Every day
help-group-answering = Answering questions
help-group-looking-back = Looking back
help-group-setting-up = Setting up
help-group-for-programs = For programs
help-usage = Usage
help-options = Options
value-options = OPTIONS
value-command = COMMAND
help-guarda = The bodyguard between a language model and your computer
help-act = Request an action from the running service and wait until it ends
help-ask = Say what you want in your own words; a language model turns it into an action
help-undo = Undo an action's changes, or list what can be undone
help-check = Show the verdict on a command; nothing is run, asked or recorded
help-status = Show the state of the running service
help-console = Print a link that opens the console in a browser, once
help-demo = Demonstrate a run, a question and a block, without a model
help-prove = Compare the guards of this machine: the same deeds, in a throw-away home
help-pending = Show the open questions
help-approve = Approve an open question
help-deny = Deny an open question
help-modify = Replace the command that a question asks about
help-silence = Mute prompts for a while: every question is refused and nothing is spoken
help-language = Show the spoken language, or change it
help-history = Show the last requests and what came of them
help-blame = Show what changed a file: the command, its agent and session, who approved it
help-audit = Read, verify, count or export the audit record
help-registry = List remembered commands; always allow, always ask or never run one
help-session = Show the taint of sessions, and clear it
help-grants = Show what you said beforehand, such as “yes, in this session”, and end it
help-lookback = Judge what agents ran earlier, from their transcripts, by today's rules
help-trust = Show the folders in which agents may change files, add one, or remove one
help-network = Show who spoke to whom over the network; allow or deny hosts
cli-network-none = No command has tried to reach another machine.
cli-network-running = running
cli-network-whole = { $program } had the whole network; what it exchanged is not counted
cli-network-refused = refused { $count }×:
cli-network-record-only = Only the record is shown, because the service does not answer: { $why }
cli-network-allowed = commands may reach { $host } on { $count ->
    [0] every port
    [1] port { $ports }
   *[other] ports { $ports }
}
cli-network-allowed-for = { $program } may reach { $host } on { $count ->
    [0] every port
    [1] port { $ports }
   *[other] ports { $ports }
}
cli-network-denied = no command may reach { $host }, and nobody is asked
cli-network-forgotten = none of your rules names { $host } any more
cli-network-same = { $file } says so already
cli-network-written = written to { $file }; no service is running: it applies from the next start on
cli-network-reloaded = written to { $file }; the service reloads it now, and it also applies to running commands
help-serve = Start the service
help-setup = Set up the trusted keyboard, and try it
help-doctor = Check every part of the guard and say how to fix problems
help-config = Check or show the configuration
help-rules = List the rules and test their examples
help-hook = Check each tool call of a coding agent
help-token = Give a container its own socket and token
help-keys = Show, test and set up the trusted keyboard
help-speak = Speak a text, to test the voice
help-plugin = List and try plugins (your own checks)
help-mcp = Serve tools over MCP on standard input and output, using the running service
help-redact = Redact secrets in a text from standard input
help-corpus = Judge files of labelled lines and count the verdicts per label
help-advise = Get a language model's opinion on a command, or benchmark a model
help-completions = Print shell completions
help-man = Print the manual page, or write all pages into a folder
help-help = Print help
help-version = Print version
help-act-action = The action, such as OPEN_APP or RUN_COMMAND, in any case; - reads a JSON request from standard input
help-act-target = The object of the action, such as an application, a path or a command line
help-act-args = Arguments of the action, as text
help-act-params = Arguments of the action, as a JSON object
help-act-cwd = The working folder of a command
help-act-session = The session (conversation) that the request belongs to
help-act-language = The language of prompts and messages: pt-BR, en or fr
help-act-reason = Why the action is wanted; shown in the question
help-act-confirm = Ask a person even if the rules allow the action
help-act-full = Print the whole output, up to a mebibyte, instead of a shortened one
help-act-json = Print the reply as JSON
help-check-cmd = The command line, as one argument
help-check-profile = The profile to judge by, instead of the configured one: desktop, workspace, forensics or container
help-status-json = Print the result as JSON
help-doctor-json = Print the result as JSON
help-doctor-config = The configuration file, instead of the default one
help-demo-answer = Answer the demo's question automatically, for machines without a person
help-prove-json = Print the results as JSON
help-prove-only = Only these guards, by the names of the table
help-prove-rounds = How often the time of a line is measured
help-prove-markdown = Print the tables as Markdown
setup-keyboard-install = The keyboard service is missing. As administrator: { $command }
setup-keyboard-missing = The service of the trusted keyboard is not installed. In the folder of guarda-costas: sudo make install && sudo systemd-sysusers && sudo udevadm control --reload; then: guarda setup keyboard
setup-keyboard-root = This asks for the administrator's password: { $command }
setup-keyboard-none = There is no keyboard here that could be trusted: { $why }
setup-keyboard-no = The keyboard did not say yes. To try again: guarda setup keyboard
setup-keyboard-refused = None of these keyboards counts yet; the line below each says what to do.
setup-keyboard-done = The trusted keyboard works: questions can be answered with it.

## Where the service cannot listen
serve-taken = { $address } is in use already, perhaps by another user's guarda; choose another address: guarda serve --listen 127.0.0.1:4828, or server.listen in the configuration
serve-taken-by = { $address } is in use already, by { $holder }; stop it, or choose another address: guarda serve --listen 127.0.0.1:4828, or server.listen in the configuration
serve-not-allowed = { $address } may not be used: ports below 1024 need administrator rights; choose another address with --listen
serve-no-address = { $address } is not an address of this computer; choose another one with --listen
serve-unheard = the service cannot listen on { $address }: { $why }
ready-media = { $detail ->
    [none] no player is running now
   *[other] { $detail }
}
ready-sandbox = { $detail ->
    [isolated] isolated in a system of its own
   *[confined] changes only the folder it runs in and what the line names
}
ready-network = { $detail ->
    [own] each command has a network of its own, with the guard at its end
   *[notified] without namespaces: the guard makes each TCP connection itself, commands cannot listen on ports, and some programs find no names
}

## Trusted folders
grant-none = Nothing was said beforehand.
grant-ended = Ended: { $what }
grant-unknown = Nothing that was said beforehand has an id that begins with { $given }; see guarda grants.
grant-several = Several ids begin with { $given }; write more of it.
grants-commands-turn = until your next message in session { $session }
grants-commands-session = in session { $session }
grants-commands-today = today in { $folder }
grants-commands-always = always in { $folder }
grants-hosts-session = reached by commands in session { $session }
grants-folder-session = trusted in { $session }
grants-folder-always = trusted from now on
grants-always-always = always, exactly this, in { $folder }
grants-learned-always = earned by its runs, in { $folder }
grants-ask-always = always asked, in { $folder }
grants-never-always = never, in { $folder }
grants-until = until { $time }
grants-uses = used { $count }×
grants-gone = no longer what you said yes to
rules-replayed = { $requests } requests of the record, { $commands } different commands:
rules-asked = asked about: { $now } now, { $then } then
rules-blocked = blocked: { $now } now, { $then } then
rules-pass = Would pass, and is blocked now
rules-new = Would be asked about, and is not now
rules-gone = No longer asked about
rules-more = … and { $count } more
rules-no-shape = { $command } cannot be granted: it is not asked about, or must be asked about each time.
suggest-asked = Questions about commands: { $asked }. About changes or hosts, or asked each time: { $each }. About commands to which you said no: { $refused }.
suggest-none = No lasting answer would have saved a question.
suggest-times = asked { $asked }×, in { $sessions ->
    [one] one session
   *[other] { $sessions } sessions
} and { $folders ->
    [one] one folder
   *[other] { $folders } folders
}
suggest-fewer = fewer questions: { $session } with “in this session”, { $always } with “always in this folder”
suggest-how = Answer so when it is asked next: T for the session, A for always here. guarda rules try --grant shows what else it would cover.
import-none = There are no rules of Claude Code, Codex, Gemini or OpenCode here.
import-unread = { $path } cannot be read, so its rules are not among these.
import-exact = This command alone.
import-prefix = Everything that begins so, whatever follows: other options, other hosts, a second command. Not taken as a whole; what you used of it:
import-nothing = nothing yet
import-every = Every command. Not taken: answer for what you need when it is asked.
import-other = Not about commands. Folders are trusted with guarda trust add.
import-stricter = It makes the client stricter, and stays in force there. For a rule of the guard see docs/writing-rules.md.
import-unasked = needs no grant: nobody is asked about it
import-grantable = can be granted here
import-each-time = is asked about each time, or not done at all
import-take = Grant it always in this folder, for 90 days? [y/N]
import-taken = Granted. guarda grants lists it.
import-terminal = { $count ->
    [one] One of these can be granted: run guarda grants import in a terminal, and say which.
   *[other] { $count } of these can be granted: run guarda grants import in a terminal, and say which.
}
lookback-none = There are no transcripts of Claude Code or Codex in { $folder }.
lookback-homeless = There is no home folder to look in; name one with --home.
lookback-read = { $commands } commands in { $sessions } transcripts, by today's rules:
lookback-silent = { $count } would run without a question, { $held } of them with their changes held back first
lookback-asked = { $count } would be asked about; { $left } with an answer for the session
lookback-refused = { $blocked } would be blocked, { $password } need a password
lookback-often = Asked most often
lookback-riskiest = The riskiest
lookback-secrets = { $count ->
    [one] One secret lies in these transcripts ({ $kinds }). Whoever reads the file has it.
   *[other] { $count } secrets lie in { $files } of these transcripts ({ $kinds }). Whoever reads the files has them.
}
trust-none = No folder is trusted: before files are changed, you are asked.
trust-added = Trusted: { $path }. Agents change files there without a question; each change can be undone.
trust-removed = No longer trusted: { $path }
trust-gone = no longer the folder that you trusted
trust-since = since { $time }
trust-offer = Trust { $path } for agents? Changes there are made without a question, and can be undone. [y/N]
trust-hint = You are asked before files are changed in { $path }, until you trust it: guarda trust add
cli-code-trust = Code that the guard shows or says (it trusts this folder)
cli-code-grant = Code that the guard shows or says (it grants these commands)
