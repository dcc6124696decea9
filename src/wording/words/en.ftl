# English. The same messages, with the same arguments, are in pt-BR.ftl and fr.ftl.

## The question, spoken
ask = { $effect }?
ask-again = { $effect } again? It ran { $ago }.
ask-late = Nobody answered in time. A yes now counts for the next time. { $ask }
undo-yes = It can be undone.
undo-yes-named = What it names can be undone.
undo-for = { $count ->
    [one] It can be undone for { $count } day.
   *[other] It can be undone for { $count } days.
}
undo-named = { $count ->
    [one] What its words name can be undone for { $count } day; it may change more.
   *[other] What its words name can be undone for { $count } days; it may change more.
}
undo-never = It cannot be undone.
undo-no-room = It cannot be undone: { $size } are too much to keep.
undo-unknown = I do not know whether it can be undone.
ask-password-after = The password comes after the yes.
ask-trust = or A to trust { $folder }
ask-session = or T for the session
ask-session-site = or T for the whole site
ask-others = { $count ->
    [one] It counts for one more like it.
   *[other] It counts for { $count } more like it.
}
ask-words = Or say: { $words }.
ask-session-hosts = or T for the session, for all of { $hosts }
how-hold = To confirm, hold { $key } for a second; to cancel, hold N.
how-brief = Hold { $key }.
how-keys = To confirm, { $yes }; to cancel, { $no }.
how-keys-brief = For yes, { $yes }.
press-hold = hold { $key } for a second
press-chord = press { $key }
no-by-key = You said no with the keys: { $effect }.
how-terminal = In the terminal of guarda-costas, confirm with { $key } or cancel with N.
how-terminal-brief = { $key } or N in the terminal.
how-notification = Answer with the buttons of the notification.
how-notification-brief = Answer in the notification.
how-notification-too = Or answer with the buttons of the notification.
how-elsewhere = Answer in the console of guarda-costas.
how-elsewhere-brief = Answer in the console.
how-list = First read the list in the terminal to its end.
how-list-brief = Read the list.
how-list-elsewhere = Read the whole list in the console of guarda-costas, or with guarda approve, and answer there.
how-list-elsewhere-brief = Read the list in the console.

## What is said afterwards
assistant = Assistant
assistant-says = The assistant: { $name }
exit-status = The command { $name } ended with an error, code { $code }.
hidden-from-command = Hidden from this command: { $name }. To use it, name it in the command.
exit-signal = The command { $name } was interrupted.
command-missing = I could not find the program { $name }.
command-broken = Bash could not read this command, and nothing of it was run.
command-slow = The command { $name } took too long and was stopped.
stopped = It was stopped before its end.
stopped-command = The command { $name } was stopped before its end.
output-withheld = The command { $name } ran, but its output is withheld: it could not be checked for secrets.
left-nothing = Nothing was changed.
left-part = What it had done until then stays.
left-perhaps = Part of it may have been done.
failed = I could not { $effect }.
failed-because = I could not { $effect }. { $why }
failed-short = It did not work. { $why }
changed-since = I did not { $effect }: { $name } has changed in the meantime. Ask again, and I will look at it again.
changed-short = Not done: { $name } has changed in the meantime. Ask again.
undo-changed = I did not { $effect }: { $name } has changed since then, and would be lost. The old versions can be copied into a folder.
undo-changed-short = Not undone: { $name } has changed since, and would be lost.
not-found = I could not find { $name }.
no-player = No media player is running.
blocked = I did not let it through.
blocked-because = Not allowed: { $reason }.
password = This command needs permission. Type the password.
password-off = This command needs a password, and advanced mode is off.
password-wrong = Wrong password. Nothing was done.
cancelled = The person said no.
cancelled-short = Not done.
time-out = No answer, so nothing was done.
wrong-codes = Three wrong codes came from elsewhere. The question is denied.
code-console = A browser wants to open the console. The code is { $code }.
code-console-denied = Three wrong codes came for the console. It stays closed.
withdrawn = The request was withdrawn. Nothing was done.
no-human = Nobody is asked here, so it was not done.
told-first = A part of what it needs was refused, and nobody was asked yet.
unasked = There is no way to ask anybody. Nothing was done.
mismatch = The answer was not for this request. Nothing was done.
unrecorded = I could not record the request. Nothing was done.
remembered = I won't ask about this command again.
trusted-for-session = I trust this folder until this session ends: changes there need no question, and can be undone.
trusted = I trust this folder from now on: changes there need no question, and can be undone.
granted-turn = I won't ask about this again until your next message.
granted-session = I won't ask about this again in this session.
granted-today = I won't ask about this again today, in this folder.
granted-always = From now on, I won't ask about this in this folder.
not-remembered = I could not store your answer: you will be asked about this command again.
validate = This command needs your confirmation.
duplicate = This command ran { $ago }. Run it again?
registry-lost = I have lost the registry of commands, and ask before every command for now.
rules-changed = The rules of the guard were changed: { $name }. If that was not you, look at the configuration.
registry-damaged = The registry of commands was damaged. I set the file aside and began a new one.
unknown = I did not understand the request.
unknown-heard = I heard: { $name }. That I cannot do.
found-names = { $more ->
    [0] { $first }.
    [one] { $first } and one more.
   *[other] { $first } and { $more } more.
}
found-nothing = There is nothing in it.
shutdown = The bodyguard is shutting down.

