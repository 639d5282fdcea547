"""Formats and encodings as a user of the program meets them."""
import bz2
import gzip
import json
import lzma
import os
import re
import shutil
import subprocess
import sys
import unittest
import zlib

from formats import corpus
from program import PROGRAM, SANITIZED, SOURCE, Base, words

TEXT = "The café by the river: " + " ".join(words(900))
PAGE = ("<!doctype html><html><head><title>no &amp; </p> no</title><script>no no no</script></head><body><h1>The caf&eacute;</h1><p>by the <b>riv</b>er: "
        + " ".join(words(900)) + "</p></body></html>")
MARKDOWN = "# The caf&eacute;\n\nby the **riv**er: " + " ".join(words(900)) + "\n"


class Formats(Base):
    def setUp(self):
        super().setUp()
        self.write("a.txt", TEXT)
        self.write("a.html", PAGE)
        self.write("page", PAGE)
        self.write("a.md", MARKDOWN)
        self.write("wide.txt", TEXT.encode("utf-16"))
        self.write("big-endian.txt", TEXT.encode("utf-16-be"))
        self.write("latin1.txt", TEXT.encode("latin-1"))
        self.write("marked.txt", b"\xef\xbb\xbf" + TEXT.encode())
        self.all = sorted(os.listdir(self.folder))

    def compare(self, *arguments):
        return json.loads(self.good("compare", "--json", *arguments))

    def test_one_text_in_every_format(self):
        text = self.good("text", "a.txt")
        for name in self.all:
            self.assertEqual(self.good("text", name), text, name)
            expected = "identical" if name == "a.txt" else "same-text"
            for how in (["--edit=exact"], ["--edit=none"], ["--edit=estimate"], ["--sketch"]):
                self.assertEqual(self.compare(*how, "a.txt", name)["relation"], expected, (name, how))

    def test_sketches_are_of_the_text(self):
        self.good("sketch", "-q", "-o", "all", *self.all)
        for name in self.all:
            self.assertEqual(self.compare("all#a.txt", "all#" + name)["resemblance"]["value"], 1)
            self.assertEqual(self.compare("all#a.html", name)["resemblance"]["value"], 1)

    def test_bytes_count_where_they_are_asked_for(self):
        self.assertLess(self.compare("--preset=code", "a.txt", "a.html")["resemblance"]["value"], 1)
        self.assertEqual(self.good("text", "--preset=raw", "a.html"), PAGE)
        self.assertEqual(self.good("text", "--preset=code", "a.html"), PAGE)

    def test_the_same_bytes_under_two_names(self):
        self.write("b.txt", "some *marked* text, [here](there) and now")
        self.write("b.md", "some *marked* text, [here](there) and now")
        found = self.compare("b.txt", "b.md")
        self.assertEqual(found["relation"], "identical")
        self.assertEqual(found["offsets"], {"a": "original", "b": "extracted"})

    def test_offsets_say_what_they_are_of(self):
        self.write("b.html", PAGE.replace("<p>by", "<p>beside"))
        extracted = self.good("text", "--extracted", "b.html").encode()
        for found in (self.compare("a.txt", "b.html"), json.loads(self.run_program("diff", "--json", "a.txt", "b.html").stdout)):
            self.assertEqual(found["offsets"], {"a": "original", "b": "extracted"})
            difference = found["differences"][0]
            self.assertEqual(TEXT.encode()[difference["a"]["begin"]:difference["a"]["end"]], b"by")
            self.assertEqual(extracted[difference["b"]["begin"]:difference["b"]["end"]], b"beside")
        self.assertEqual(json.loads(self.good("text", "--json", "a.html"))["offsets"], "extracted")
        self.assertEqual(json.loads(self.good("text", "--json", "a.txt"))["offsets"], "original")

    def test_diff_of_formats(self):
        self.assertIn("the same canonical text", self.good("diff", "a.txt", "a.html"))
        self.assertIn("identical", self.good("diff", "a.html", "page"))
        self.assertIn("marked", self.run_program("diff", "a.txt", self.write("c.html", "<html>marked")).stdout.decode())

    def test_encodings_that_are_asked_for(self):
        plain = self.good("text", "a.txt")
        for encoding, name in (("latin-1", "latin1.txt"), ("utf-16", "wide.txt"), ("utf-16le", "wide.txt"),
                               ("utf-16be", "big-endian.txt"), ("utf-8", "marked.txt"), ("auto", "wide.txt")):
            self.assertEqual(self.good("text", f"--encoding={encoding}", name), plain)
        self.assertNotEqual(self.good("text", "--encoding=latin-1", "a.txt"), plain)
        self.bad("text", "--encoding=ebcdic", "a.txt", says="no encoding 'ebcdic'")
        self.bad("show", "--encoding=utf-8", "a.txt", says="encoding")
        self.bad("text", "--tokens", "--extracted", "a.txt", says="do not go together")

    def test_encodings_of_single_languages(self):
        """Named or, where there is enough of it, told by its bytes, it is the same text as in UTF-8."""
        words = "我们阅读各种编码的文本并且比较它们的词语这是一个很长的句子而且还有更多的文字在后面。"
        for encoding, text in (("gb18030", words), ("big5", "我們閱讀各種編碼的文本並且比較它們的詞語這是一個很長的句子而且後面還有更多的文字"),
                               ("koi8-r", "Мы читаем тексты в любых кодировках и сравниваем их слова"),
                               ("shift_jis", "私たちはいろいろな文字コードで書かれた文章を読み、それらの言葉を比べます")):
            self.write("a.txt", text.encode("utf-8"))
            self.write("b.txt", text.encode(encoding))
            for options in ([], ["--encoding=" + encoding]):
                out = self.good("text", "--extracted", *options, "b.txt")
                self.assertEqual(out.strip(), text, encoding)
            self.assertIn("same-text", self.good("compare", "--json", "a.txt", "b.txt"))

    def test_a_collection_remembers_the_encoding(self):
        """Another encoding is another way of reading: the document is read again, and found by its text."""
        self.write("x.txt", "Русский один два три четыре пять шесть".encode("koi8-r"))
        self.good("add", "--encoding=cp1251", "c", "x.txt")
        self.assertIn("1 replaced", self.good("add", "--encoding=koi8-r", "c", "x.txt"))
        self.assertIn("1 unchanged", self.good("add", "--encoding=KOI8-R", "c", "x.txt"))
        self.write("y.txt", "Русский один два три четыре пять шесть")
        self.assertIn("same-text", self.good("query", "--json", "c", "y.txt"))

    def test_bytes_that_are_none_in_the_encoding_are_told(self):
        self.write("x.txt", b"one two \xff\xff three four five six")
        said = self.run_program("text", "--extracted", "--encoding=gbk", "x.txt").stderr.decode()
        self.assertIn("2 of its bytes are no text in gbk", said)

    def test_pipes(self):
        for name in ("page", "wide.txt", "latin1.txt", "a.txt"):
            content = (self.folder / name).read_bytes()
            self.assertEqual(self.good("text", "-", stdin=content), self.good("text", "a.txt"))
            self.assertEqual(self.compare("-", "a.txt")["relation"] if not content else
                             json.loads(self.good("compare", "--json", "-", "a.txt", stdin=content))["resemblance"]["value"], 1)

    def test_what_is_converted_is_bounded(self):
        self.write("large.html", "<html>" + "word " * 400_000)
        self.write("large.txt", "word and " * 400_000)
        self.bad("sketch", "-o", "s", "--memory=1M", "large.html", says="large.html.*allow more memory")
        self.good("sketch", "--json", "--memory=1M", "--scheme=oph", "-n", "64", "large.txt")

    def test_slow_pipe_gives_the_same(self):
        """The decision does not depend on how the bytes arrive."""
        content = ("x" * 70_000 + " ").encode() + TEXT.encode("latin-1")
        self.write("x", content)
        writer = subprocess.Popen([sys.executable, "-c", "import sys, time\nb = open('x', 'rb').read()\n"
                                   "for i in range(0, len(b), 9000): sys.stdout.buffer.write(b[i:i + 9000]); sys.stdout.flush(); time.sleep(.005)"],
                                  stdout=subprocess.PIPE, cwd=self.folder)
        done = subprocess.run([PROGRAM, "sketch", "--json", "-"], stdin=writer.stdout, capture_output=True, cwd=self.folder, timeout=60)
        writer.stdout.close()
        writer.wait()
        piped, whole = json.loads(done.stdout), json.loads(self.good("sketch", "--json", "x"))
        self.assertEqual(piped["text_digest"], whole["text_digest"])
        self.assertEqual(piped["digest"], whole["digest"])


    def test_what_is_ascii_for_long(self):
        """The first byte beyond ASCII decides, wherever it is: in memory, in a pipe, and in pieces."""
        text = " ".join(words(100_000)) + " " + "Élan vital, déjà vu à l'œil nu. " * 300
        self.assertGreater(text.index("É"), 300_000)
        self.write("late/8.txt", text)
        self.write("late/1.txt", text.encode("cp1252"))
        expected = self.good("text", "late/8.txt")
        self.assertEqual(self.good("text", "late/1.txt"), expected)
        for how in ([], ["--sketch"], ["--memory=1M", "--edit=none"]):
            self.assertEqual(self.compare(*how, "late/8.txt", "late/1.txt")["relation"], "same-text", how)
        digests = {json.loads(self.good("sketch", "--json", "-", stdin=text.encode(encoding)))["text_digest"]
                   for encoding in ("utf-8", "cp1252")}
        self.assertEqual(len(digests), 1)
        for memory in ("1G", "1M"):
            found = self.good("scan", "--json", "--memory=" + memory, "late")
            self.assertIn('"same-text"', found, memory)


