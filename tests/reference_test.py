#!/usr/bin/env python3
"""The program against the reference: every bit of every sketch, every exact number.

  reference_test.py PROGRAM SOURCE-DIRECTORY [unittest arguments]
"""
import base64
import itertools
import json
import random
import shutil
import subprocess
import sys
import tempfile
import unicodedata
import unittest
from pathlib import Path

PROGRAM = str(Path(sys.argv[1]).resolve())
sys.path.insert(0, str(Path(__file__).resolve().parent / "reference"))
sys.dont_write_bytecode = True

import stemma_reference as reference  # noqa: E402 (the path comes first)
from canonical import canonical_text, encode  # noqa: E402
import runs  # noqa: E402

LICENSES = Path("/usr/share/common-licenses")
KEY = b"a key of more than sixteen bytes"
SENTENCE = ("The quick brown fox jumps over the lazy dog; the lazy dog, it seems, did not jump over "
            "the quick brown fox. ")
ACCENTS = "Café Ångström naïve Straße ΣΊΣΥΦΟΣ ᾴ İstanbul ﬁne 각"


def long_text(size, seed):
    """Words that look like a text: many kinds, some often, with the odd paragraph."""
    source = random.Random(seed)
    out = ""
    while len(out) < size:
        word = f"w{int(source.paretovariate(.6)) % 3000}"
        out += source.choice([word, word.upper(), word + ",", word + ".\n", word + "é"]) + " "
    return out


DOCUMENTS = {
    "english": SENTENCE,
    "english-upper": SENTENCE.upper().replace(" ", "\n  "),
    "english-more": SENTENCE + "Then it did: extraordinarily-long, Donaudampfschifffahrtsgesellschaft.",
    "cjk": "漢字かな交じり文とカタカナー、ｶﾀｶﾅ、〇々と Englishまじり。ภาษาไทยมีวรรณยุกต์ ๑๒ ລາວ ខ្មែរ မြန်မာ",
    "nfc": ACCENTS,
    "nfd": unicodedata.normalize("NFD", ACCENTS),
    "marks": "\u0301lead a" + "\u0301" * 40 + "\u0323 x\u0323" + "\u0345\u0301\u0f73" * 30
             + " \u1100\u1161\u11a8" + "\u0308" * 35,
    "punctuation": "«Well»—he said… “no?” 'tis it's 3.14 $5 ½ x² a_b c·d … !!! ™ 😀 end",
    "invisible": "co\u00adoperate zero\u200bwidth join\u200der \ufeffbom e\ufe0f\u0301 \u2066bidi\u2069 a\U000e0041b",
    "crlf": "one two\r\nthree  four\r\n\r\nfive\rsix\u2028seven\x85eight\vnine\ften\n\n\nlast",
    "repeated": "a b c\n" * 40 + "d\n" + "a b c\n" * 7,
    "not-utf8": b"a\xff b\xe6\xbc c\xed\xa0\x80 d\xf0\x9f\x98 e\xc0\xaf f\x00g \xf4\x90\x80\x80 h\xe6\xbc\xa2\xe6",
    "empty": "",
    "blank": " \t\r\n\u3000",
    "only-punctuation": "?!...",
    "one": "x",
    "two": "one two",
    "five": "one two three four five",
    "long": long_text(5000, 1),
    "long-edited": long_text(5000, 1)[:3500] + long_text(1500, 2),
}
DOCUMENTS = {name: text if isinstance(text, bytes) else text.encode() for name, text in DOCUMENTS.items()}
SMALL = {name: data for name, data in DOCUMENTS.items() if len(data) < 1000}

SETS = "mod n=3; level; min n=20; minmod n=9 mod=2; minhash n=7 bits=64; oph n=11 bits=64"
BITS = "minhash n=13 bits=1; minhash n=9 bits=16; oph n=64 bits=1; oph n=37 bits=4; oph n=500 bits=8; simhash bits=64"
CHUNKS = "bsw n=4; bsw-chunk n=4; simhash bits=128; mod n=1; min n=1; oph n=1 bits=2; minhash n=1 bits=8; level"
UNITS = [("word", "mix"), ("word", "rabin"), ("word", "padded"), ("byte", "mix"), ("byte", "rabin"), ("char", "mix"),
         ("char", "rabin"), ("line", "mix"), ("line", "rabin")]


