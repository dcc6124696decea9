
# What a problem says: for programs in English, for a person in the language of the request.
title-malformed = The request is malformed
title-unauthorized = A token is needed
title-guessing = Too many wrong tokens or codes
title-code-required = The question's code is required
title-code-wrong = This is not the code
title-forbidden = This token may not do that
title-foreign-origin = Requests from web pages of other origins are refused
title-not-found = Not found
title-method-not-allowed = The path does not support this method
title-timed-out = The request took too long to arrive
title-settled = The question is already settled
title-session-marked = The session got a mark after the judgement
title-changed = The object was changed in the meantime
title-ticket-elsewhere = The ticket is for another folder
title-too-large = The body is too long
title-unsupported-media-type = Only application/json is accepted
title-misdirected = The service does not have this name
title-misread = The request is not understood
title-empty-command = The command is empty
title-key-reused = The idempotency key was used for another request
title-sandbox-lacking = This machine cannot confine the command
title-registry-off = The registry of commands is switched off
title-busy = Too many requests are running or waiting
title-closing = The service is shutting down
title-record-failed = The record cannot be written, so nothing was done
title-internal = The guard failed
problem-no-question = No question with this number is open; GET /v1/questions lists the open ones
problem-settled = This question was answered, withdrawn, or has expired
problem-rank = This way of answering may not say yes to a question of this risk; it may say no
problem-not-by-voice = A yes to this question is not taken by voice: answer with the keys, in the terminal or in the console
problem-say-words = By voice, a yes is the two words that the guard said: pass them on to /v1/questions/ID/heard
problem-unread = Its changes must be read in full before a yes: in the terminal, in the console, or with `guarda approve`
problem-not-offered = This question takes yes or no: what is asked cannot be allowed once and for all
problem-fixed = This question takes yes or no, and no other command
problem-code-required = A yes from here takes a "code" of four digits: it is shown and spoken where the question is asked, and { $count ->
    [1] 1 code
   *[other] { $count } codes
} may be tried
problem-code-wrong = This is not the code: it is shown and spoken where the question is asked, and { $count ->
    [1] 1 code
   *[other] { $count } codes
} may still be tried
problem-code-last = This is not the code, and none is left to try: the answer is no
problem-code-guessing = Too many wrong codes within an hour: a yes is accepted only directly at the prompt
problem-console-code = The console takes a "code" of four digits: it is shown and spoken at the computer now; send it with this request
problem-console-link = This link does not open the console any more: run guarda console again
problem-console-last = This is not the code, and none is left to try: ask for the console again in two minutes
problem-answers-off = Answers over this service are switched off (server.answer_over_http)
problem-silence = "silence_ms" is longer than a day
problem-asker = The submit token cannot answer questions. Use the token in `approve-token`
problem-unheld = Nothing is held of it; GET /v1/undo lists what can be undone
problem-no-session = No such session is known; `guarda session list` shows the known ones
problem-language = there is no language "{ $name }": write pt-BR, en or fr
problem-marked = the session got a mark after this was judged, so nothing was done; send the request again, and it is judged with the new mark
problem-foreign-session = the session { $name } belongs to another caller, so nothing was done; name another one, or none
problem-changed = { $name } was changed while a person was asked about it, so nothing was done; send the request again
problem-no-registry = the registry of commands is off (registry.enabled), and it stores the tokens
problem-busy = Too many requests are waiting; try again later
problem-closing = The guard is shutting down; nothing was done
problem-no-folder = the folder "{ $name }" does not exist; give an existing folder in "cwd"
problem-too-many-paths = the command names more than 1024 paths; split it
problem-too-much = the command rests on more files than can be watched for changes while a person is asked; split it
problem-slow-files = the files that the action rests on did not answer in time; send it again
misread-missing = the field "{ $field }" is missing
misread-type = the field "{ $field }" must be { $hint }
misread-value = "{ $value }" is not a value for "{ $field }": { $hint }
misread-unread = this action takes no "{ $field }"
misread-unread-meant = this action takes no "{ $field }"; did you mean "{ $meant }"?
misread-empty = the command is empty; write it in "target"
misread-twice = "args" and "params" are two names of one field; give only one
hint-web-address = a web address, such as https://example.org/page, or what to search for
hint-whole-command = RUN_COMMAND takes its whole command line in "target"
hint-shorter-command = a command has at most 4096 characters, and no NUL; put a longer text into a file and run that
hint-level = up, down, set, mute, unmute, toggle, a number from 0 to 100, or +20 and -20 for steps
hint-percent = a number from 0 to 100
hint-media-key = play, pause, play-pause, next, previous or stop
hint-repeat = off, track or all
hint-seconds = seconds, back with a minus, at most an hour: 30 or -10
hint-run = the id of a run ("id" or "audit_id" of its reply), or nothing for the last one
hint-switch = on, off or toggle
hint-file-operation = open, list, copy, move, delete or mkdir
hint-chord = one key, or modifiers and a key joined by '+', such as ctrl+tab, alt+f4, y
hint-confidence = a number from 0 to 1
hint-session = 1 to 64 letters, digits, '-', '_' or '.', not beginning with '.'
hint-sandbox = "none", "confined" or "isolated"; what the configuration says is the least
hint-shorter-text = shorter text without NUL characters
hint-text-or-null = text or null
hint-arguments = text, a number, an object or null
hint-text = text
hint-once = given once
hint-only-amount = the only amount
hint-command = RUN_COMMAND
## Why nobody was asked
cause-gone = the caller went away
cause-called-off = it was called off
cause-granted = a grant that was given meanwhile covers it
cause-not-awaited = the command went on without the answer
cause-silenced = silence was asked for; `guarda silence off` ends it
cause-muted = silence was asked for and lasts { $seconds ->
    [one] { $seconds } more second
   *[other] { $seconds } more seconds
  }; `guarda silence off` ends it