class Declared(Base):
    TEXTS = {"gb2312": "中国文学的发展历史，模糊不清。", "gbk": "龍的傳說，模糊", "gb18030": "中国模糊", "x-gbk": "模糊",
             "big5": "中文網頁的編碼", "euc-jp": "日本語の文章と漢字、仮名", "x-euc-jp": "日本語", "shift_jis": "日本語の文章",
             "x-sjis": "日本語", "iso-2022-jp": "日本語の文章", "euc-kr": "한국어 문서, 가나다", "ks_c_5601-1987": "한국어 똠",
             "koi8-r": "Привет, мир", "cp1251": "Привет, мир", "windows-874": "ภาษาไทย ยินดีต้อนรับ"}
    CODECS = {"x-gbk": "gbk", "x-euc-jp": "euc-jp", "x-sjis": "shift_jis", "ks_c_5601-1987": "cp949", "windows-874": "cp874"}

    def test_pages_in_the_encodings_they_name(self):
        for charset, text in self.TEXTS.items():
            content = text * 100
            codec = self.CODECS.get(charset, charset)
            for name, page in (("a.html", f'<html><head><meta charset="{charset}"></head><body>{content}</body></html>'),
                               ("a.xml", f'<?xml version="1.0" encoding="{charset}"?><a>{content}</a>')):
                self.write(name, page.encode(codec))
                self.assertEqual(self.good("text", "--extracted", name).strip(), content, (charset, name))


