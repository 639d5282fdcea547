"""Collections that tests fill, and what is in them."""
import ctypes
import json
import os
import sys

from program import Base, prose

LONG_AGO = 10 ** 18


def text(seed, count=120):
    return " ".join(prose(count, seed))


class Collections(Base):
    def setUp(self):
        super().setUp()
        (self.folder / "pile").mkdir()

    def put(self, name, content, age=0):
        self.write(f"pile/{name}", content)
        self.set_time(name, age)

    def set_time(self, name, age=0):
        """Old enough that nobody doubts it."""
        moment = LONG_AGO + age * 10 ** 9
        os.utime(self.folder / "pile" / name, ns=(moment, moment))

    def add(self, *arguments, collection="c"):
        lines = self.good("add", "--json", collection, *(arguments or ("pile",))).splitlines()
        return json.loads(lines[-1])["summary"]

    def counts(self, *arguments, **how):
        summary = self.add(*arguments, **how)
        return tuple(summary[key] for key in ("added", "replaced", "unchanged", "removed"))

    def documents(self, collection="c", keys=("bytes", "text_bytes", "shingles", "form")):
        lines = map(json.loads, self.good("list", "--json", collection).splitlines())
        return {line["id"]: tuple(line.get(key) for key in keys) for line in lines}

    def opened(self, act, *names):
        """Which of the files are opened by that."""
        libc, watches = ctypes.CDLL(None), {}
        queue = libc.inotify_init1(os.O_NONBLOCK)
        try:
            for name in names:
                watches[libc.inotify_add_watch(queue, os.fsencode(self.path(name)), 0x20)] = name  # IN_OPEN
            act()
            events = os.read(queue, 4096)
        except BlockingIOError:
            return set()
        finally:
            os.close(queue)
        return {watches[int.from_bytes(events[at:at + 4], sys.byteorder)] for at in range(0, len(events), 16)}

    def path(self, name):
        return str((self.folder / "pile" / name).resolve())