class Base(unittest.TestCase):
    """The documents in a folder of their own, and the program run there."""

    @classmethod
    def setUpClass(cls):
        cls.folder = Path(tempfile.mkdtemp())
        cls.addClassCleanup(shutil.rmtree, cls.folder)
        for name, data in DOCUMENTS.items():
            (cls.folder / name).write_bytes(data)
        (cls.folder / "key").write_bytes(KEY)

    def run_program(self, *arguments, data=None):
        done = subprocess.run([PROGRAM, *arguments], input=data, capture_output=True, cwd=self.folder, check=False)
        said = [line for line in done.stderr.splitlines() if b"holds no text" not in line]  # as blank ones do
        self.assertEqual((done.returncode, said), (0, []), arguments)
        return done.stdout

    def sketch_bundle(self, names, *options):
        self.run_program("sketch", "--encoding=utf-8", *options, "--quiet", "--force", "--output=bundle", *names)
        return (self.folder / "bundle").read_bytes()

    def sketch_json(self, names, *options):
        lines = self.run_program("sketch", "--encoding=utf-8", *options, "--json", *names).splitlines()
        return [json.loads(line) for line in lines]

    def compare_all(self, pairs, *options):
        listed = "".join(f"{a}\t{b}\n" for a, b in pairs).encode()
        lines = self.run_program("compare", "--encoding=utf-8", *options, "--json", "--pairs-from=-", data=listed).splitlines()
        self.assertEqual(len(lines), len(pairs))
        return [json.loads(line) for line in lines]


class Sketches(Base):
    """`sketch --json` and the bytes of a bundle equal the reference's."""

    def check_json(self, got, name, recipe, doc, parts):
        self.assertEqual(got["id"], name)
        self.assertEqual((got["bytes"], got["tokens"]), (doc.bytes, doc.tokens))
        self.assertEqual((got["digest"], got["text_digest"]), (doc.digest.hex(), doc.text_digest.hex()))
        self.assertEqual(got["recipe"], recipe.text())
        self.assertEqual([part["scheme"] for part in got["parts"]], [part.scheme for part in parts])
        for shown, part in zip(got["parts"], parts):
            if part.symbols is not None:
                self.assertEqual((shown["symbols"], shown.get("positions")), (part.symbols, part.positions or None), part.scheme)
            elif part.values is not None:
                self.assertEqual(shown["values"], [str(v) for v in part.values], part.scheme)
            else:
                self.assertEqual(shown["bit_count"], len(part.fields) * part.bits)
                self.assertEqual(base64.b64decode(shown["bits"]), part.shown_bits(), part.scheme)

    def check(self, text, key=None, documents=None):
        documents = documents or SMALL
        recipe = reference.Recipe(text, key)
        options = [f"--recipe={text}"] + (["--key=key"] if key else [])
        docs = {name: reference.Document(data, recipe) for name, data in documents.items()}
        parts = {name: reference.parts_of(doc, recipe) for name, doc in docs.items()}
        for shown, name in zip(self.sketch_json(documents, *options), documents):
            with self.subTest(recipe=text, document=name):
                self.check_json(shown, name, recipe, docs[name], parts[name])
        payloads = [reference.payload(name.encode(), docs[name], parts[name]) for name in documents]
        with self.subTest(recipe=text):
            self.assertEqual(self.sketch_bundle(documents, *options), reference.bundle(recipe, payloads))

    def test_default_recipes(self):
        few = {name: DOCUMENTS[name] for name in ("english", "nfd", "not-utf8", "empty")}
        self.check("", documents={**few, "one": DOCUMENTS["one"]})
        for text in ("preset=raw unit=byte", "preset=code unit=line", "unit=char", "; minhash", "; bsw; min; minmod"):
            self.check(text, documents=few)

    def test_units_and_hashes(self):
        for (unit, hash_name), preset in itertools.product(UNITS, ("text", "raw")):
            self.check(f"preset={preset} unit={unit} window=3 hash={hash_name} width=64 seed=0; mod n=3; {BITS}")

    def test_signatures(self):
        for view in ("", "preset=code unit=line", "fold=nfc+case unit=byte seed=9"):
            self.check(f"{view}; signature n=4 c=8; signature c=3 n=1 alphabet=100; signature2011; signature2011 n=9 c=5 k=3")
        self.check("preset=raw; signature n=5 c=3 positions=yes; signature n=64 c=2 alphabet=2 positions=yes; signature2011")
        self.check("preset=raw unit=byte; signature c=4 positions=yes", documents=DOCUMENTS)
        self.check("preset=raw unit=char; signature n=3 c=2; signature2011")
        self.check("; signature c=4; signature2011", key=KEY)

    def test_schemes(self):
        for view in ("window=4", "window=2 hash=rabin", "window=3 hash=padded", "unit=byte", "unit=line window=1"):
            for specs in (SETS, BITS, CHUNKS):
                self.check(f"{view}; {specs}")
        self.check("preset=raw unit=byte; mod n=7; level; min n=50; bsw n=9; bsw-chunk n=9", documents=DOCUMENTS)
        self.check("window=3; level; minhash n=30 bits=64; oph n=300 bits=2; simhash bits=64", documents=DOCUMENTS)

    def test_labelled(self):
        for view in ("window=1", "window=2 hash=rabin width=48", "unit=char window=3 width=33", "unit=line window=1"):
            for specs in (SETS, BITS):
                self.check(f"{view} labelled=yes; {specs}")

    def test_windows(self):
        for window in (1, 2, 5, 19, 100, 1024):
            self.check(f"window={window} hash=mix; {SETS}")
            self.check(f"window={window} hash=rabin; mod n=2; bsw-chunk n=3")

    def test_widths_and_seeds(self):
        # 9, 22 and 12 pass over an irreducible polynomial with too few or too many ones
        for width, seed in ((32, 9), (33, 2**64 - 1), (40, 22), (47, 2**63), (63, 7), (64, 12)):
            self.check(f"window=2 hash=mix width={width} seed={seed}; {SETS}; bsw n=3")
            self.check(f"window=2 hash=rabin width={width} seed={seed}; mod n=2; {BITS}")

    def test_keyed(self):
        for view in ("window=2", "window=2 hash=rabin seed=5", "window=3 hash=padded width=50 labelled=yes"):
            self.check(f"{view}; {BITS}; mod n=3", key=KEY)

    def test_every_set_of_switches(self):
        switches = ("nfc", "case", "space", "punct")
        for count, unit in itertools.product(range(5), ("word", "byte", "char", "line")):
            for fold in itertools.combinations(switches, count):
                self.check(f"fold={'+'.join(fold) or 'none'} unit={unit} window=2 hash=mix; mod n=4")

    def test_long_tokens_are_cut(self):
        documents = {"long-token": ("é" + "ab" * 40000 + " c " + "漢é" * 30000).encode()}
        for name, data in documents.items():
            (self.folder / name).write_bytes(data)
        for view in ("preset=raw window=2", "preset=raw window=1 hash=rabin", "preset=code unit=line hash=rabin"):
            self.check(f"{view}; min n=8; bsw-chunk n=2", documents=documents)

    def test_bundles_read_back(self):
        recipe = reference.Recipe(f"window=2; {SETS}; oph n=37 bits=4; simhash bits=64")
        data = self.sketch_bundle(DOCUMENTS, f"--recipe={recipe.text()}")
        text, records = reference.Reader(data).bundle()
        self.assertEqual(text, recipe.text())
        self.assertEqual([record["name"].decode() for record in records], list(DOCUMENTS))
        for record, document in zip(records, DOCUMENTS.values()):
            doc = reference.Document(document, recipe)
            self.assertEqual((record["shingles"], record["digest"]), (len(doc.fingerprints), doc.digest))
            for read, part in zip(record["parts"], reference.parts_of(doc, recipe)):
                self.assertEqual(read.get("values"), part.values)
                self.assertEqual(read.get("fields"), part.fields)
        for at in random.Random(3).sample(range(len(data)), 50):
            damaged = data[:at] + bytes([data[at] ^ 4]) + data[at + 1 :]
            self.assertRaises(ValueError, reference.Reader(damaged).bundle)