cause-refused = { $times ->
    [one] { $times } question of this session was
   *[other] { $times } questions of this session were
  } refused within a minute; it may ask again in { $seconds ->
    [one] { $seconds } second
   *[other] { $seconds } seconds
  }
cause-quiet-hours = it is in the quiet hours (speech.quiet_hours)
cause-no-human = the guard runs without a person (--no-human)
cause-told-first = the asker is told first; you are asked if it sends the same again
cause-closing = the guard is shutting down
cause-ended = the guard was ended while the question was open
cause-unknown-action = the action is not in the vocabulary
cause-lost = the question was lost
cause-twice = a question with this number is open already
cause-no-digit = no random digit could be drawn for the question ({ $error })
cause-no-code = no random code could be drawn for the question ({ $error })
cause-unrecorded = the question could not be recorded ({ $error })
cause-no-channel = nothing could ask it ({ $lacks })
cause-kept = the yes came after an earlier run of the command
refusal-person = a person said no
refusal-silence = a person was asked, and nobody answered in time; a yes within ten minutes counts when the command is run again
refusal-wrong-codes = a person was asked, and the answer had the wrong code
refusal-unasked = nobody could be asked
refusal-unapproved = it was not approved
refusal-other-host = the answer was about another host
refusal-unrecorded = the question about it could not be recorded
refusal-never = it is { $what }, and the approved command does not name it
refusal-denied = the configuration denies it
refusal-own = it is the guard's own
refusal-too-many = the command wanted too many hosts that were not approved
refusal-unfit = { $address } is { $what }
refusal-nowhere = it has no address
refusal-unresolved = its name cannot be resolved
refusal-unreachable = it cannot be reached
refusal-named = the program names another host: { $host }
refusal-protocol = { $protocol ->
    [web] the program does not speak TLS or HTTP/1.1
    [ssh] the program does not speak SSH
   *[any] the program does not speak the expected protocol
}
refusal-second-request = a second request on the connection of the first
refusal-because = { $reason }: { $why }
address-public = a public address
address-loopback = this computer itself
address-private = an address of the local network
address-carrier-nat = an address of the provider's shared network
address-unique-local = a private IPv6 address
address-link-local = an address of the local link
address-metadata = a cloud's service that hands out credentials
address-multicast = an address of many receivers
address-unspecified = an unspecified address, which leads to this computer
address-reserved = a reserved address
hindrance-unknown = a part of it is not known before it runs
hindrance-starts = it starts further programs
hindrance-variables = it sets variables
hindrance-no-program = it starts no program
hindrance-launcher = what its program runs is decided by its arguments or by files
hindrance-risky = its risk is too high
hindrance-sends = it may send something elsewhere
hindrance-elsewhere = its program is not in a folder of the system
hindrance-missing = its program is not there
hindrance-unseen = its program was not looked at
hindrance-no-command = it is no command line
hindrance-unread = it cannot be read with certainty
hindrance-strict = the rules forbid it or want a password for it
hindrance-each-time = the rules want it asked each time
hindrance-forbidden = the rules forbid it, and no word of a person changes that
hindrance-tainted = the session had taken in text from outside, or secrets
learned-promoted = it ran well often enough
learned-failed = it failed after it was promoted
learned-unused = it was not used for too long
learned-held-back = the rules no longer let it be promoted
learned-high-risk = its risk is high
learned-bad-record = it failed too often
learned-recovered = nothing speaks against it any more
learned-person = you ({ $channel })
mark-action = { $what ->
    [both] it read from the network, and it read what may be secret
    [secret] it read what may be secret
   *[network] it read from the network
  } ({ $kind })
