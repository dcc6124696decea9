"""The inside of a made-up machine: first process of namespaces of its own, and all that is looked at from within them.

Started by `world.rs` as root (or as root of a user namespace) with a JSON object of settings. It puts the made-up user's
folders in the place of the shared ones, listens where nobody should call, starts programs as the user, and answers one
JSON object a line on a control socket. Beside it lies `door.sock`, which leads to the guard's own socket as that user.
"""

import ctypes
import fcntl
import json
import os
import pty
import selectors
import shutil
import signal
import socket
import struct
import subprocess
import sys
import termios
import time
import resource

SETTINGS = json.loads(sys.argv[1])
BASE, UID, NAME = SETTINGS["base"], SETTINGS["uid"], SETTINGS["name"]
# In a namespace of users, the account has its own group; root's machine has a made-up one.
GID = UID if os.getuid() != UID else os.getgid()
HOME = BASE + "/home"
RUNTIME = f"/run/user/{UID}"
LIBC = ctypes.CDLL(None, use_errno=True)
BIND, REC, PRIVATE = 4096, 16384, 1 << 18

loop = selectors.DefaultSelector()
events = []
fixtures = {}
started = {}
terminals = []
private = None


def must(done, what):
    if done != 0:
        raise OSError(ctypes.get_errno(), what)


def bind(source, target):
    must(LIBC.mount(source.encode(), target.encode(), None, BIND | REC, None), f"bind {source} on {target}")


def mounts():
    """The shared folders become the made-up machine's own; both sides see them below BASE."""
    must(LIBC.mount(b"none", b"/", None, REC | PRIVATE, None), "private")
    must(LIBC.mount(b"proc", b"/proc", b"proc", 14, None), "proc")
    for below, target in (("tmp", "/tmp"), ("vartmp", "/var/tmp"), ("shm", "/dev/shm"), ("runuser", "/run/user")):
        if os.path.isdir(target):
            bind(f"{BASE}/{below}", target)
    for below, target in (("passwd", "/etc/passwd"), ("group", "/etc/group"), ("resolv", "/etc/resolv.conf")):
        # A link is bound at its target.
        target = os.path.realpath(target)
        if os.path.exists(target):
            bind(f"{BASE}/etc/{below}", target)
    # No line may find the harness's own files.
    must(LIBC.mount(b"none", f"{BASE}/private".encode(), b"tmpfs", 1, b"size=4k,mode=0"), "cover")


def network():
    """Every address there is leads back to this machine, so every packet can be counted."""
    for words in ("link set lo up", "route add local 0.0.0.0/0 dev lo", "-6 route add local ::/0 dev lo"):
        done = subprocess.run(["ip", *words.split()], capture_output=True)
        if done.returncode and not words.startswith("-6"):
            raise OSError(f"ip {words}: {done.stderr.decode()}")


def packets():
    with open("/proc/self/net/dev") as file:
        for line in file:
            name, _, numbers = line.partition(":")
            if name.strip() == "lo":
                return int(numbers.split()[9])
    return 0


# ---- what listens ----

def heard(where, peer, data):
    events.append({"where": where, "peer": peer, "data": data[:60].decode("latin-1")})


def peer_of(connection):
    try:
        pid, uid, _ = struct.unpack("3i", connection.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, 12))
        exe = os.readlink(f"/proc/{pid}/exe")
        with open(f"/proc/{pid}/comm") as file:
            comm = file.read().strip()
        return {"pid": pid, "uid": uid, "exe": exe, "comm": comm}
    except OSError:
        return {}


def on_stream(listener, where, unix):
    try:
        connection, address = listener.accept()
    except OSError:
        return
    peer = peer_of(connection) if unix else {"address": str(address)}
    connection.settimeout(0.1)
    try:
        data = connection.recv(4096)
    except OSError:
        data = b""
    heard(where, peer, data)
    try:
        connection.sendall(b"HTTP/1.0 404 nothing\r\nContent-Length: 0\r\n\r\n")
    except OSError:
        pass
    connection.close()


def on_datagram(listener, where, dns):
    try:
        data, address = listener.recvfrom(4096)
    except OSError:
        return
    heard(where, {"address": str(address)}, data)
    if dns and len(data) > 12:
        answer = data[:2] + b"\x81\x83" + data[4:6] + b"\0\0\0\0\0\0" + data[12:]
        try:
            listener.sendto(answer, address)
        except OSError:
            pass


