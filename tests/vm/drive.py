"""Boots the machine, presses its keys through QEMU's monitor, and checks what each step of tests/vm/init said."""

import os
import re
import socket
import subprocess
import sys
import tempfile
import threading
import time

KERNEL, INITRAMFS = sys.argv[1:3]
# The keys to press once a step's keyboards are read, and how the step must end: the status, and a text it must show.
STEPS = {
    "nodes": ([], None, "Permission denied"),
    "status": ([], "0", r"counts .*\n\s*/sys/devices/platform/i8042/"),
    "stranger": ([], "1", "user 1001 may not ask"),
    "injector": ([], "1", "every program of user 1002 can press its keys"),
    "yes": (["y"], "0", r"\byes\b"),
    "no": (["n"], "5", r"\bno\b"),
    "digit": (["y", "3", "7"], "0", r"\byes\b"),
    "virtual": ([], "5", r"refused .*Logitech USB Keyboard[\s\S]*/sys/devices/virtual/[\s\S]*nobody answered"),
    "beside": (["n"], "5", r"\bno\b"),
    "setup": (["y"], "0", r"The trusted keyboard works"),
    # It takes its time to begin on an emulated machine: pressed again until it counts.
    "guard": (["y"] * 12, "0", r"MADE[\s\S]*\"channel\":\"keyboard\""),
    "long": ([], "0", r"GONE"),
    "restricted": ([], "5", r"no user namespace can be made: Permission denied[\s\S]*\nold"),
    "profile": ([], "0", r"guarda-keeper \(unconfined\)"),
    "staged": ([], "0", r"Permission denied[\s\S]*undo +ready[\s\S]*\nnew[\s\S]*echo new"),
}


def main():
    folder = tempfile.mkdtemp()
    monitor = os.path.join(folder, "monitor")
    terminal = os.path.join(folder, "terminal")
    machine = subprocess.Popen(
        ["qemu-system-x86_64", "-accel", "tcg", "-cpu", "qemu64", "-m", "1024", "-display", "none", "-no-reboot",
         "-nodefaults", "-vga", "none", "-net", "none", "-kernel", KERNEL, "-initrd", INITRAMFS,
         "-append", "console=ttyS0 quiet panic=1", "-serial", "stdio", "-serial", f"unix:{terminal},server=on,wait=off",
         "-monitor", f"unix:{monitor},server=on,wait=off"],
        stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True, errors="replace")
    guard = threading.Timer(900, machine.kill)
    guard.start()

    ends, texts = {}, {}

    def press(keys, step=None):
        # An answer takes two seconds without another key, and is held for one.
        time.sleep(2.8)
        try:
            with socket.socket(socket.AF_UNIX) as line:
                line.connect(monitor)
                for key in keys:
                    if step in ends:
                        return
                    held = 1400
                    line.sendall(f"sendkey {key} {held}\n".encode())
                    time.sleep(held / 1000 + 2.6)
        except OSError:
            pass  # The machine is off already.

    screen, early = bytearray(), []
    keys = socket.socket(socket.AF_UNIX)

    def show():
        while keys.connect_ex(terminal) != 0:
            time.sleep(0.1)
        while some := keys.recv(4096):
            screen.extend(some)

    threading.Thread(target=show, daemon=True).start()

    def shown(text, since=0):
        until = time.monotonic() + 120
        while text not in screen[since:] and time.monotonic() < until:
            time.sleep(0.1)
        return text in screen[since:]

    def read_to_the_end():
        """A yes before the last page of a question does not count; the one after it does."""
        since, pages = len(screen), 1
        if not shown(b"read on", since):
            return
        press(["y", "y"])
        early.append(ends.get("long"))
        while b"Y = yes" not in screen[since:] and pages < 20:
            keys.sendall(b" ")
            pages += 1
            time.sleep(2)
        print(f"        the terminal showed {pages} pages", flush=True)
        while "long" not in ends and machine.poll() is None:
            press(["y"])

    step, said, pressed = None, "", False
    begun = time.monotonic()
    for line in machine.stdout:
        print(f"{time.monotonic() - begun:6.1f}  {line.rstrip()}", flush=True)
        if mark := re.match(r"STEP (\w+)", line):
            step, said, pressed = mark[1], "", False
            if step == "long":
                threading.Thread(target=read_to_the_end).start()
        said += line
        texts[step] = said
        if step in STEPS and re.search(r"keyboards? (is|are) read", line) and not pressed and STEPS[step][0]:
            pressed = True
            wait = 4.0 if step == "guard" else 0.0
            threading.Thread(target=lambda step=step, wait=wait: (time.sleep(wait), press(STEPS[step][0], step))).start()
        if mark := re.match(r"ENDED (\d+)", line):
            ends[step] = mark[1]
    machine.wait()
    guard.cancel()
    wrong = 0
    for name, (_, status, text) in STEPS.items():
        good = (name != "long" or early == [None]) and name in ends and status in (None, ends[name]) and re.search(text, texts[name])
        wrong += not good
        print(f"{'ok  ' if good else 'FAIL'}  {name}")
    sys.exit(1 if wrong else 0)


main()