mark-hosts = it read from { $hosts }
mark-said = the caller said: { $reason }
mark-caller = the caller said so
mark-service = the service { $name } was used
mark-cleaned = its output had to be cleaned: { $secrets }
mark-tool = the tool { $name } was used
mark-lost = its marks were lost
mark-no-room = there was no room to keep its marks
mark-removed = a person took the marks away
mark-all-removed = a person took the marks of all sessions away

## A refusal, for the program or the model that asked
refused = { $who }; not done; { $instead }.
refused-because = { $who }: { $why }; not done; { $instead }.
refused-what = the request to { $effect }
refused-what-staged = a command that { $what }
refused-person = the user said no to { $what }
refused-time = nobody answered in time about { $what }
refused-nobody = nobody could be asked about { $what }
refused-rules = the rules do not allow { $what }
refused-limit = the user is not asked about { $what } for now
refused-caller = { $what } was taken back before anybody answered
refused-guard = no answer counted about { $what }
refused-cell = nobody was asked yet about { $what }
refused-password = it needs a password, and advanced mode is off
refused-codes = three wrong codes came from elsewhere
refused-do-other = ask the user what to do instead, and do not send it again as it is
refused-do-reason = do as the user says, and do not send it again as it is
refused-do-late = tell the user: a yes within ten minutes counts when the same command is sent again
refused-do-later = send it again when the user is there to answer
refused-do-reach = let the user run `guarda doctor`, which says how questions can reach them
refused-do-alone = do it in another way, or leave it and say in your report what needs a yes
refused-do-insist = do without it, or run the same line again within ten minutes, and a person is asked
refused-do-quiet = go on with what needs no yes until the user takes questions again
refused-do-limit = go on with what needs no yes, and send it again after { $seconds ->
    [one] { $seconds } second
   *[other] { $seconds } seconds
  }
refused-do-rules = find a way that does not need it, or let the user do it
refused-do-password = let the user do it in a terminal
refused-do-again = send it again if it is still wanted
refused-do-known = use an action that the guard knows

## Folders that cannot be trusted
not-trustable-missing = there is no such folder
not-trustable-home = it is your home folder, or holds it
not-trustable-hidden = programs keep their settings there
not-trustable-on-path = programs are started from there
not-trustable-shared = it belongs to another user, or others may write there
not-trustable-name = its name is not plain text, or holds what looks like a secret
problem-not-trustable = This folder cannot be trusted: { $why }
problem-not-trusted = This folder is not trusted
problem-not-grantable = This command cannot be granted beforehand: { $why }
problem-not-granted = Nothing of that was said beforehand