ask-prompt = What do you want?

## Why something did not work
failure-no-system-bus = The system service that does this does not answer.
failure-no-session-bus = There is no desktop session here.
failure-no-service = The program that does this is not running.
failure-not-possible = This computer cannot do that.
failure-needs-administrator = This takes an administrator's password.
failure-not-allowed = You are not permitted to do this.
failure-unchanged = Nothing changed.
failure-player-cannot = The player cannot do that now.
failure-player-silent = The player did not react.
failure-no-other-track = Perhaps there is no other track.
failure-still-open = Its window stays open; perhaps there is unsaved work.
failure-not-open = The application is not open.
failure-no-terminal = No terminal is installed.
failure-program-missing = The application's program is not installed.
failure-ended-at-once = The application closed right after it opened.
failure-ended-without-x11 = The application closed at once; perhaps it needs X11.
failure-no-application = No installed application opens this.
failure-exists = Something with that name already exists.
failure-not-folder = That is not a folder.
failure-into-itself = A folder cannot go into itself.
failure-home-folder = Your home folder is not deleted.
failure-unkept = It could not be kept for an undo. To delete it for good, use rm.
failure-no-space = The disk is full.
failure-read-only = This disk can only be read.
failure-nothing-to-undo = Nothing to undo.
failure-set-since = It was set to something else since, and stays as it is now.
failure-no-key = The keyboard has no such key.
failure-declined = The desktop asked, and the answer was no.

## What to do then
next-doctor = Run guarda doctor.
next-desktop = Start the guard in your session.
next-x11 = Log in under X11.
next-plug = Plug one in and ask again.
next-sudo = Do it in a terminal, with sudo.
next-administrator = Ask the computer's administrator.
next-again = Ask again.
next-reopen = Close it and open it again.
next-window = Try it in its own window.
next-save = Save it.
next-install-terminal = Install one, such as xterm.
next-reinstall = Install it again.
next-see-why = Start it in a terminal.
next-xwayland = Install Xwayland.
next-install-application = Install one that does.
next-other-name = Choose another name.
next-name-folder = Name a folder.
next-space = Free some disk space and ask again.
next-elsewhere = Choose another place.
next-undo-list = See guarda undo --list.
next-other-key = Name another key.
next-assistant = Ask the assistant why.
next-menu = Say its name as in the menu.
next-place = Check the name and the folder.
next-install = Install it, or check the name.
next-quotes = Check the quotes.
next-longer = If it needs more time, run it in a terminal.
next-player = Open one and ask again.
next-terminal = Run it in a terminal.
next-other-words = Say it in other words.

