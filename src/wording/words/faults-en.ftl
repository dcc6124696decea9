
# What is wrong with a configuration and its rules. The English texts are those of the errors themselves.
fault-at = { $file }, line { $line }
fault-meant = { $what }; did you mean "{ $meant }"?
fault-allowed = { $what }; allowed here: { $allowed }
fault-unknown-key = unknown key "{ $given }"
fault-unknown-value = "{ $given }" is not a value here
fault-missing-key = the key "{ $given }" is missing
fault-duplicate-key = duplicate key: it is given above already
fault-type = this must be { $expected }, not { $given }
fault-expected-text = a string
fault-expected-whole = a whole number
fault-expected-number = a number
fault-expected-switch = true or false
fault-expected-list = a list
fault-expected-table = a table
fault-expected-names = a list of program names, or true or false
fault-expected-host = a host, or a table with a host
fault-given-text = the string "{ $given }"
fault-given-unnamed = what is written
fault-syntax-unquoted = a string needs quotation marks
fault-syntax-text = this string does not end, or has a character that must be escaped
fault-syntax-unclosed = a bracket or brace is not closed
fault-syntax-no-value = a key needs = and a value
fault-syntax-equals = there is one = too many
fault-syntax-comma = a comma is missing here, or there is one too many
fault-syntax-key = this is not a key: letters, digits, - and _, or a string in quotation marks
fault-syntax-number = this is not how a number is written
fault-syntax-line = a setting ends here: the next one needs a line of its own
fault-whole-number = { $given } is out of range: write a whole number from { $low } to { $high }
fault-number = { $given } is out of range
fault-share = { $given } is out of range: write a number from 0 to 1
fault-risk = { $given } is out of range: write a number from 0 to 1, or 2 for never
fault-low-risk = { $given } is out of range: write a number from 0 to 0.9; the gravest is never approved in this way
fault-address = "{ $given }" is not an address: write address:port, such as 127.0.0.1:4827 or [::1]:0
fault-search-path = "{ $given }" is not a search path: write absolute folders joined by ':'
fault-chord = "{ $given }" is not such a key: write "hold", or a letter with super, or with ctrl and alt, such as "super+y"
fault-same-chord = keys.yes and keys.no are both "{ $given }": choose another chord for one of them
fault-hours = "{ $given }" is not a time range: write it as "22:00-07:00", or "" for never
fault-postgres = this is not the address of a PostgreSQL: write postgres://user@host/database
fault-collector = "{ $given }" is not the address of a collector: write http://127.0.0.1:4318, and let a collector on this machine send it on where it has to be encrypted
fault-tool-name = "{ $given }" is not the name of a tool
fault-host-name = "{ $given }" is not a host name: letters, digits, '.' and '-', without scheme or port
fault-host = "{ $given }" is not a host: { $why }
fault-endpoint = "{ $given }" is not an http address: write http://127.0.0.1:11434/v1 or the like
fault-endpoint-https = a model server is reached by http, not by https: use a server on this machine, or a tunnel to one (ssh -L)
fault-endpoint-key = a key belongs in endpoint.key_file, not in the address
fault-checks = name at least one of "network", "folders", "injection", each once
fault-property = this is not a property of a service: write true, false or "forbidden"
fault-reachable = server.listen is { $given }, which other machines can reach: use 127.0.0.1 or [::1], or set server.allow_remote = true if that is meant
fault-remote-endpoint = endpoint.address is { $given }, which is not this machine: what is asked would travel there unencrypted; use 127.0.0.1, or set endpoint.allow_remote = true if that is meant
fault-no-model = advice.enabled = true needs advice.model: the name of a model, as `ollama list` shows it
fault-other = this cannot be used ({ $given })
## Rules
rules-fault-mixed = "{ $rule }" mixes what is said of commands with what is said of changes
rules-fault-locks = only the built-in floor is locked; leave `locked` out of "{ $rule }"
rules-fault-locked = the rule "{ $rule }" is locked, since it belongs to the floor; give yours another name
rules-fault-no-command = "{ $given }" is not a command: { $detail }
rules-fault-no-list = there is no list "{ $given }"
rules-fault-circular = the list "{ $given }" holds itself
rules-fault-no-class = there is no class of places "{ $given }"
rules-fault-no-fact = there is no fact "{ $given }"
rules-fault-no-change = there is no change "{ $given }"
rules-fault-no-kind = there is no kind "{ $given }"
rules-fault-no-check = there is no check "{ $given }"
rules-fault-flag = cannot read the flag "{ $given }"
rules-fault-verdict = there is no verdict "{ $given }": write allow, review, confirm, password or block
rules-fault-no-verdict = the rule has no verdict
rules-fault-effect-verdict = the verdict is `allow`, `confirm` or `block`
rules-fault-risk = the risk { $given } is not between 0 and 1
rules-fault-too-many = there are too many { $given }
rules-fault-packing = the built-in rules cannot be read ({ $given })
rules-fault-example = { $matches ->
    [true] rule "{ $rule }" should match `{ $line }` and does not
   *[false] rule "{ $rule }" should spare `{ $line }` and does not
}
rules-fault-unreadable = rule "{ $rule }": the example `{ $line }` cannot be read ({ $why })
rules-fault-within = rule "{ $rule }": { $why }
## Parts of the file without effect
config-notice-section = [{ $given }] is the assistant's own section; the guard does not use it
config-notice-key = { $given } is the assistant's own key; the guard does not use it
config-notice-sandbox-network = sandbox.network is not read any more: the tables of hosts say which commands use the network ([network])
config-notice-confirmation-switch = security.require_confirmation = { $given } changes nothing: the rules decide what is asked; a list of program names adds to them
## Files
file-unusable = { $path } cannot be used. { $why }
file-fault-system = { $given }
file-fault-not-plain = not a plain file
file-fault-foreign = it belongs to user { $given }, who could change what is allowed here
file-fault-writable = everybody can write to it: run `chmod o-w` on it
file-fault-too-long = longer than 1 MiB, which is no configuration
file-fault-not-own = not a plain file of this user
file-fault-readable = others can read it: delete it, and the next start makes a new token
file-fault-no-token = no token in it: delete it, and the next start makes a new one
file-fault-link = a symbolic link: name the folder itself
file-fault-not-folder = not a folder
file-fault-of-user = it belongs to user { $given }, not to this one
file-fault-in-use = another guard (process { $given }) uses this state folder: end it, or set GUARDA_STATE_DIR to another one
file-fault-exists = it is there already
file-fault-container-name = "{ $given }" is not a container name: 1 to 32 letters, digits, '-' or '_'
file-fault-unreadable = { $given }
record-unwritable = the record cannot be written: { $why }
record-fault-open = { $given } is open to others and holds other files; name another folder, or run `chmod 700` on it
record-fault-no-folder = { $given } is a link or not a folder; name a real folder
record-fault-link = { $given } is a link; remove it
record-fault-busy = another guard keeps its record in { $given }; name another folder
record-fault-not-plain = { $given } is not a plain file with a single name; move it away
record-fault-replaced = { $given } was removed or replaced; put it back, or restart the guard to begin a new record
record-fault-of-user = { $place } belongs to user { $uid }; name a folder of your own
record-fault-session-name = a session's name has 1 to 64 letters, digits, '-', '_' or '.', and does not begin with '.'
record-fault-no-key = { $given } does not contain a key; move it away to make a new one
record-fault-no-random = the system gave no random numbers for a key ({ $given })
record-fault-secrets = secrets in a line could not be hidden ({ $given })
record-fault-encoding = a line cannot be encoded ({ $given })
record-fault-closed = the journal is closed because the guard is shutting down
record-system-full = the disk is full; free some space
record-system-file-size = a file has reached the greatest allowed size; raise the limit on the size of files
record-system-read-only = the disk is read-only; make it writable or name another folder
record-system-missing = it is missing; put it back, or restart the guard to begin a new record
record-system-not-allowed = the guard may not use it; give the folder to the guard's user, mode 700
record-system-other = an error of the system; fix it and try again ({ $why })
record-unrecorded = the action was done, but the record cannot be written: { $why }
record-warning-table-gone = the signed table of heads is gone: the files are taken as they are
record-warning-table-broken = the signed table of heads was put aside ({ $given })
record-warning-damaged = the record of session { $session } was put aside as damaged ({ $damage })
record-warning-moved = the record was kept in { $given } until now
record-warning-behind = the record is behind its anchor, as an older copy would be: { $why }
record-warning-behind-elsewhere = the record is behind its anchor in { $place }: { $why }
record-lost-anchor = the anchor beside the key is gone
record-lost-record = there is a key, but the record and its anchor are gone
record-lost-broken-anchor = the anchor beside the key is not valid ({ $given })
record-lost-broken-copy = it is not valid ({ $given })
record-lost-part = part { $part } of session { $session } is gone
record-lost-lines = { $count ->
    [one] { $count } line
   *[other] { $count } lines
  } of session { $session } gone