def listen(kind, family, address, where):
    listener = socket.socket(family, kind)
    if family in (socket.AF_INET, socket.AF_INET6):
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    if family == socket.AF_INET6:
        listener.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 1)
    listener.bind(address)
    unix = family == socket.AF_UNIX
    if unix and isinstance(address, str) and not address.startswith("\0"):
        os.chmod(address, 0o777)
        os.chown(address, UID, GID)
    if kind == socket.SOCK_STREAM:
        listener.listen(64)
        listener.setblocking(False)
        loop.register(listener, selectors.EVENT_READ, lambda: on_stream(listener, where, unix))
    else:
        listener.setblocking(False)
        dns = where.startswith("dns")
        loop.register(listener, selectors.EVENT_READ, lambda: on_datagram(listener, where, dns))
    return listener


def lasting_canaries():
    for port, where in ((80, "http"), (7001, "tcp"), (53, "dns-tcp"), (22, "ssh"), (5432, "postgres")):
        listen(socket.SOCK_STREAM, socket.AF_INET, ("0.0.0.0", port), where)
    for port, where in ((53, "dns"), (7002, "udp")):
        listen(socket.SOCK_DGRAM, socket.AF_INET, ("0.0.0.0", port), where)
    try:
        listen(socket.SOCK_STREAM, socket.AF_INET6, ("::1", 7001), "tcp6")
        listen(socket.SOCK_DGRAM, socket.AF_INET6, ("::1", 7002), "udp6")
    except OSError:
        pass
    listen(socket.SOCK_STREAM, socket.AF_UNIX, "\0effects", "abstract")
    listen(socket.SOCK_DGRAM, socket.AF_UNIX, "\0effects-datagram", "abstract datagram")
    listen(socket.SOCK_STREAM, socket.AF_UNIX, "\0/tmp/.X11-unix/X7", "abstract X11")


path_canaries = []


def path_sockets():
    """Those that lie in folders which are made anew."""
    for old in path_canaries:
        loop.unregister(old)
        old.close()
    path_canaries.clear()
    os.makedirs("/tmp/.X11-unix", exist_ok=True)
    for path, where in (
        (HOME + "/service.sock", "socket in the home"),
        (HOME + "/project/dev.sock", "socket in the project"),
        ("/tmp/effects.sock", "socket in /tmp"),
        (RUNTIME + "/effects.sock", "socket of the session"),
        (RUNTIME + "/bus", "D-Bus"),
        (RUNTIME + "/ssh-agent", "ssh-agent"),
        ("/tmp/.X11-unix/X7", "X11"),
    ):
        path_canaries.append(listen(socket.SOCK_STREAM, socket.AF_UNIX, path, where))
    path_canaries.append(
        listen(socket.SOCK_DGRAM, socket.AF_UNIX, HOME + "/log.sock", "datagram socket in the home"))


def terminal(where):
    """A terminal of the user's; whatever appears on it was written by somebody."""
    master, slave = pty.openpty()
    os.chown(os.ttyname(slave), UID, -1)
    os.chmod(os.ttyname(slave), 0o620)
    os.set_blocking(master, False)

    def on_bytes():
        try:
            heard(where, {}, os.read(master, 4096))
        except OSError:
            loop.unregister(master)

    loop.register(master, selectors.EVENT_READ, on_bytes)
    terminals.append((master, slave))
    return slave


# ---- programs that are started ----

def as_user(words, environment, folder, controlling=None, bounded=True, **streams):
    def before():
        os.setsid()
        if controlling is not None:
            fcntl.ioctl(controlling, termios.TIOCSCTTY, 0)
        if bounded:
            resource.setrlimit(resource.RLIMIT_NPROC, (400, 400))
            resource.setrlimit(resource.RLIMIT_FSIZE, (64 << 20, 64 << 20))
            resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
            resource.setrlimit(resource.RLIMIT_AS, (6 << 30, 6 << 30))
        if os.getuid() != UID:
            os.setgroups([])
            os.setresgid(GID, GID, GID)
            os.setresuid(UID, UID, UID)
        os.umask(0o022)

    return subprocess.Popen(words, env=environment, cwd=folder, preexec_fn=before, **streams)


def kept(path):
    return f"/proc/1/fd/{private}/{path}"