## The card
card-title = guarda-costas
card-ask = Do you want to { $effect }?
card-action = Action
card-tool = Tool
card-command = Command
card-folder = Folder
card-session = Session
card-asker = Asked by
card-reasons = Why I ask
card-model = The model's words (not the bodyguard's)
card-instead = Instead
card-keys = { $yes } = yes    { $no } = no
offer-turn-shape = yes, and until my next message: { $what }
offer-session-shape = yes, and in this session: { $what }
offer-today-shape = yes, and today in this folder: { $what }
offer-always-shape = yes, and always in this folder: { $what }
offer-always-command = yes, always this command
offer-session-folder = yes, and trust { $what } in this session
offer-always-folder = yes, and trust { $what }
offer-session-hosts = yes, and in this session
offer-always-all-hosts = yes, and every other host until the command ends
card-anywhere = { $how } This works in any window.
card-password = After yes, the system asks for the password.
card-time = { $seconds ->
    [one] { $seconds } second left
   *[other] { $seconds } seconds left
}
card-waiting = { $count ->
    [one] { $count } more question is waiting
   *[other] { $count } more questions are waiting
}
card-yes = yes
cli-late-yes = yes; it counts for ten minutes: run the command again
card-no = no
card-change = M = change
card-more = space = read on
card-writing = Enter = judge this command    Esc = back
card-changed = changed
card-late = time is up
button-yes = Yes
button-session = Yes, in this session
button-no = No
notification-elsewhere = To say yes, read all of it in the terminal or the console.
card-risk = Risk { $risk }: { $level ->
    [low] low
    [middle] medium
   *[high] high
}
card-tree = What would run
card-others = Answered together with it
card-touches = What it touches
card-changes = What changes
card-sandbox = Sandbox
card-marks = This conversation
card-reason = R = no, with a reason
card-spell = L = hear it letter by letter
card-code = To answer from elsewhere, the code is { $code }.
card-words = To say yes aloud: { $words }
card-code-there = A yes from here takes the code that is shown and spoken where the question is asked.
card-wrong-codes = no: three wrong codes
card-edit = M = change in the editor
card-because = Enter = no, for this reason    Esc = back
card-editing = The command is open in the editor. What you save there is judged and asked about again.
card-editor-failed = The command was not changed: { $why }
card-withdrawn = withdrawn

## Commands
effect-tool = use the tool { $name }
effect-tool-match = look for files like { $name }
effect-tool-read = { $form ->
    [one] read { $name }
    [few] read { $name }
   *[many] read { $count } files
}{ $where }
effect-tool-search = search { $name }
effect-host = let { $name } talk to { $host }{ $port }
effect-host-port = {""}, port { $port }
effect-hosts = let { $name } talk to { $count } more hosts
effect-command = run { $command }
effect-command-long = run a command of { $count } characters, that begins with { $command }
effect-delete = { $form ->
    [unknown] delete { $name }
    [one] delete { $name }
    [few] delete { $name }
   *[many] delete { $count } files
}{ $where }
effect-mirror = delete everything from { $name } that the source does not have
effect-delete-tree = { $form ->
    [one] delete { $name }{ $where } with everything in it
    [few] delete { $name }{ $where } with everything in them
   *[many] delete { $count } items{ $where } with everything in them
}
effect-delete-like = delete everything that matches { $name }{ $where }
effect-move = { $form ->
    [one] move { $name } to { $to }
    [few] move { $name } to { $to }
   *[many] move { $count } items to { $to }
}
effect-copy = { $form ->
    [one] copy { $name } to { $to }
    [few] copy { $name } to { $to }
   *[many] copy { $count } items to { $to }
}
effect-mode = { $form ->
    [one] change the permissions of { $name }
    [few] change the permissions of { $name }
   *[many] change the permissions of { $count } items
}{ $where }
effect-owner = { $form ->
    [one] change the owner of { $name }
    [few] change the owner of { $name }
   *[many] change the owner of { $count } items
}{ $where }
effect-kill = { $count ->
    [one] end the process { $name }
   *[other] end { $count } processes
}
effect-kill-named = end every process named { $name }
effect-as-root = { $effect }, as administrator
effect-format = format { $name }
effect-write-device = write directly to { $name }
effect-write-file = { $form ->
    [unknown] write { $name }
    [one] write the file { $name }
    [few] write the files { $name }
   *[many] write { $count } files
}{ $where }
effect-change-file = { $form ->
    [unknown] change { $name }
    [one] change the file { $name }
    [few] change the files { $name }
   *[many] change { $count } files
}{ $where }
effect-remove-folder = { $form ->
    [unknown] delete { $name }
    [one] delete the empty folder { $name }
    [few] delete the empty folders { $name }
   *[many] delete { $count } empty folders
}{ $where }
effect-trash = { $form ->
    [one] move { $name } to the trash
    [few] move { $name } to the trash
   *[many] move { $count } items to the trash
}
effect-power-off = switch the computer off
effect-restart = restart the computer
effect-git-push = send git commits to { $name }
effect-git-force = overwrite the git history on { $name }
effect-git-history = rewrite or discard work with git { $name }
effect-git = run git { $name }
effect-install = install { $name }
effect-uninstall = uninstall { $name }
effect-service = { $verb ->
    [start] start
    [stop] stop
    [restart] restart
    [try-restart] restart
    [reload] reload
    [enable] enable
    [disable] disable
    [mask] block
    [unmask] unblock
    [kill] kill
   *[other] { $verb }
} the { $name } service
effect-download = reach { $name } over the network
effect-remote = run commands on another machine, { $name }
effect-code = run a piece of { $name } code
effect-and = { $first } and { $second }
effect-and-more = { $effects }, and run { $count ->
    [one] { $count } more command
   *[other] { $count } more commands
}
in-place = {" "}{ $kind ->
    [home] in your home folder
    [root] in the root of the system
   *[other] in { $place }
}
from-place = {" "}{ $kind ->
    [home] from your home folder
    [root] from the root of the system
   *[other] from { $place }
}
place-home = your home folder
place-root = the root of the system
remote-default = the server
target-unknown = something that is known only when it runs