class Characters(Base):
    """The canonical text of single characters, those of Unicode 3.2: later Pythons know them all alike."""

    def check(self, fold, unit, step):
        old = unicodedata.ucd_3_2_0
        known = [chr(c) for c in range(1, 0x110000) if old.category(chr(c)) not in ("Cn", "Cs", "Co")]
        data = "\0Q\n".join(f"x{c}y{c}\u0301 {c} \u0301{c}" for c in known[::step]).encode()
        recipe = reference.Recipe(f"fold={fold} unit={unit}")
        got = self.run_program("text", "--encoding=utf-8", f"--fold={fold}", f"--unit={unit}", "-", data=data)
        want = encode(canonical_text(data, recipe))
        if got != want:
            differ = [pair for pair in zip(got.lower().split(b"q"), want.lower().split(b"q")) if pair[0] != pair[1]]
            self.fail(f"{fold} {unit}: {differ[:3]}")

    def test_word(self):
        self.check("nfc+case+space+punct", "word", 3)

    def test_char(self):
        self.check("nfc+case", "char", 5)

    def test_line(self):
        self.check("case+space+punct", "line", 7)


class Comparisons(Base):
    def check_quantity(self, quantity, value, exact=True):
        if value is None:
            self.assertIsNone(quantity["value"])
            self.assertTrue(quantity["why"])
        elif exact:
            self.assertEqual((quantity["value"], quantity["exact"]), (value, True))
        else:
            self.assertAlmostEqual(quantity["value"], value, delta=1e-12)

    def test_exact_numbers(self):
        pairs = list(itertools.product(DOCUMENTS, repeat=2))
        for text in ("window=2", "window=2 labelled=yes", "unit=byte", "unit=char window=4 hash=rabin",
                     "unit=line window=1", "preset=code window=1", "window=2 hash=padded width=40"):
            recipe = reference.Recipe(text)
            docs = {name: reference.Document(data, recipe) for name, data in DOCUMENTS.items()}
            for (a, b), got in zip(pairs, self.compare_all(pairs, f"--recipe={text}")):
                with self.subTest(recipe=text, a=a, b=b):
                    x, y = set(docs[a].fingerprints), set(docs[b].fingerprints)
                    self.assertEqual(got["shingles"], {"a": len(x), "b": len(y), "common": len(x & y)})
                    resemblance, a_in_b, b_in_a = reference.exact(docs[a], docs[b])
                    self.check_quantity(got["resemblance"], resemblance)
                    self.check_quantity(got["containment"]["a_in_b"], a_in_b)
                    self.check_quantity(got["containment"]["b_in_a"], b_in_a)
                    self.check_sameness(got["relation"], a, b, docs)

    def check_sameness(self, relation, a, b, docs):
        same_text = docs[a].text_digest == docs[b].text_digest and docs[a].tokens > 0
        if docs[a].digest == docs[b].digest:
            self.assertEqual(relation, "identical")
        elif same_text:
            self.assertEqual(relation, "same-text")
        else:
            self.assertNotIn(relation, ("identical", "same-text"))

    def test_estimates(self):
        names = ["english", "english-upper", "english-more", "repeated", "five", "one", "cjk", "long", "long-edited"]
        pairs = list(itertools.combinations(names, 2))
        for spec in ("mod n=2", "mod n=20", "level", "min n=16", "minmod n=16 mod=2", "minhash n=50 bits=64",
                     "oph n=50 bits=64", "oph n=2000 bits=64", "minhash n=60 bits=1", "minhash n=60 bits=8",
                     "oph n=60 bits=2", "oph n=512 bits=16", "bsw n=3", "bsw-chunk n=3", "simhash bits=64",
                     "simhash bits=128"):
            recipe = reference.Recipe(f"window=2; {spec}")
            records = reference.Reader(self.sketch_bundle(names, f"--recipe={recipe.text()}")).bundle()[1]
            part = {name: record["parts"][0] for name, record in zip(names, records)}
            docs = {name: reference.Document(DOCUMENTS[name], recipe) for name in names}
            answers = self.compare_all(pairs, "--sketch", f"--recipe={recipe.text()}")
            for (a, b), got in zip(pairs, answers):
                with self.subTest(spec=spec, a=a, b=b):
                    judged = not reference.tells_nothing(docs[a], docs[b])
                    value = reference.estimate(recipe.specs[0], part[a], part[b]) if judged else None
                    self.check_quantity(got["resemblance"], value, False)
                    if recipe.specs[0][0] == "simhash" and judged:
                        self.check_quantity(got["cosine"], reference.cosine(part[a], part[b]), False)