class Corpus(Base):
    """Every format, good and broken: a text, or one line that names the file and the cause."""

    def setUp(self):
        super().setUp()
        for name, content, _ in corpus.CASES:
            self.write(name, content)

    def test_each_case(self):
        for name, content, expected in corpus.CASES:
            with self.subTest(name):
                if isinstance(expected, corpus.Error):
                    message = self.bad("text", "--extracted", name, says=expected.pattern)
                    self.assertIn(f"cannot read '{name}'", message)
                    self.assertEqual(message.count("\n"), 1)
                elif isinstance(expected, corpus.Damaged):
                    done = self.run_program("text", "--extracted", name)
                    self.assertEqual((done.returncode, " / ".join(done.stdout.decode().splitlines())), (0, expected.text))
                    self.assertRegex(done.stderr.decode(), rf"\Astemma: warning: '{name}' may lack text: .*{expected.pattern}.*\n"
                                                             + (r"\Z" if expected.text else "stemma: .* holds no text to print"))
                elif content and not expected:
                    done = self.run_program("text", "--extracted", name)
                    self.assertEqual((done.returncode, done.stdout.strip(), done.stderr.count(b"holds no text to print")), (0, b"", 1))
                else:
                    self.assertEqual(" / ".join(self.good("text", "--extracted", name).splitlines()), expected)

    def test_all_at_once(self):
        """A scan says the same, whatever threads and memory it has, and finds copies of what has no text."""
        for name, content, _ in corpus.CASES:
            self.write("again/" + name, content)
        found = []
        for how in (["--threads=1"], ["--threads=4"], ["--memory=256M", "--threads=3"]):
            lines = [json.loads(line) for line in self.run_program("scan", "--json", *how, ".").stdout.splitlines()]
            found.append(lines[:-1])
        self.assertEqual(found[0], found[1])
        self.assertEqual(found[0], found[2])
        summary = lines[-1]["summary"]
        errors = {name for name, _, expected in corpus.CASES if isinstance(expected, corpus.Error)}
        damaged = {name for name, _, expected in corpus.CASES if isinstance(expected, corpus.Damaged)}
        problems = [line for line in lines if "problem" in line]
        self.assertEqual({os.path.basename(line["problem"]) for line in problems if "used" not in line}, errors)
        self.assertEqual({os.path.basename(line["problem"]) for line in problems if "used" in line}, damaged)
        self.assertEqual((summary["problems"], summary["damaged"]), (2 * len(errors | damaged), 2 * len(damaged)))
        no_text = {name for name, content, expected in corpus.CASES
                   if expected is corpus.NO_TEXT or (content and getattr(expected, "text", expected) == "")}
        self.assertEqual(summary["binary"], 2 * len(no_text))
        self.assertEqual(summary["empty"], 2)
        grouped = {os.path.basename(document["id"]) for line in lines if "group" in line for document in [line["kept"], *line["members"]]}
        self.assertEqual(grouped, {name for name, content, _ in corpus.CASES if content})

    def test_all_that_is_named_is_damaged(self):
        damaged = [name for name, _, expected in corpus.CASES if isinstance(expected, corpus.Error)][:2]
        self.write("t.txt", "some words")
        for code, names in (2, damaged[:1]), (2, damaged), (0, [*damaged, "t.txt"]), (2, ["missing", "t.txt"]):
            self.assertEqual(self.run_program("scan", *names).returncode, code, names)

    def test_pages_that_are_pictures(self):
        """What has no words is not the same for that: its bytes decide, as in a scan."""
        for name in "a", "b":
            self.write(f"{name}.docx", corpus.docx("<w:p/>", parts=[("word/media/1.png", name * 99)]))
        self.write("t.txt", "some words")
        done = self.run_program("diff", "a.docx", "b.docx")
        self.assertEqual((done.returncode, done.stdout), (1, b"Binary files a.docx and b.docx differ\n"))
        for other in "b.docx", "t.txt":
            found = json.loads(self.run_program("diff", "--json", "a.docx", other).stdout)
            self.assertEqual([found[key] for key in ("binary", "same_text", "differences", "shared")], [True, False, [], []])
        self.assertEqual(self.good("diff", "a.docx", "a.docx"), "The documents are identical.\n")
        done = self.run_program("compare", "--json", "a.docx", "b.docx")
        found = json.loads(done.stdout)
        self.assertEqual((done.returncode, found["relation"], "edit" in found), (0, "unknown", False))
        self.assertIn(b"holds no text to compare", done.stderr)