## What would be touched
touch-told = { $fate }: { $what }
touch-deleted = deleted
touch-overwritten = overwritten
touch-changed = changed
touch-attributes = other permissions, owner or times
touch-moved = moved
touch-made = created
touch-read = read
touch-named = named
touch-files = { $count ->
    [one] { $count } file
   *[other] { $count } files
}
touch-folders = { $count ->
    [one] { $count } folder
   *[other] { $count } folders
}
touch-links = { $count ->
    [one] { $count } link
   *[other] { $count } links
}
touch-others = { $count ->
    [one] { $count } device or socket
   *[other] { $count } devices or sockets
}
touch-paths = { $count ->
    [one] { $count } path
   *[other] { $count } paths
}
touch-paths-more = { $count ->
    [one] and { $count } more path
   *[other] and { $count } more paths
}
touch-at-least = at least { $what }
touch-newest = the newest written { $ago }
touch-unreadable = { $count ->
    [one] { $count } folder that I may not look into
   *[other] { $count } folders that I may not look into
}
touch-missing = not there
touch-open = It may touch more than can be told before it runs.
touch-partly = Not all that it rests on can be watched for changes until your answer.
host-site = the site is { $name }

## What a staged run changed
staged = This { $what }; { $undo }.
staged-told = This { $what }.
staged-nothing = This changes nothing.
staged-undoing = This undoes what was done: it { $what }.
staged-and = { $first } and { $second }
staged-more = { $first }, { $second }, and makes { $count ->
    [one] one more change
   *[other] { $count } other changes
}
staged-deleted = deletes { $things }
staged-replaced = replaces { $things }
staged-changed = overwrites { $things }
staged-edited = changes { $things }
staged-moved-to = moves { $things } to { $kind ->
    [home] your home folder
    [root] the root of the system
   *[other] { $place }
}
staged-renamed = renames { $things }
staged-created = creates { $things }
staged-attributes = changes the attributes { $things }
staged-items = { $count ->
    [one] { $count } item
   *[other] { $count } items
}
staged-thing = { $kind ->
    [folder] the folder { $name }
    [link] the link { $name }
   *[other] { $name }
}
staged-of = { $kind ->
    [folder] of the folder { $name }
    [link] of the link { $name }
   *[other] of { $name }
}
staged-permissions = changes the permissions { $things }
size-bytes = { $count ->
    [one] { $count } byte
   *[other] { $count } bytes
}
staged-renamed-to = { $from } to { $to }
staged-with = { $what } with { $inside }
staged-undo = { $count ->
    [one] it can be undone for { $count } day
   *[other] it can be undone for { $count } days
}
staged-final = it cannot be undone
staged-no-room = it cannot be undone: { $size } are too much to keep
staged-moved = moved from { $name }
staged-link = link to { $name }
staged-kind = { $kind ->
    [folder] folder
    [fifo] named pipe
    [socket] socket
   *[device] device file
}
staged-mode = permissions { $mode }
staged-owner = owner { $owner }
staged-times = times or extended attributes
staged-breaks = the file has other names, which keep the old content
staged-because = It cannot be undone: { $why }
staged-strays = { $count ->
    [one] One process was still running at the end and was ended.
   *[other] { $count } processes were still running at the end and were ended.
}
staged-machines = { $count ->
    [one] It tried once to reach another machine, and could not.
   *[other] It tried { $count } times to reach another machine, and could not.
}
staged-ports = { $count ->
    [one] It tried once to reach a port of this machine, and could not.
   *[other] It tried { $count } times to reach a port of this machine, and could not.
}

