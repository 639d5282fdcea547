"""What bench/peers and bench/scan share: a command's time and memory, and tables."""
import os
import signal
import subprocess
import threading
import time
from dataclasses import dataclass


@dataclass
class Usage:
    seconds: float
    cpu: float
    memory: int  # bytes, of the largest process


class Failed(Exception):
    """A command did not end well; the message says how."""


def run(command, limit=86400, output=subprocess.DEVNULL, **how):
    """Time and memory of a command with its children."""
    begin = time.monotonic()
    process = subprocess.Popen([str(word) for word in command], stdout=output, stderr=subprocess.PIPE,
                               start_new_session=True, **how)
    too_late = threading.Timer(limit, os.killpg, (process.pid, signal.SIGKILL))
    too_late.start()
    complaint = process.stderr.read().decode(errors="replace").strip()
    _, status, usage = os.wait4(process.pid, 0)
    seconds = time.monotonic() - begin
    too_late.cancel()
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode == -signal.SIGKILL and seconds >= limit:
        raise Failed(f"took longer than {limit} s")
    if process.returncode != 0:
        raise Failed(complaint.splitlines()[-1] if complaint else f"exit code {process.returncode}")
    return Usage(seconds, usage.ru_utime + usage.ru_stime, usage.ru_maxrss << 10)


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