class Conversions(Base):
    """What real programs made of two originals (tests/formats/make)."""

    FORMS = {"txt": None, "md": "markdown", "html": "html", "docx": "docx", "odt": "odt", "rtf": "rtf", "epub": "epub", "pdf": "pdf"}

    def setUp(self):
        super().setUp()
        for original in ("letter", "report"):
            for form in self.FORMS:
                self.write(f"{original}.{form}", (SOURCE / f"tests/formats/{original}.{form}").read_bytes())

    def test_every_pair_is_the_same_text(self):
        pairs = [json.loads(line) for line in self.good("scan", "--json", "--pairs", "-t", ".3", "--contained=0", ".").splitlines()][:-1]
        least = min(pair["resemblance"] for pair in pairs)
        self.assertGreaterEqual(least, .98)
        for original in ("letter", "report"):
            groups = json.loads(self.good("scan", "--json", "-t", ".98", *[f"{original}.{form}" for form in self.FORMS]).splitlines()[0])
            self.assertEqual(len(groups["members"]), len(self.FORMS) - 1)

    def test_titles_are_not_on_the_page(self):
        for original in ("letter", "report"):
            page = (self.folder / f"{original}.html").read_text()
            titled = re.sub("<title.*?</title>|(?=</head>)", "<title>Copy of letter_final_v2 (3) - Intranet of the company</title>", page, count=1)
            self.assertNotEqual(titled, page)
            self.write("titled.html", titled)
            self.assertEqual(self.good("compare", "-q", f"{original}.html", "titled.html").split()[0], "same-text")

    def test_they_are_called_so(self):
        words = self.good("scan", ".")
        self.assertEqual(len(re.findall("another form 9[89] %", words)), 2 * (len(self.FORMS) - 1))
        self.write("same/a.txt", "the very same text in two forms")
        self.write("same/a.html", "<p>The very same text in two forms</p>")
        self.assertEqual(self.good("scan", "same").count("same text in another form"), 1)
        moved = self.good("scan", "--move=aside", "--near=.9", "--dry-run", "same")
        self.assertRegex(moved, r"would move +same text in another form +")
        shutil.rmtree(self.folder / "same")
        for line in self.good("scan", "--json", ".").splitlines()[:-1]:
            group = json.loads(line)
            for document in [group["kept"], *group["members"]]:
                self.assertEqual(document.get("form"), self.FORMS[document["id"].rpartition(".")[2]])

    def test_what_is_no_xml_after_all(self):
        """Its form is what it was read as, whatever its beginning looked like, and however much memory there was."""
        beginning = "<list>" + "".join(f"<w{i}>{word}</w{i}>" for i, word in enumerate(words(40_000)))
        self.write("xml/a", beginning + "</list>")
        self.write("xml/b", beginning.replace("list", "other") + "</other>")
        self.write("plain/a", beginning + " & so on")
        self.write("plain/b", beginning + " & so on, and on")
        self.write("wide/a", (beginning + "</list>").encode("utf-16"))
        self.write("wide/b", (beginning.replace("list", "other") + "</other>").encode("utf-16"))
        self.write("wide plain/a", (beginning + " & so on").encode("utf-16"))
        self.write("wide plain/b", (beginning + " & so on, and on").encode("utf-16"))
        for how in [], ["--memory=64M", "--threads=8"]:
            for folder, form in ("xml", "xml"), ("plain", None), ("wide", "xml"), ("wide plain", None):
                group = json.loads(self.good("scan", "--json", *how, folder).splitlines()[0])
                self.assertEqual([document.get("form") for document in (group["kept"], *group["members"])], [form, form])

    def test_under_their_wrong_names(self):
        for form in self.FORMS:
            if form != "md":  # which only the name tells
                self.write("x.bin", (self.folder / f"letter.{form}").read_bytes())
                self.assertEqual(self.good("text", "--extracted", "x.bin"), self.good("text", "--extracted", f"letter.{form}"))

    def test_without_the_converter(self):
        self.write("other.pdf", corpus.pdf([["another"]]))
        done = self.run_program("scan", ".", PATH="/nowhere")
        self.assertEqual(done.returncode, 0)
        message = done.stderr.decode()
        self.assertEqual(message.count("PDF needs pdftotext (package poppler-utils)"), 3)
        self.assertIn("other.pdf", message)
        self.assertIn("letter.docx", done.stdout.decode())

    def test_nobody_runs_a_program_that_lies_among_documents(self):
        self.write("pdftotext", "#!/bin/sh\necho taken over\n")
        os.chmod(self.folder / "pdftotext", 0o755)
        for path in (".", "", ":", ".:/nowhere"):
            self.bad("text", "letter.pdf", says="PDF needs pdftotext", PATH=path)

    def test_bytes_are_left_alone(self):
        self.assertEqual(self.run_program("text", "--preset=raw", "letter.docx").stdout, (self.folder / "letter.docx").read_bytes())