## What confines a command
sandbox-none = none: it can do all that you can
sandbox-confined = changes only the folder it runs in and what the line names
sandbox-isolated = isolated in a system of its own
sandbox-network-none = no network
sandbox-network-hosts = only the approved hosts
sandbox-network-all = the whole network
sandbox-lacking = This computer cannot hold back: { $what }
measure-files = files
measure-scopes = other processes
measure-network = the network
measure-sockets = services of this computer
measure-calls = system calls
measure-privileges = privileges
measure-session = the terminal
measure-limits = resource use
measure-namespaces = namespaces

## What the conversation has taken in
mark-outside = it has read text from outside, which may have told it to do this
mark-secret = it has seen secrets

## Why a question is asked
reason-destructive = it can delete or damage data
reason-privilege = this uses administrator powers
reason-network = this exchanges data over the network
reason-execution = this runs a program that I do not know
reason-shell = this can change what other commands do
reason-download-execution = this runs what comes from the network
reason-persistence = this can keep running later without you noticing
reason-secret = it can reveal passwords or keys
reason-opaque = I cannot read this command completely
reason-beyond = this is too long or too entangled to be read with care
reason-broken = bash cannot read this command, and runs nothing of it
reason-misspelt = the program has no such command and would not start
reason-no-cell = this computer cannot isolate it
reason-goes-on = it keeps running until somebody stops it
reason-not-staged = I cannot try this out first; judge it by its text
reason-wants-hidden = this wants to open what is hidden from it: { $names }
reason-wants-port = it waits for connections on port { $names }
reason-opens-secrets = it can read { $names } while it runs
reason-serves-secrets = it can be reached on port { $first }, and can read { $rest }
reason-unknown = I do not know this request
reason-power = this switches the computer off or restarts it
reason-suspend = this suspends the computer
reason-open = it can start a program
reason-processes = this ends running programs
reason-files = this changes files
reason-permissions = this changes who may touch files
reason-keys = this presses keys in your place
reason-poses = it could pass for a question of the guard's
reason-history = this can lose work kept in git
reason-packages = this installs or removes programs
reason-guard = this touches the bodyguard itself
reason-address = the address may not be what it seems
reason-scheme = only http and https addresses are opened, and mailto: ones that name no file
reason-letter = this begins a message in your mail program
reason-local-address = it is this computer or the local network
reason-address-carries = it carries data to the site
reason-unknown-tool = the guard does not know this tool
reason-denied-tool = this tool is on the list of those that are never used
reason-exfiltration = this session has seen secrets, and this could carry them away
reason-secret-session = this session has seen secrets, and this may send them out
reason-corrupted-session = this session has read texts from outside, which may give it orders
reason-dangerous-service = what this tool is asked to do can cause harm
reason-forbidden-service = your configuration says that this tool is never used
reason-plugin-asks = a check of your own wants to know whether you want this
reason-plugin-denies = a check of your own forbids this
reason-plugin-failed = a check of your own did not work, so I ask
reason-model-asks = the model itself asks for confirmation
reason-model-unsure = the model is not sure that this was meant
reason-radio = this switches a wireless network
reason-screen = everything on the screen would be in the picture
reason-device = this writes directly to a disk
reason-catastrophic = this can destroy the system or all of your files
reason-banned = this program is on the list of forbidden ones
reason-evasion = this hides what it really does
reason-container = this acts in or around a container
reason-remote = this acts on another machine or in the cloud
reason-elsewhere = I can neither isolate nor undo it
reason-system = this changes how the system is set up
reason-unknown-command = it may change things
reason-duplicate = the same command has just been run
reason-duplicate-since = this command ran { $ago }
reason-failed-before = this command has gone wrong before
reason-unsealed = this was allowed for good, but the record does not say by whom
reason-failed-often = { $runs ->
    [one] this command failed the only time it ran
   *[other] this command failed { $failed } of { $runs } times
}
reason-risky-before = this command was found to be of high risk before
reason-always-ask = somebody decided that this command always needs a question
reason-never = somebody has forbidden this command
reason-registry-lost = the registry of commands does not answer, so I ask before every command
reason-advice-flagged = a second opinion warns against it
reason-advice-unclear = there is no second opinion on it
reason-effects = this changes files
reason-host-unnamed = the command does not name this host
reason-effects-outside = it is outside the folders that you trust
reason-effects-final = it cannot be undone
reason-effects-many = this deletes a great deal, for good
reason-effects-device = a device file appeared, which no command may create
reason-effects-set-id = anyone who runs this program would have your rights
reason-effects-leads-out = a link was made that leads out of this session's folders
reason-effects-hard-link = the file has other names, which would keep the old content
reason-effects-git-lost = the history of a project and what was never pushed would be gone
reason-do-not-disturb = the bodyguard's own questions and warnings would be silent, too
reason-effects-git = git would run this by itself, or take orders from it
reason-effects-opens = this is run when the folder is opened or entered
reason-effects-pipelines = a server will run this as soon as it is pushed
reason-effects-agents = an agent takes its orders or permissions from this
reason-effects-run-later = it will run by itself when you log in or open a shell
reason-effects-secret = keys, passwords or tokens are stored there
reason-effects-protected = your configuration protects this folder
reason-effects-confined = your configuration allows no changes there
reason-generic = the rules ask for your confirmation
reason-allowed = the rules allow this