class Licenses(Base):
    """Shingles as plain sets, no hashing at all, on texts that are on every Debian machine."""

    def setUp(self):
        if not LICENSES.is_dir():
            self.skipTest(f"no {LICENSES}")
        self.names = [str(path) for path in sorted(LICENSES.iterdir())]

    def check(self, options, tokens_of, window):
        sets = {}
        for name in self.names:
            tokens = tokens_of(Path(name).read_bytes())
            sets[name] = {tuple(tokens[i : i + window]) for i in range(len(tokens) - window + 1)}
            self.assertGreater(len(sets[name]), 100)
        pairs = list(itertools.product(self.names, repeat=2))
        for (a, b), got in zip(pairs, self.compare_all(pairs, *options)):
            common = len(sets[a] & sets[b])
            self.assertEqual(got["shingles"], {"a": len(sets[a]), "b": len(sets[b]), "common": common})
            quantities = (got["resemblance"], got["containment"]["a_in_b"], got["containment"]["b_in_a"])
            for quantity, whole in zip(quantities, (len(sets[a] | sets[b]), len(sets[a]), len(sets[b]))):
                self.assertAlmostEqual(quantity["value"], common / whole, delta=1e-12)

    def test_five_words(self):
        def words(data):
            text = data.decode().casefold()
            return "".join(c if unicodedata.category(c)[0] in "LNM" else " " for c in text).split()

        self.check(["--preset=text", "--unit=word", "--window=5"], words, 5)

    def test_twenty_bytes(self):
        self.check(["--preset=raw", "--unit=byte", "--window=20"], list, 20)


class Runs(unittest.TestCase):
    """The run that the C tests write and read again."""

    def test_golden(self):
        golden = Path(__file__).resolve().parent / "golden/run.hex"
        self.assertEqual(bytes.fromhex(golden.read_text()), runs.run(runs.golden_records()))


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *sys.argv[3:]])
