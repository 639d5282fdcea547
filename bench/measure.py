"""What bench/peers and bench/scan share: a command's time and memory, and tables."""
import ast
import os
import shutil
import signal
import subprocess
import sys
from dataclasses import dataclass


@dataclass
class Usage:
    seconds: float
    cpu: float
    memory: int  # bytes, of the largest process


class Failed(Exception):
    """A command did not end well; the message says how."""


# A process remembers as its own the memory of the one that started it: this one is small, and so is what it adds.
LAUNCHER = """
import os, sys, time
begin = time.monotonic()
child = os.posix_spawnp(sys.argv[2], sys.argv[2:], os.environ)
_, status, usage = os.wait4(child, 0)
figures = time.monotonic() - begin, usage.ru_utime + usage.ru_stime, usage.ru_maxrss << 10
os.write(int(sys.argv[1]), repr(figures).encode())
sys.exit(os.waitstatus_to_exitcode(status) & 255)
"""


def run(command, limit=86400, output=subprocess.DEVNULL, **how):
    """Time and memory of a command with its children."""
    if not shutil.which(str(command[0])):
        raise Failed("not installed")
    read_end, write_end = os.pipe()
    launcher = [sys.executable, "-I", "-S", "-c", LAUNCHER, str(write_end)]
    process = subprocess.Popen([*launcher, *map(str, command)], stdout=output, stderr=subprocess.PIPE, text=True,
                               errors="replace", pass_fds=[write_end], start_new_session=True, **how)
    os.close(write_end)
    with os.fdopen(read_end) as figures:
        try:
            complaint = process.communicate(timeout=limit)[1].strip()
        except BaseException as cause: # too late, or interrupted: its children end with it
            os.killpg(process.pid, signal.SIGKILL)
            process.communicate()
            if isinstance(cause, subprocess.TimeoutExpired):
                raise Failed(f"took longer than {limit} s") from None
            raise
        if process.returncode != 0:
            raise Failed(complaint.splitlines()[-1] if complaint else f"exit code {process.returncode}")
        return Usage(*ast.literal_eval(figures.read()))


def markdown(header, rows, words=(0,)):
    """A table; the columns in `words` are text, all others numbers."""
    widths = [max(map(len, column)) for column in zip(header, *rows)]
    left = [column in words for column in range(len(header))]

    def line(cells):
        return "| " + " | ".join(cell.ljust(width) if at_left else cell.rjust(width)
                                 for cell, width, at_left in zip(cells, widths, left)) + " |"
    rule = "|".join("-" * (width + 2) if at_left else "-" * (width + 1) + ":" for width, at_left in zip(widths, left))
    return "\n".join([line(header), f"|{rule}|", *map(line, rows)]) + "\n"


def machine():
    with open("/proc/cpuinfo", encoding="utf-8") as file:
        name = next((line.split(":")[1].strip() for line in file if line.startswith("model name")), "unknown CPU")
    return f"{name}, {os.cpu_count()} threads"