## What `guarda check` says about a command
check-approved = it would be done without a question
check-requires-confirmation = you would be asked
check-requires-password = you would be asked, and then for the password
check-blocked = it is never done
check-risk = risk { $risk }
check-runs = What would run
check-itself = If a client ran it by itself: { $what }.
view-title = What it would see of your home folder
view-none = nothing
view-act = everything but secrets, after your yes
view-whole = everything but secrets
view-reads = read
view-writes = write
view-trusted = you let the session change it
view-folder = the working folder
view-git = the git folder of this tree
view-named = the command names it
view-program = the command runs it
view-path = on the search path
view-tool = for { $programs }
verdict-approved = approved
verdict-requires-confirmation = needs your yes
verdict-requires-password = needs the password
verdict-blocked = blocked
origin-floor = floor
origin-built-in = built-in
origin-profile = profile
origin-default = no rule
origin-reader = reading
origin-config = configuration
origin-caller = caller
origin-registry = registry
origin-effects = changes
origin-network = network
origin-hands = this machine
origin-advice = second opinion
way-look = in a cell that can change, send and reach nothing
way-stage = with its changes held back until they are judged
way-act = in a sandbox that opens what you approved
way-none = without a sandbox

## How long ago
ago-now = less than a second ago
ago-seconds = { $whole ->
    [1] { $seconds } second ago
   *[other] { $seconds } seconds ago
}
ago-minutes = { $minutes ->
    [one] { $minutes } minute ago
   *[other] { $minutes } minutes ago
}
ago-hours = { $hours ->
    [one] { $hours } hour ago
   *[other] { $hours } hours ago
}
ago-days = { $days ->
    [one] { $days } day ago
   *[other] { $days } days ago
}