def reset(_):
    """Nothing but this process is left, and everything lies as at the beginning."""
    kill_all()
    for master, slave in terminals:
        if master in loop.get_map():
            loop.unregister(master)
        os.close(master)
        os.close(slave)
    terminals.clear()
    for below in ("tmp", "vartmp", "shm", "runuser"):
        for name in os.listdir(f"{BASE}/{below}"):
            remove(f"{BASE}/{below}/{name}")
    os.makedirs(RUNTIME, exist_ok=True)
    os.chown(RUNTIME, UID, GID)
    os.chmod(RUNTIME, 0o700)
    remove(HOME)
    template = kept("template")
    if os.path.isdir(template):
        subprocess.run(["cp", "-a", template, HOME], check=True)
    else:
        os.mkdir(HOME, 0o700)
        os.chown(HOME, UID, GID)
        os.makedirs(HOME + "/project")
        os.chown(HOME + "/project", UID, GID)
    for path in ("/tmp/of-the-user.txt", "/var/tmp/of-the-user.txt", "/dev/shm/of-the-user.txt"):
        with open(path, "w") as file:
            file.write("left here\n")
        os.chown(path, UID, GID)
    path_sockets()
    for identifier in ipc_ids():
        subprocess.run(["ipcrm", *identifier], capture_output=True)
    events.clear()
    return {}


def kill_all():
    for _ in range(50):
        try:
            os.kill(-1, signal.SIGKILL)
        except ProcessLookupError:
            break
        reap()
        time.sleep(0.01)
    for process in started.values():
        try:
            process.wait(0)
        except subprocess.TimeoutExpired:
            pass
    started.clear()
    reap()


def remove(path):
    for _ in range(3):
        try:
            if os.path.isdir(path) and not os.path.islink(path):
                shutil.rmtree(path)
            else:
                os.unlink(path)
            return
        except FileNotFoundError:
            return
        except PermissionError:
            subprocess.run(["chmod", "-R", "u+rwX", path], capture_output=True)


def keep_template(_):
    """What the home is now is what every later one begins as; sockets are made anew."""
    template = kept("template")
    remove(template)
    subprocess.run(["cp", "-a", HOME, template], check=True)
    for name in ("service.sock", "log.sock", "project/dev.sock"):
        remove(f"{template}/{name}")
    return {}


def start(order):
    """Starts a program of the user's and leaves it running; where it is asked for, waits for its first line."""
    log = open(kept(order.get("log", "log")), "ab")
    controlling = terminal("the terminal") if order.get("terminal") else None
    out = subprocess.PIPE if order.get("ready") else log
    process = as_user(order["words"], order["environment"], order["folder"], controlling,
                      stdin=subprocess.DEVNULL, stdout=out, stderr=log)
    started[process.pid] = process
    first = ""
    if order.get("ready"):
        first = process.stdout.readline().decode()
    return {"pid": process.pid, "first": first, "terminal": os.ttyname(controlling) if controlling else ""}


