#!/usr/bin/env python3
"""tools/check-layers accepts a tree in order and catches each way of breaking it."""
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

CHECK = Path(__file__).resolve().parent.parent / "tools/check-layers"

GOOD = {
    "src/LAYERS": "# order\nbase\nkernels\ntext\nindex join\napi\n",
    "src/base/a.h": "#include <stdint.h>\n",
    "src/kernels/avx2.c": '#include <immintrin.h>\n#include "base/a.h"\n__attribute__((target("avx2")))\n',
    "src/kernels/kernels.cmake": "set(FLAGS -mavx2)\n",
    "src/text/t.h": '#include "base/a.h"\n#include "stemma.h"\n#include "table.inc"\n',
    "src/text/table.inc": "0\n",
    "src/index/i.h": '#include "text/t.h"\n',
    "src/join/j.c": '#include "text/t.h"\n',
    "cli/main.c": '#include "cmd.h"\n#include <stemma.h>\n#include <stdio.h>\n',
    "cli/cmd.h": '#include "stemma.h"\n',
    "CMakeLists.txt": "add_compile_options(-Wmissing-prototypes)\n",
}

BROKEN = {
    "a later layer": ("src/base/a.h", '#include "text/t.h"\n'),
    "a later layer in angle brackets": ("src/base/a.h", "#include <text/t.h>\n"),
    "a layer on the same line": ("src/join/j.c", '#include "index/i.h"\n'),
    "a layer that is not listed": ("src/other/o.c", "int x;\n"),
    "an include of no layer": ("src/text/t.h", '#include "nowhere.h"\n'),
    "a climb": ("src/text/t.h", '#include "../api/x.h"\n'),
    "the program looking inside": ("cli/main.c", '#include "base/a.h"\n'),
    "an example looking inside": ("examples/one.c", "#include <text/t.h>\n"),
    "an example climbing": ("examples/one.c", '#include "../src/base/a.h"\n'),
    "intrinsics outside the kernels": ("src/text/t.h", "#include <immintrin.h>\n"),
    "a target attribute": ("src/text/t.h", '__attribute__((target("avx2"))) int f(void);\n'),
    "a target pragma": ("cli/main.c", '#pragma GCC target("avx2")\n'),
    "a machine flag": ("CMakeLists.txt", "add_compile_options(-march=native)\n"),
    "an instruction flag": ("src/CMakeLists.txt", "set(FLAGS -O2 -mavx512f)\n"),
}


def run_on(tree):
    with tempfile.TemporaryDirectory() as folder:
        for name, text in tree.items():
            path = Path(folder, name)
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
        return subprocess.run([sys.executable, CHECK, folder], capture_output=True, text=True)


class Layers(unittest.TestCase):
    def test_a_tree_in_order_passes(self):
        result = run_on(GOOD)
        self.assertEqual((result.returncode, result.stderr), (0, ""))

    def test_each_violation_is_named(self):
        for what, (name, text) in BROKEN.items():
            with self.subTest(what):
                result = run_on({**GOOD, name: text})
                self.assertEqual(result.returncode, 1)
                self.assertRegex(result.stderr, f"^{name}:1: ")


unittest.main()