## What the commands pending, approve, deny, modify, silence and language say
cli-none = No questions are waiting.
cli-short = { $given } is no id: give the id that `guarda pending` shows, or { $count } characters or more of it
cli-several = more than one question begins with { $given }: give more of it
cli-unknown = no open question begins with { $given }; see `guarda pending`
cli-silence-off = questions are asked again
cli-silence = silence for { $minutes } min: every question is refused; `guarda silence off` ends it
cli-console = It works once, within two minutes. Anyone who opens it can answer your questions: keep it to yourself.
cli-code = Code (it is shown and spoken where the question is asked)
cli-code-console = Code for the console (it is shown and spoken at the computer)
cli-code-wrong = { $count ->
    [one] this is not the code; { $count } more try
   *[other] this is not the code; { $count } more tries
}
cli-waits = waiting behind earlier questions
cli-list-more = Enter = read on, q and Enter = leave the question open:
cli-list-end = Enter = yes, q and Enter = leave the question open:
cli-here = Yes or no (y/n)?
cli-list-left = The question stays open.
cli-whole = the whole card: guarda pending { $given }
cli-no-editor = set VISUAL or EDITOR to change it in an editor, or give the command: guarda modify { $given } 'COMMAND'
cli-fixed = this question takes yes or no, and no other command
cli-unchanged = nothing was changed, and the question is still open
cli-no-terminal = there is no terminal for an editor here: { $why }
cli-language = English is spoken

## What the command undo says
undo-none = nothing to undo
undo-unheld = nothing is held of { $given }: it changed nothing, was undone, or is too old; see `guarda undo --list`
undo-several = { $given } matches more than one id: give more of it
undo-not-empty = the folder is not empty
undo-shared = it belongs to somebody else, or everybody may write to it: name a folder of your own
undo-copied = { $count ->
    [one] { $count } old version is in { $name }
   *[other] { $count } old versions are in { $name }
}
undo-beside = Nothing was changed. To have the old versions beside the new ones: guarda undo --beside FOLDER { $given }
undo-of = undone: { $what }
undo-again = To undo this: guarda undo { $given }
undo-head-at = DONE
undo-head-until = HELD UNTIL
undo-head-paths = PATHS
undo-head-size = ON DISK
undo-head-what = WHAT
undo-sum = { $count ->
    [one] { $count } deed can be undone; it takes { $size }
   *[other] { $count } deeds can be undone; they take { $size }
}
undo-times = done on { $at }; held until { $until }
undo-put-back = put back
undo-deleted = deleted
undo-restored = restored
undo-more = and { $count } more

## Sign by sign
spell = The command, sign by sign: { $text }
sign = { $sign ->
    [slash] slash
    [backslash] backslash
    [dash] dash
    [underscore] underscore
    [dot] dot
    [comma] comma
    [colon] colon
    [semicolon] semicolon
    [star] star
    [question] question mark
    [exclamation] exclamation mark
    [pipe] pipe
    [and] ampersand
    [greater] greater than
    [less] less than
    [dollar] dollar
    [tilde] tilde
    [hash] hash
    [at] at
    [percent] percent
    [caret] caret
    [plus] plus
    [equals] equals
    [quote] double quote
    [apostrophe] single quote
    [backtick] backtick
    [open] open bracket
    [close] close bracket
    [open-square] open square bracket
    [close-square] close square bracket
    [open-curly] open brace
    [close-curly] close brace
   *[other] sign { $code }
}

## The hosts that a command reaches
network-reaches = { $more ->
    [0] It talks to { $hosts }.
    [one] It talks to { $hosts } and one more host.
   *[other] It talks to { $hosts } and { $more } more hosts.
}
network-host = { $host }, port { $ports }: { $why }
network-host-every = { $host }, every port: { $why }
network-why-word = the command names it
network-why-tool = { $tool } needs it
network-why-remote = the repository's remote { $remote }
network-why-policy = your configuration allows it
network-why-tried = the command wanted it when it was tried
network-why-answer = you allowed it
network-why-all = you said yes to all hosts of this run
network-moved = { $by } leads { $tool } to another server
network-file = { $file } may lead { $tool } to another server, which a yes does not allow
network-denied = your configuration denies { $host }
network-unknown = { $word }: the host is not known before it runs
network-looks = { $host } is unusual: { $what }
network-unusual-punycode = it is displayed as { $name }
network-unusual-random = a long or random part, which can carry data
network-unusual-metadata = a cloud's service for credentials
network-unusual-address = an address instead of a name
network-unusual-local = this computer or its local network, where a server may pass data on to any other machine
network-unusual-own-address = an address of this computer or its network, which may pass data on
network-whole = { $program } needs the whole network: { $why }
network-whole-sockets = it opens sockets of every kind
network-whole-packets = it sends more than TCP
network-whole-names = it asks name servers
network-whole-interfaces = it shows this computer's network
network-whole-configured = your configuration says so