record-lost-rewritten = session { $given } was rewritten
record-line = { $file }, line { $line }
record-what-changed = changed
record-what-removed = removed
record-what-inserted = inserted
record-what-reordered = reordered
record-what-cut = cut off
record-what-missing = missing
record-what-misplaced = in the wrong place
record-what-unreadable = unreadable
record-what-unsigned = not signed
record-what-put-aside = put aside
record-evidence-no-folder = there is a key, but the folder of the record is gone
record-evidence-no-record = there is a key, but no record that it signed
record-evidence-no-table = the signed table of heads is gone, so lines missing at the end would not be noticed
record-evidence-broken-table = the table of heads is not valid ({ $given })
record-evidence-noted = something was missing or broken when the guard started; remove this file once you know why
record-evidence-damaged = the guard found it damaged and put it aside
record-evidence-no-anchor = the anchor of the record is gone
record-evidence-broken-anchor = the anchor is not valid ({ $given })
record-evidence-no-part = { $lines ->
    [one] part { $part } of session { $session }, with { $lines } line,
   *[other] part { $part } of session { $session }, with { $lines } lines,
  } is gone
record-evidence-no-anchored-part = { $lines ->
    [one] part { $part } of session { $session }, with { $lines } line,
   *[other] part { $part } of session { $session }, with { $lines } lines,
  } is gone: the anchor knows of it
