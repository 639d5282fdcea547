"""`stemma scan` run by tests, and what it printed."""
import json
import os
import pty
import subprocess

from program import PROGRAM, Base, prose

DOCUMENT = {"id", "bytes", "modified", "owner", "uid"}  # what JSON has of each


class Scanning(Base):
    def scan(self, *arguments, code=0, says="", **how):
        done = self.run_program("scan", *arguments, **how)
        message = done.stderr.decode(errors="replace")
        self.assertEqual(done.returncode, code, message)
        if says:
            self.assertRegex(message, says)
        else:
            self.assertEqual(message, "")
        return done.stdout.decode(errors="surrogateescape")

    def lines(self, *arguments, **how):
        return [json.loads(line) for line in self.scan("--json", *arguments, **how).splitlines()]

    def summary(self, *arguments, **how):
        return self.lines(*arguments, **how)[-1]["summary"]

    def groups(self, *arguments, **how):
        """{kept: {member: relation}}"""
        return {line["kept"]["id"]: {member["id"]: member["relation"] for member in line["members"]}
                for line in self.lines(*arguments, **how) if "group" in line}

    def redundant(self, *arguments, **how):
        return set(self.scan("--list-redundant", *arguments, **how).splitlines())

    @staticmethod
    def shown_on(terminal):
        """All that a terminal of ours showed, when nobody has it open any more."""
        shown = b""
        try:
            while piece := os.read(terminal, 65536):
                shown += piece
        except OSError:  # how a terminal says that there is no more
            pass
        os.close(terminal)
        return shown

    def on_terminal(self, *arguments):
        """What a terminal shows, and the exit code."""
        ours, theirs = pty.openpty()
        program = subprocess.Popen([PROGRAM, "scan", *arguments], cwd=self.folder, stdout=theirs, stderr=theirs,
                                   env=dict(os.environ, LC_ALL="C", NO_COLOR="1"))
        os.close(theirs)
        return self.shown_on(ours).decode().replace("\r\n", "\n"), program.wait(60)

    def pile(self):
        """One text in every relation that there is, and one of its own."""
        text = prose(2000, 1)
        for name in ("pile/a.txt", "pile/sub/b.txt"):
            self.write(name, " ".join(text))
        self.write("pile/c.txt", " ".join(text).upper())
        self.write("pile/near.txt", " ".join(text[:1900]))
        self.write("pile/part.txt", " ".join(text[500:800]))
        self.write("pile/other.txt", " ".join(prose(1000, 2)))
        return "pile"