def run(order):
    """Runs a program of the user's to its end."""
    process = as_user(order["words"], order["environment"], order["folder"], bounded=order.get("bounded", True),
                      stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    limit = time.monotonic() + order.get("seconds", 60)
    out = b""
    os.set_blocking(process.stdout.fileno(), False)
    while process.poll() is None:
        if time.monotonic() > limit:
            process.kill()
            out += b"\n[too slow]"
            break
        once(0.02)
        out += process.stdout.read() or b""
    out += process.stdout.read() or b""
    return {"output": out.decode("utf-8", "replace"), "status": process.poll()}


def other_terminal(_):
    slave = terminal("another terminal")
    return {"terminal": os.ttyname(slave)}


# ---- things that are observed ----

def processes():
    found = []
    for name in os.listdir("/proc"):
        if not name.isdigit() or name == "1":
            continue
        try:
            with open(f"/proc/{name}/stat") as file:
                stat = file.read()
            with open(f"/proc/{name}/cmdline", "rb") as file:
                words = file.read().replace(b"\0", b" ").decode("utf-8", "replace").strip()
            rest = stat.rpartition(")")[2].split()
            state, parent, nice = rest[0], int(rest[1]), int(rest[16])
            if state in "ZX":
                continue
            with open(f"/proc/{name}/limits") as file:
                limits = file.read()
            with open(f"/proc/{name}/oom_score_adj") as file:
                score = file.read().strip()
            exe = os.readlink(f"/proc/{name}/exe")
            affinity = sorted(os.sched_getaffinity(int(name)))
            policy = os.sched_getscheduler(int(name))
            io = LIBC.ioprio_get if hasattr(LIBC, "ioprio_get") else None
            priority = io(1, int(name)) if io else LIBC.syscall(252, 1, int(name)) if os.uname().machine == "x86_64" else 0
        except (OSError, ValueError):
            continue
        found.append({"pid": int(name), "parent": parent, "exe": exe, "words": words or stat.partition("(")[2].partition(")")[0],
                      "manner": [state == "T", nice, score, affinity, policy, priority, limits]})
    return found


def ipc_ids():
    for option, kind in (("-m", "shm"), ("-q", "msg"), ("-s", "sem")):
        try:
            with open(f"/proc/sysvipc/{kind}") as file:
                for line in file.readlines()[1:]:
                    yield option, line.split()[1]
        except OSError:
            pass


def unsettled():
    """Whether a process has yet to take a signal sent to it, or to be gone; a busy machine takes its time over that."""
    for name in os.listdir("/proc"):
        if not name.isdigit() or name == "1":
            continue
        try:
            with open(f"/proc/{name}/stat") as file:
                rest = file.read().rpartition(")")[2].split()
            with open(f"/proc/{name}/status") as file:
                lines = [line.split() for line in file if line.startswith(("Sig", "Shd"))]
        except OSError:
            continue
        masks = {words[0]: int(words[1], 16) for words in lines if words[0] != "SigQ:"}
        pending = (masks["SigPnd:"] | masks["ShdPnd:"]) & ~(masks["SigBlk:"] | masks["SigIgn:"])
        exiting = int(rest[6]) & 4
        if rest[0] not in "ZXT" and (pending or exiting):
            return True
    return False


def look(_):
    # Whatever is on its way is let in first.
    limit = time.monotonic() + 10
    while once(0) or unsettled() and time.monotonic() < limit:
        pass
    report = {"processes": processes(), "ipc": [" ".join(one) for one in ipc_ids()],
              "events": list(events), "packets": packets()}
    return report


def forget(_):
    events.clear()
    return {}


ORDERS = {"reset": reset, "keep_template": keep_template, "start": start, "run": run, "look": look, "forget": forget,
          "other_terminal": other_terminal}


def reap():
    """Orphans come to the first process."""
    while True:
        try:
            found = os.waitid(os.P_ALL, 0, os.WEXITED | os.WNOHANG | os.WNOWAIT)
        except ChildProcessError:
            return
        if found is None:
            return
        process = started.pop(found.si_pid, None)
        if process:
            process.poll()
        else:
            try:
                os.waitpid(found.si_pid, os.WNOHANG)
            except ChildProcessError:
                return


def once(patience):
    ready = loop.select(patience)
    for key, _ in ready:
        key.data()
    return ready


# ---- the two sockets of the harness ----

def on_control(listener):
    connection, _ = listener.accept()
    file = connection.makefile("rwb")

    def on_order():
        line = file.readline()
        if not line:
            # Without the harness there is nothing to be the machine of.
            os._exit(0)
        order = json.loads(line)
        try:
            answer = ORDERS[order["do"]](order)
        except Exception as fault:  # noqa: BLE001: told to the harness, whatever it is
            answer = {"fault": f"{type(fault).__name__}: {fault}"}
        file.write(json.dumps(answer).encode() + b"\n")
        file.flush()

    loop.register(connection, selectors.EVENT_READ, on_order)


def on_door(listener):
    """Joins a caller with the guard's socket, which admits this user alone."""
    caller, _ = listener.accept()
    guard = socket.socket(socket.AF_UNIX)
    try:
        # The guard talks to nobody but its user, not even to root.
        own = os.geteuid()
        os.seteuid(UID)
        guard.connect(SETTINGS["socket"])
        os.seteuid(own)
    except OSError:
        os.seteuid(own)
        caller.close()
        return
    open_ends = {caller, guard}

    def pass_on(one, other):
        try:
            data = one.recv(65536)
            if data:
                other.sendall(data)
                return
        except OSError:
            pass
        loop.unregister(one)
        open_ends.discard(one)
        try:
            other.shutdown(socket.SHUT_WR)
        except OSError:
            pass
        if not open_ends:
            one.close()
            other.close()

    loop.register(caller, selectors.EVENT_READ, lambda: pass_on(caller, guard))
    loop.register(guard, selectors.EVENT_READ, lambda: pass_on(guard, caller))


def main():
    global private
    private = os.open(BASE + "/private", os.O_RDONLY | os.O_DIRECTORY)
    for name, on in (("control.sock", on_control), ("door.sock", on_door)):
        listener = socket.socket(socket.AF_UNIX)
        listener.bind(f"{BASE}/private/{name}.new")
        listener.listen(64)
        os.rename(f"{BASE}/private/{name}.new", f"{BASE}/private/{name}")
        loop.register(listener, selectors.EVENT_READ, lambda on=on, listener=listener: on(listener))
    mounts()
    network()
    lasting_canaries()
    print("ready", flush=True)
    while True:
        once(0.2)
        reap()


signal.signal(signal.SIGPIPE, signal.SIG_IGN)
main()