record-evidence-behind-anchor = { $gone ->
    [one] { $gone } line is gone
   *[other] { $gone } lines are gone
  }: the anchor knows of { $lines }
record-evidence-unlike-anchor = this line differs from the anchor: this line and earlier ones were rewritten
record-evidence-not-read = it cannot be read ({ $given })
record-evidence-half-line = an unfinished line follows the last one
record-evidence-never-sealed = no such file was ever sealed
record-evidence-other-file = it does not follow the file before it
record-evidence-cut-off = { $gone ->
    [one] { $gone } line is cut off
   *[other] { $gone } lines are cut off
  }: { $lines } were sealed
record-evidence-unlike-head = this line differs from the signed head: it was changed, or this line and earlier ones were rewritten
record-evidence-added-later = it was added after the end of the file was sealed
record-evidence-no-line = it is not there
record-evidence-moved = another line is here; the one that belongs here is line { $given }
record-evidence-put-in = it was inserted: the line that belongs here follows it
record-evidence-put-behind = it was added after the last sealed line
record-evidence-garbled = it cannot be read as a line of the record
record-evidence-taken-out = { $given ->
    [one] { $given } line was
   *[other] { $given } lines were
  } removed before it
record-evidence-number-of = it has the number of line { $given }
record-evidence-other-hash = the line after it has another hash
record-evidence-other-line = it does not follow the line before it
record-remark-own-key = checked with the key that the table of heads itself names, { $given }: compare it with yours
record-remark-other-record = { $place } is the anchor of the record in { $other }, not of this one
record-remark-no-anchor-yet = { $given } is not there yet, so an old copy of the record would not be noticed
record-remark-no-anchor-there = { $given } has no anchor of this record
record-remark-unread-anchor = the anchor in { $place } cannot be read ({ $why })
record-remark-expired = part { $part } of session { $session } was deleted when its time was over
record-remark-half-written = { $given } ends in the middle of a line: it is being written, or the machine stopped
record-remark-after-damage = { $place } begins with a note of damage ({ $damage })