class Damaged(Base):
    """What is read in part is used, and told."""

    SOUND = r"{\rtf1 " + TEXT.encode("ascii", "ignore").decode() + "}"

    def setUp(self):
        super().setUp()
        self.write("a.rtf", self.SOUND[:-1])
        self.told = "'a.rtf' may lack text: it ends in the middle"

    def test_every_command_tells(self):
        self.write("b.txt", " ".join(words(900)))
        self.good("add", "-q", "c", "b.txt")
        for code, *command in ((0, "text", "a.rtf"), (0, "compare", "a.rtf", "b.txt"), (0, "compare", "-q", "--edit=none", "a.rtf", "b.txt"),
                               (0, "compare", "--sketch", "a.rtf", "b.txt"), (1, "diff", "a.rtf", "b.txt"), (0, "sketch", "-o", "s", "a.rtf"),
                               (0, "mutate", "--kind=shuffle", "a.rtf"), (0, "find", "--target=b.txt", "a.rtf"), (0, "find", "--target=a.rtf", "b.txt"),
                               (0, "query", "c", "a.rtf"), (0, "known", "c", "a.rtf"), (0, "scan", "a.rtf", "b.txt"), (0, "tree", "a.rtf", "b.txt")):
            done = self.run_program(*command)
            self.assertEqual(done.returncode, code, (command, done.stderr))
            self.assertEqual(done.stderr.decode().count(f"stemma: warning: {self.told}\n"), 1, (command, done.stderr))

    def test_json_and_strict(self):
        self.good("add", "-q", "c", self.write("b.txt", " ".join(words(900))))
        for code, *command in ((0, "scan"), (0, "add", "c"), (0, "query", "c"), (0, "known", "c"), (0, "find", "--target=b.txt")):
            done = self.run_program(*command, "--json", "a.rtf")
            lines = [json.loads(line) for line in done.stdout.splitlines()]
            problems = [line for line in lines if "problem" in line]
            self.assertEqual((done.returncode, len(problems)), (code, 1), (command, done.stderr))
            self.assertTrue(problems[0]["used"] and problems[0]["cause"].endswith(self.told[6:]), problems)
            if command[0] in ("scan", "add"):
                self.assertEqual((lines[-1]["summary"]["problems"], lines[-1]["summary"]["damaged"]), (1, 1))
            if command[0] == "find":
                self.assertEqual(lines[-1]["summary"]["unreadable"], 0)
                continue
            if command[0] == "add":
                self.good("remove", "-q", "c", str(self.folder / "a.rtf"))
            self.assertEqual(self.run_program(*command, "--strict", "a.rtf").returncode, 2, command)

    def test_words_of_a_scan(self):
        self.write("cut.docx", corpus.LETTER[:len(corpus.LETTER) // 2])
        done = self.run_program("scan", ".")
        self.assertIn("\n1 may lack text, 1 could not be read\n", done.stdout.decode())
        self.assertTrue(done.stderr.decode().endswith("stemma: warning: 1 document may lack text\n"
                                                      "stemma: warning: 1 document could not be read; the others were scanned\n"))
        quiet = self.run_program("scan", "-q", ".").stderr.decode()
        self.assertEqual((quiet.count("\n"), quiet.count("may lack text")), (2, 1))

    def test_what_stays_since_it_may_lack_text_is_called_so(self):
        self.write("only/sound.rtf", self.SOUND)
        self.write("only/cut.rtf", self.SOUND[:-1])
        out = self.run_program("scan", "only").stdout.decode()
        self.assertRegex(out, r"only/cut.rtf  \(may lack text\)\n")
        self.assertIn("1 left, as it holds more than was compared or may lack text\n", out)

    def test_nothing_that_could_be_read(self):
        """It is one whether it was named or met in a folder; with anything else beside it, that is done."""
        self.write("bad/a.docx", b"PK\3\4 no archive at all")
        self.bad("find", "a.rtf", "bad")
        for command in "scan", "tree":
            self.assertEqual([self.run_program(command, *names).returncode for names in (["bad"], ["bad/a.docx"])], [2, 2])
        self.write("bad/b.txt", "this one is sound")
        for command in "scan", "tree":
            self.assertEqual(self.run_program(command, "bad").returncode, 0)

    def test_compressed_mail_does_not_go_for_its_body(self):
        """Whatever it is called; its header is not compared."""
        for name in "one", "two":
            mail = f"From: a@b\nTo: c@d\nSubject: {name}\nDate: Mon, 1 Jan 2024 00:00:00 +0000\n\nThe same body of both of them\n"
            self.write(f"mails/{name}.gz", gzip.compress(mail.encode()))
        group = json.loads(self.good("scan", "--json", "mails").splitlines()[0])
        self.assertEqual([(m["relation"], m["redundant"]) for m in group["members"]], [("same-text", False)])

    def test_a_copy_is_told_of_under_its_own_name(self):
        self.write("b.rtf", self.SOUND[:-1])
        lines = [json.loads(line) for line in self.run_program("scan", "--json", ".").stdout.splitlines()]
        self.assertEqual([line["cause"] for line in lines if "problem" in line],
                         [f"'./{name}.rtf' may lack text: it ends in the middle" for name in "ab"])

    def test_what_is_sound_is_kept_of_near_duplicates_too(self):
        """Wherever it lies; texts are equally long."""
        text = [f"word{number}" for number in range(300)]
        self.write("pile/a.rtf", "{\\rtf1 " + " ".join(text))
        self.write("pile/deep/er/b.rtf", "{\\rtf1 " + " ".join([*text[:-1], "word992"]) + "}")
        lines = [json.loads(line) for line in self.run_program("scan", "--json", "pile").stdout.splitlines()]
        self.assertEqual(lines[0]["kept"]["id"], "pile/deep/er/b.rtf")

    def test_what_is_sound_is_kept_and_nothing_goes_for_its_text_alone(self):
        """Who knows what a damaged document says besides."""
        self.write("of/a/longer/name.rtf", self.SOUND)
        group = json.loads(self.run_program("scan", "--json", ".").stdout.splitlines()[0])
        self.assertEqual(group["kept"]["id"], "./of/a/longer/name.rtf")
        self.assertEqual([(m["id"], m["relation"], m["redundant"]) for m in group["members"]], [("./a.rtf", "same-text", False)])
        done = self.run_program("scan", "--delete", "--yes", "--near=.7", "--log=log", ".")
        self.assertIn("1 left alone, as it holds more than was compared: attachments, or what cannot be read\n", done.stdout.decode())
        self.assertTrue((self.folder / "a.rtf").exists())
        self.write("b.rtf", self.SOUND[:-1])  # which is identical, and may go
        self.assertEqual(self.run_program("scan", "--list-redundant", ".").stdout, b"./b.rtf\n")

    def test_inside_others(self):
        self.write("a.rtf.gz", gzip.compress(self.SOUND[:-1].encode()))
        self.write("a.zip", corpus.archive([("x.rtf", self.SOUND[:-1] + " more"), ("y.txt", "some words")]))
        (self.folder / "a.rtf").unlink()
        for how in [], ["--memory=4M"]:
            lines = [json.loads(line) for line in self.run_program("scan", "--json", *how, ".").stdout.splitlines()]
            self.assertEqual([line["problem"] for line in lines if "problem" in line], ["./a.rtf.gz", "./a.zip!/x.rtf"])
            self.assertEqual(lines[-1]["summary"]["documents"], 4)

    def test_a_collection_tells_when_it_reads(self):
        self.write("a.zip", corpus.archive([("x.rtf", self.SOUND[:-1] + " more"), ("y.txt", "some words")]))
        for directory in "c", "d":
            done = self.run_program("add", directory, "a.rtf", "a.zip")
            self.assertEqual((done.returncode, done.stderr.count(b"may lack text: it ends in the middle\n")), (0, 2))
            self.assertIn(b"4 documents added", done.stdout)
        for file in "a.rtf", "a.zip":
            os.utime(self.folder / file, (1e9, 1e9))
        self.run_program("add", "c", "a.rtf", "a.zip")
        self.assertIn(" 0 replaced, 4 unchanged", self.good("add", "c", "a.rtf", "a.zip"))

    def test_long_ones(self):
        """Those that are converted alone."""
        self.write("a.rtf", "{\\rtf1 " + " ".join(words(400_000)))
        for how in ["--memory=64M", "--threads=4"], ["--memory=1G", "--threads=1"]:
            done = self.run_program("scan", "--json", *how, "a.rtf")
            self.assertIn(b'"used":true', done.stdout)

    def test_a_name_is_said_once(self):
        damaged = bytearray(gzip.compress(TEXT.encode()))
        damaged[-100] ^= 255
        self.write("a.txt.gz", bytes(damaged))
        self.bad("text", "a.txt.gz", says=r"\Astemma: cannot read 'a.txt.gz': it cannot be unpacked: .*\n\Z")

    def test_what_is_compressed_and_cut_off(self):
        """The beginning of a text is one; of anything else it is nothing."""
        long = " ".join(words(400_000))
        for name, pack in ("gz", gzip.compress), ("bz2", lambda b: bz2.compress(b, 1)), ("xz", lzma.compress), ("zst", corpus.zstd):
            whole = pack(long.encode())
            self.write(f"a.txt.{name}", whole[:len(whole) * 3 // 4])
            done = self.run_program("text", "--extracted", f"a.txt.{name}")
            self.assertEqual((done.returncode, done.stderr.decode()),
                             (0, f"stemma: warning: 'a.txt.{name}' may lack text: it cannot be unpacked: it ends too early\n"))
            part = done.stdout.decode()
            self.assertTrue(long.startswith(part) and len(part) > len(long) // 3, (name, len(part), len(long)))
            self.write("whole.txt", long)
            group = json.loads(self.run_program("scan", "--json", f"a.txt.{name}", "whole.txt").stdout.splitlines()[0])
            self.assertEqual((group["kept"]["id"], [(m["contained"] > .99, m["redundant"]) for m in group["members"]]), ("whole.txt", [(True, False)]))
            damaged = bytearray(whole)
            damaged[len(whole) // 2] ^= 255
            self.write(f"b.txt.{name}", bytes(damaged))
            for file, content in (f"b.txt.{name}", None), (f"c.docx.{name}", pack(corpus.WITH_NOTES)[:700]), (f"d.png.{name}", pack(corpus.wav())[:-50]):
                if content:
                    self.write(file, content)
                if (name, file) != ("zst", "b.txt.zst"):  # whose blocks have no sums
                    self.bad("text", file, says=f"cannot read '{file}': it cannot be unpacked")
        self.write("twice.gz", gzip.compress(gzip.compress(long.encode())[:-9000])[:-20])
        self.assertIn("ends too early", self.run_program("text", "twice.gz").stderr.decode())


class Limits(Base):
    def test_many_relations_and_as_many_references(self):
        names = [f"worksheets/sheet{i}.xml" for i in range(19_000)]
        related = [(f"rId{i:05}", "worksheet" if i else "sharedStrings", name) for i, name in enumerate(names)]
        order = '<workbook xmlns:r="r">' + '<sheet r:id="none"/>' * 200_000 + '<sheet r:id="rId00001"/></workbook>'
        sheet = corpus.sheet("<c><v>1</v></c>")
        self.write("long.xlsx", corpus.archive(corpus.package("xl/workbook.xml", [
            ("xl/" + names[0], "<sst/>"), ("xl/" + names[1], sheet), ("xl/workbook.xml", order)], related)))
        self.assertEqual(self.good("text", "long.xlsx").strip(), "1")

    def test_repeated_spines(self):
        items = "".join(f'<item id="i{i:05}" href="{i}.html" media-type="application/xhtml+xml"/>' for i in range(8000))
        package = f'<package><manifest>{items}</manifest>{"<spine/>" * 200_000}<itemref idref="i00001"/></package>'
        self.write("long.epub", corpus.archive([
            ("mimetype", "application/epub+zip"), ("OEBPS/book.opf", package), ("OEBPS/1.html", "<body>its text</body>"),
            ("META-INF/container.xml", '<container><rootfile full-path="OEBPS/book.opf"/></container>')]))
        self.assertEqual(self.good("text", "long.epub").strip(), "its text")

    def test_windows_are_bounded_by_memory(self):
        def with_window(size):
            """xz whose only block asks for such a window; 30 stands for 128 MiB, two more for twice as much."""
            packed = bytearray(lzma.compress(b"some words of a text"))
            begin, end = 12, 12 + 4 * packed[12]
            packed[begin + 4] = size
            packed[end:end + 4] = zlib.crc32(packed[begin:end]).to_bytes(4, "little")
            return bytes(packed)

        self.write("always.txt.xz", lzma.compress(b"and again, ") + with_window(30))
        self.assertEqual(self.good("text", "--memory=64M", "always.txt.xz").strip(), "and again some words of a text")
        self.write("large.txt.xz", lzma.compress(b"and again, ") + with_window(32))
        self.assertEqual(self.good("text", "--memory=1G", "large.txt.xz").strip(), "and again some words of a text")
        self.bad("text", "--memory=64M", "large.txt.xz", says="its window is too large: allow more memory")
        self.write("largest.txt.xz", with_window(40))
        self.bad("text", "--memory=1G", "largest.txt.xz", says="its window is too large")
        self.assertIn("its window is too large", self.run_program("scan", "--memory=64M", "large.txt.xz").stderr.decode())

    def test_who_may_unpack_how_much(self):
        """Every command that refuses to unpack more has the option that it names."""
        self.write("a.txt", "another text")
        self.write("bomb.txt.xz", lzma.compress(b"a line of a log\n" * 4_400_000, preset=0))
        self.bad("text", "bomb.txt.xz", says="it unpacks to more than 67108864 bytes \\(--unpacked\\)")
        self.assertEqual(len(self.good("text", "--unpacked=1G", "bomb.txt.xz")), 16 * 4_400_000 - 1)
        self.write("b.txt.xz", lzma.compress(b"some words of a text and so on " * 100))
        self.write("b.zip", corpus.archive([("b.txt", "some words of a text and so on " * 100)]))
        for name in "b.txt.xz", "b.zip!/b.txt":
            for command in (["text"], ["compare", "a.txt"], ["diff", "a.txt"], ["sketch"], ["mutate"]):
                self.bad(*command, "--unpacked=1K", name, says="unpacks to more than 1024 bytes")
        self.good("sketch", "--unpacked=1M", "-o", "sketches", "b.txt.xz")
        done = self.run_program("seen", "--unpacked=1K", "c", stdin=b"b.txt.xz\n")
        self.assertIn("unpacks to more than 1024 bytes", done.stderr.decode())

    def test_text_is_bounded_by_memory(self):
        text = corpus.paragraphs("word and word again " * 60_000)
        self.write("long.docx", corpus.docx(text))
        self.bad("text", "--memory=4M", "long.docx", says="long.docx.*allow more")
        self.good("text", "--memory=64M", "long.docx")

    def test_scan_converts_long_texts_alone(self):
        """A text that is longer than a thread may hold is read alone, and the result is the same."""
        for name, seed in (("a", 1), ("b", 1), ("c", 2)):
            long = " ".join(words(300_000, seed)) + f" {name}"
            self.write(f"{name}.docx", corpus.docx("".join(corpus.paragraphs(long[i:i + 5000]) for i in range(0, len(long), 5000))))
        results = []
        for how in (["--memory=64M", "--threads=8"], ["--memory=512M", "--threads=1"]):
            results.append([json.loads(line) for line in self.good("scan", "--json", *how, ".").splitlines()][:-1])
        self.assertEqual(results[0], results[1])
        self.assertEqual([len(group["members"]) for group in results[0]], [1])

    @unittest.skipIf(SANITIZED, "a sanitizer finds in megabytes what it finds in a hundred")
    def test_a_long_line(self):
        self.write("long.html", "<html><p>" + "word <b>and</b> word " * 5_000_000)
        self.write("good.html", "<html><p>" + " ".join(words(500)))
        done = self.run_program("scan", "--json", "--memory=64M", ".")
        self.assertIn('"documents":1,', done.stdout.decode())
        self.assertIn("allow more memory", done.stdout.decode())
        self.assertIn('"documents":2,', self.good("scan", "--json", "--memory=2G", "."))


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *sys.argv[3:]], verbosity=1)
