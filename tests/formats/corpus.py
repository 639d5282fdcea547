"""Documents in every format, good and broken, made here byte by byte; each with its text or with what is said of it.

A case is (name, bytes, text), (name, bytes, Error(pattern)) or, where there is a text and something to be said of it,
(name, bytes, Damaged(text, pattern)): the text as `stemma text --extracted` prints it, lines joined by " / ". NO_TEXT: the
bytes have none, and are compared as they are.
"""
import io
import struct
import zipfile
import zlib
from dataclasses import dataclass

NO_TEXT = None


@dataclass
class Error:
    pattern: str


@dataclass
class Damaged:
    text: str
    pattern: str


# ---- archives ----

def archive(parts, method=zipfile.ZIP_DEFLATED):
    """Of (name, content); the first is not compressed when it says what the archive is."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as z:
        for name, content in parts:
            z.writestr(zipfile.ZipInfo(name), content, zipfile.ZIP_STORED if name == "mimetype" else method)
    return out.getvalue()


def zstd(content):
    """A frame of blocks that are stored as they are."""
    pieces = [content[at:at + (1 << 17)] for at in range(0, len(content), 1 << 17)] or [b""]
    blocks = [(len(piece) << 3 | (i == len(pieces) - 1)).to_bytes(3, "little") + piece for i, piece in enumerate(pieces)]
    return b"\x28\xb5\x2f\xfd\xa0" + len(content).to_bytes(4, "little") + b"".join(blocks)


def seven(*members):
    """A 7z archive of (name, content), none of them empty, one behind the other as they are."""
    def number(n):
        size = next(i for i in range(9) if i == 8 or n < 1 << 7 * (i + 1))
        return bytes([0xFF00 >> size & 0xFF | n >> 8 * size]) + (n & (1 << 8 * size) - 1).to_bytes(size, "little")
    contents = [content if isinstance(content, bytes) else content.encode() for _, content in members]
    packed = b"".join(contents)
    sums = b"".join(zlib.crc32(content).to_bytes(4, "little") for content in contents)
    names = b"\0" + "".join(name + "\0" for name, _ in members).encode("utf-16-le")
    streams = (b"\6\0\1\x09" + number(len(packed)) + b"\0" + b"\7\x0b\1\0\1\1\0\x0c" + number(len(packed)) + b"\0"
               + b"\x08\x0d" + number(len(members)) + b"\x09" + b"".join(number(len(content)) for content in contents[:-1])
               + b"\x0a\1" + sums + b"\0\0")
    header = b"\1\4" + streams + b"\5" + number(len(members)) + b"\x11" + number(len(names)) + names + b"\0\0"
    start = struct.pack("<QQI", len(packed), len(header), zlib.crc32(header))
    return b"7z\xbc\xaf\x27\x1c\0\4" + struct.pack("<I", zlib.crc32(start)) + start + packed + header


def relations(*entries):
    kind = "http://schemas.openxmlformats.org/officeDocument/2006/relationships/"
    return ('<?xml version="1.0"?><Relationships xmlns="r">'
            + "".join(f'<Relationship Id="{i}" Type="{kind}{t}" Target="{target}"/>' for i, t, target in entries) + "</Relationships>")


def package(main, parts, related=()):
    folder, _, file = main.rpartition("/")
    return [("[Content_Types].xml", "<Types/>"), ("_rels/.rels", relations(("rId1", "officeDocument", main))),
            (f"{folder}/_rels/{file}.rels", relations(*related)), *parts]


def paragraphs(*texts):
    return "".join(f"<w:p><w:r><w:t>{text}</w:t></w:r></w:p>" for text in texts)


def word(body, prolog=""):
    return f'<?xml version="1.0" encoding="UTF-8"?>{prolog}<w:document xmlns:w="w" xmlns:mc="mc"><w:body>{body}</w:body></w:document>'


def docx(body, related=(), parts=(), prolog=""):
    return archive(package("word/document.xml", [("word/document.xml", word(body, prolog)), *parts], related))


def slide(*texts):
    return '<p:sld xmlns:p="p" xmlns:a="a">' + "".join(f"<a:p><a:r><a:t>{t}</a:t></a:r></a:p>" for t in texts) + "</p:sld>"


def pptx():
    order = '<p:presentation xmlns:p="p" xmlns:r="r"><p:sldIdLst><p:sldId id="256" r:id="rId9"/><p:sldId id="257" r:id="rId2"/></p:sldIdLst></p:presentation>'
    number = '<a:p><a:fld type="slidenum"><a:t>1</a:t></a:fld></a:p>'
    notes = slide("what is said").replace("</p:sld>", number + "</p:sld>")
    return archive(package("ppt/presentation.xml", [
        ("ppt/slides/slide2.xml", slide("first slide", "its point")), ("ppt/slides/slide1.xml", slide("second slide")),
        ("ppt/presentation.xml", order), ("ppt/notesSlides/notesSlide1.xml", notes),
        ("ppt/slides/_rels/slide2.xml.rels", relations(("rId1", "notesSlide", "../notesSlides/notesSlide1.xml")))],
        [("rId2", "slide", "slides/slide1.xml"), ("rId9", "slide", "slides/slide2.xml")]))


def sheet(*rows):
    return '<worksheet xmlns="s"><sheetData>' + "".join(f"<row>{row}</row>" for row in rows) + "</sheetData></worksheet>"


def xlsx(*sheets, strings="<sst><si><t>shared</t></si><si><r><t>in </t></r><r><t>runs</t></r><rPh><t>no</t></rPh></si></sst>", styles="", from_1904=0):
    names = [f"worksheets/sheet{i + 1}.xml" for i in range(len(sheets))]
    order = f'<workbook xmlns:r="r"><workbookPr date1904="{from_1904}"/><sheets>' + "".join(
        f'<sheet name="S{i}" sheetId="{i + 1}" r:id="rId{i}"/>' for i in reversed(range(len(sheets)))) + "</sheets></workbook>"
    related = [(f"rId{i}", "worksheet", name) for i, name in enumerate(names)] + [("s", "sharedStrings", "sharedStrings.xml"), ("t", "styles", "styles.xml")]
    return archive(package("xl/workbook.xml", [(f"xl/{n}", s) for n, s in zip(names, sheets)]
                           + [("xl/workbook.xml", order), ("xl/sharedStrings.xml", strings),
                              ("xl/styles.xml", f"<styleSheet>{styles}</styleSheet>")], related))


DATE_STYLES = (r'''<numFmts><numFmt numFmtId="164" formatCode="[$-409]yyyy\-mm\-dd;@"/><numFmt numFmtId="165" formatCode="0.00&quot; days&quot;"/>
<numFmt numFmtId="166" formatCode="&quot;day&quot; d"/><numFmt numFmtId="45" formatCode="0.0"/></numFmts><cellStyleXfs><xf numFmtId="14"/></cellStyleXfs>
<cellXfs>''' + "".join(f'<xf numFmtId="{n}"/>' for n in (0, 164, 18, 14, 165, 16, 45, 166)) + "</cellXfs>")
DATES = [(0, 45293.75), (1, 45293.75), (2, 45293.75), (3, 45293.75), (4, 5), (4, 45293.75), (5, 1), (6, 45293.75), (1, -1), (1, "2E4"), (7, 45293)]


def odf(kind, body, styles="", manifest="<manifest/>", content=None):
    content = content or f'<office:document-content xmlns:office="o" xmlns:text="t"><office:body>{body}</office:body></office:document-content>'
    return archive([("mimetype", f"application/vnd.oasis.opendocument.{kind}"), ("content.xml", content),
                    ("styles.xml", f'<s xmlns:text="t" xmlns:style="s">{styles}</s>'), ("META-INF/manifest.xml", manifest)])


def epub(pages, spine, extra=(), package_name="OEBPS/book.opf", container=None):
    container = container or f'<container><rootfiles><rootfile full-path="{package_name}"/></rootfiles></container>'
    items = "".join(f'<item id="{i}" href="{href}" media-type="application/xhtml+xml"{more}/>' for i, href, more, _ in pages)
    book = f'<package><manifest>{items}</manifest><spine>{"".join(f"""<itemref idref="{i}"/>""" for i in spine)}</spine></package>'
    return archive([("mimetype", "application/epub+zip"), ("META-INF/container.xml", container), ("OEBPS/book.opf", book),
                    *[(name, f"<html><head><title>no</title></head><body>{body}</body></html>") for _, _, _, (name, body) in pages], *extra])


def repacked(whole):
    """By somebody who does not know that the first member has to be the first, and as it is."""
    out = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(whole)) as old, zipfile.ZipFile(out, "w") as new:
        for name in sorted(old.namelist()):
            new.writestr(zipfile.ZipInfo(name), old.read(name), zipfile.ZIP_DEFLATED)
    return out.getvalue()


def entity_bomb(root):
    laughs = "".join(f'<!ENTITY l{i} "{f"&l{i - 1};" * 10}">' for i in range(1, 10))
    return f'<!DOCTYPE {root} [<!ENTITY l0 "laugh">{laughs}]>'


def with_wrong_checksum(data, content):
    """The bytes of a stored member are changed; what the archive says of them is not."""
    return data.replace(content, bytes(reversed(content)))


def without(data, name):
    """An archive that lost a member."""
    with zipfile.ZipFile(io.BytesIO(data)) as z:
        return archive([(n, z.read(n)) for n in z.namelist() if n != name])


def locked(data):
    """Every member is said to be encrypted."""
    data = bytearray(data)
    for magic, flags in ((b"PK\3\4", 6), (b"PK\1\2", 8)):
        at = data.find(magic)
        while at >= 0:
            data[at + flags] |= 1
            at = data.find(magic, at + 4)
    return bytes(data)


# ---- PDF ----

def pdf(pages, catalog="<< /Type /Catalog /Pages 2 0 R >>", kids=None):
    """Pages of lines, in a font that every reader has."""
    objects = {1: catalog, 3: "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>"}
    first = 10
    for i, lines in enumerate(pages):
        number = first + 2 * i
        text = "BT /F1 12 Tf 72 720 Td 14 TL " + " ".join(f"({line}) Tj T*" for line in lines) + " ET"
        objects[number] = (f"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents {number + 1} 0 R "
                           "/Resources << /Font << /F1 3 0 R >> >> >>")
        objects[number + 1] = f"<< /Length {len(text)} >>\nstream\n{text}\nendstream"
    kids = kids or " ".join(f"{first + 2 * i} 0 R" for i in range(len(pages)))
    objects[2] = f"<< /Type /Pages /Kids [{kids}] /Count {max(len(pages), 1)} >>"
    out, places = b"%PDF-1.4\n", {}
    for number in sorted(objects):
        places[number] = len(out)
        out += f"{number} 0 obj\n{objects[number]}\nendobj\n".encode("latin-1")
    table = "".join(f"{n} 1\n{places[n]:010} 00000 n \n" for n in sorted(places))
    return out + f"xref\n0 1\n0000000000 65535 f \n{table}trailer\n<< /Size 100 /Root 1 0 R >>\nstartxref\n{len(out)}\n%%EOF\n".encode()


# ---- pictures, sounds, programs ----

def png():
    def chunk(kind, data):
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
    return (b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", 2, 2, 8, 2, 0, 0, 0))
            + chunk(b"IDAT", zlib.compress(b"\0\xff\0\0\xff\0\0" * 2)) + chunk(b"IEND", b""))


def wav():
    sound = bytes(range(256)) * 4
    return (b"RIFF" + struct.pack("<I", 36 + len(sound)) + b"WAVEfmt " + struct.pack("<IHHIIHH", 16, 1, 1, 8000, 8000, 1, 8)
            + b"data" + struct.pack("<I", len(sound)) + sound)


MEDIA = [
    ("picture.png", png()),
    ("picture.gif", b"GIF89a\1\0\1\0\x80\0\0\0\0\0\xff\xff\xff,\0\0\0\0\1\0\1\0\0\2\2D\1\0;"),
    ("picture.jpg", b"\xff\xd8\xff\xe0\0\x10JFIF\0\1\1\0\0\1\0\1\0\0" + bytes(range(200)) + b"\xff\xd9"),
    ("sound.wav", wav()),
    ("film.mp4", b"\0\0\0\x18ftypmp42\0\0\0\0mp42isom" + b"\0\0\0\x08mdat" + bytes(64)),
    ("program", b"\x7fELF\2\1\1" + bytes(57)),
    ("program.exe", b"MZ\x90\0\3\0\0\0\4\0\0\0\xff\xff\0\0" + bytes(64)),
]

# ---- the cases ----

HYPHENATED = [["The compari-", "son of near-", "duplicates: a comparison of near-duplicates", "1"],
              ["goes on, page after page,", "2"], ["to the end.", "3"]]
BOMB = "<w:p><w:r><w:t>" + " " * 60_000_000 + "</w:t></w:r></w:p>"
DEEP = "<w:sdt>" * 5000 + "</w:sdt>" * 5000
CHANGES = ('<w:p><w:r><w:t xml:space="preserve">It </w:t></w:r><w:ins><w:r><w:t>stays</w:t></w:r></w:ins><w:del><w:r><w:delText>goes</w:delText></w:r></w:del>'
           '<w:moveFrom><w:r><w:t>was here</w:t></w:r></w:moveFrom><w:r><w:t>, w</w:t></w:r><w:r><w:t>ord</w:t></w:r></w:p>')
BOX = ('<w:p><mc:AlternateContent><mc:Choice><w:txbxContent>' + paragraphs("in a box") + '</w:txbxContent></mc:Choice>'
       '<mc:Fallback><w:txbxContent>' + paragraphs("in a box") + '</w:txbxContent></mc:Fallback></mc:AlternateContent></w:p>')
SMALL = ('<w:p><w:pPr><w:tabs><w:tab/></w:tabs></w:pPr><w:r><w:t>a</w:t><w:tab/><w:t>b</w:t><w:br/><w:t>c</w:t><w:noBreakHyphen/><w:t>d</w:t></w:r></w:p>'
         '<w:tbl><w:tr><w:tc>' + paragraphs("one") + '</w:tc><w:tc>' + paragraphs("two") + '</w:tc></w:tr></w:tbl>')
FIELD = ('<w:p><w:r><w:t xml:space="preserve">page </w:t></w:r><w:r><w:fldChar w:fldCharType="begin"/></w:r><w:r><w:instrText> PAGE \\* MERGEFORMAT </w:instrText></w:r>'
         '<w:r><w:fldChar w:fldCharType="separate"/></w:r><w:r><w:t>7</w:t></w:r><w:r><w:fldChar w:fldCharType="end"/></w:r>'
         '<w:r><w:t xml:space="preserve"> of </w:t></w:r><w:fldSimple w:instr=" NUMPAGES "><w:r><w:t>9</w:t></w:r></w:fldSimple></w:p>')
WITH_NOTES = docx(paragraphs("body"), [("h1", "header", "header1.xml"), ("h2", "header", "header2.xml"), ("f", "footer", "footer1.xml"),
                                       ("n", "footnotes", "footnotes.xml"), ("e", "endnotes", "/word/endnotes.xml")],
                  [("word/header1.xml", f'<w:hdr xmlns:w="w">{paragraphs("title")}</w:hdr>'),
                   ("word/header2.xml", f'<w:hdr xmlns:w="w">{paragraphs("title", "even")}</w:hdr>'),
                   ("word/footer1.xml", f'<w:ftr xmlns:w="w">{FIELD}</w:ftr>'),
                   ("word/footnotes.xml", f'<w:footnotes xmlns:w="w"><w:footnote>{paragraphs("note")}</w:footnote></w:footnotes>'),
                   ("word/endnotes.xml", f'<w:endnotes xmlns:w="w"><w:endnote>{paragraphs("end note")}</w:endnote></w:endnotes>')])
LETTER = docx(paragraphs("A letter", "with caf&#xe9; 中文"))
STORED = archive(package("word/document.xml", [("word/document.xml", word(paragraphs("stored as it is")))]), zipfile.ZIP_STORED)
ODT_BODY = ('<text:h>Head</text:h><text:p>one<text:s text:c="2"/>two<text:tab/>three<text:line-break/>four<text:note><text:note-citation>1</text:note-citation>'
            '<text:note-body><text:p>the note</text:p></text:note-body></text:note>.</text:p><text:tracked-changes><text:p>deleted</text:p></text:tracked-changes>')
ODT_STYLES = ('<style:header><text:p>title</text:p></style:header><style:header-left><text:p>title</text:p></style:header-left>'
              '<style:footer><text:p>page <text:page-number>3</text:page-number></text:p></style:footer>')
PAGES = [("b", "b%20c.xhtml", "", ("OEBPS/b c.xhtml", "<p>second</p>")), ("a", "../text/a.xhtml", "", ("text/a.xhtml", "<p>fir<b>st</b></p>")),
         ("n", "nav.xhtml", ' properties="nav"', ("OEBPS/nav.xhtml", "<p>contents</p>"))]
BOOK = epub(PAGES, ["n", "a", "b"])
XML = '<?xml version="1.0"?>'

CASES = [
    # Word
    ("letter.docx", LETTER, "A letter / with café 中文"),
    ("letter-called.txt", LETTER, "A letter / with café 中文"),
    ("letter-called.pdf", LETTER, "A letter / with café 中文"),
    ("changes.docx", docx(CHANGES), "It stays, word"),
    ("box.docx", docx(BOX), "in a box"),
    ("small.docx", docx(SMALL), "a b / c-d / one / two"),
    ("notes.docx", WITH_NOTES, "title / even / body / note / end note / page of"),
    ("stored.docx", STORED, "stored as it is"),
    ("empty.docx", docx(""), ""),
    ("cut.docx", LETTER[:len(LETTER) // 2], Error("cannot read 'cut.docx': ")),
    ("cut-directory.docx", LETTER[:-30], "A letter / with café 中文"),
    ("checksum.docx", with_wrong_checksum(STORED, b"stored as it is"), Error("CRC")),
    ("no-main.docx", archive(package("word/document.xml", [])[:1] + [("_rels/.rels", relations()), ("word/x.xml", "<x/>")]), Error("does not say which")),
    ("locked.docx", locked(LETTER), Error("it is encrypted")),
    ("password.docx", b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(504) + "EncryptedPackage".encode("utf-16-le") + bytes(600), Error("it is encrypted")),
    ("old.doc", b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(504) + "WordDocument".encode("utf-16-le") + bytes(300), Error("it is in an old Office format, or encrypted; save it as DOCX, ODT or PDF")),
    ("bomb.docx", docx(BOMB), Error("unpacks to more than 100 times its size")),
    ("entities.docx", docx(paragraphs("&l9;"), prolog=entity_bomb("w:document")), Error("expand to more than ten times")),
    ("external.docx", docx(paragraphs("before &e; after"), prolog='<!DOCTYPE w:document [<!ENTITY e SYSTEM "/etc/passwd">]>'), Damaged("before after", "refers to '/etc/passwd', which is not in it")),
    ("no-notes.docx", docx(paragraphs("body"), [("n", "footnotes", "footnotes.xml"), ("h", "header", "header1.xml")],
                           [("word/header1.xml", f'<w:hdr xmlns:w="w">{paragraphs("title")}</w:hdr>')]),
     Damaged("title / body", "it has no part 'word/footnotes.xml'")),
    ("no-document.docx", archive(package("word/document.xml", [("word/x.xml", "<x/>")])), Error("it has no part 'word/document.xml'")),
    ("deep.docx", docx(DEEP), Error("nested more than 1000 deep")),
    ("broken-xml.docx", docx("<w:p>"), Error("broken XML in line 1")),
    # slides
    ("talk.pptx", pptx(), "first slide / its point / what is said / second slide"),
    ("no-slide.pptx", without(pptx(), "ppt/slides/slide1.xml"),
     Damaged("first slide / its point / what is said", "it has no part 'ppt/slides/slide1.xml'")),
    ("no-order.pptx", without(pptx(), "ppt/presentation.xml"), Error("it has no part 'ppt/presentation.xml'")),
    ("cut.pptx", pptx()[:len(pptx()) // 2], Error("cannot read 'cut.pptx': ")),
    # sheets
    ("table.xlsx", xlsx(sheet('<c t="s"><v>0</v></c><c><v>1.5</v></c>', '<c t="inlineStr"><is><t>here</t></is></c><c t="b"><v>1</v></c>'),
                        sheet('<c t="s"><v>1</v></c><c t="str"><f>A1</f><v>made</v></c><c t="s"><v>99</v></c>')), "in runs made / shared 1.5 / here TRUE"),
    ("long.xlsx", xlsx(sheet(*['<c t="s"><v>0</v></c>' * 100] * 50)), " / ".join([" ".join(["shared"] * 100)] * 50)),
    ("digits.xlsx", xlsx(sheet("".join(f"<c><v>{n}</v></c>" for n in (
        "1.1000000000000001", "0.30000000000000004", "-2.9999999999999996", "1999.9999999999998", "9.9999999999999999", "12345678901234567", "0.1", "1E-5"))),
        ), "1.1 0.3 -3 2000 9.9999999999999999 12345678901234567 0.1 1E-5"),
    *((f"dates-{first}.xlsx", xlsx(sheet("".join(f'<c s="{style}"><v>{n}</v></c>' for style, n in DATES)), styles=DATE_STYLES, from_1904=start), text)
      for first, start, text in (("1900", 0, "45293.75 2024-01-02 6:00 PM 1/2/2024 5 45293.75 1-Jan 45293.75 -1 2E4 day 2"),
                                 ("1904", 1, "45293.75 2028-01-03 6:00 PM 1/3/2028 5 45293.75 2-Jan 45293.75 -1 2E4 day 3"))),
    ("no-strings.xlsx", without(xlsx(sheet('<c t="s"><v>0</v></c><c><v>1.5</v></c>')), "xl/sharedStrings.xml"),
     Damaged("1.5", "it has no part 'xl/sharedStrings.xml'")),
    ("broken.xlsx", xlsx(sheet("<c>"), sheet()), Error("broken XML")),
    # OpenDocument
    ("letter.odt", odf("text", ODT_BODY, ODT_STYLES), "title / page / Head / one two three / four. / the note"),
    ("table.ods", odf("spreadsheet", "<text:p>a</text:p><text:p>1.5</text:p>", ODT_STYLES), "a / 1.5"),
    ("talk.odp", odf("presentation", "<text:p>a slide</text:p>"), "a slide"),
    ("packed-again.odt", repacked(odf("text", "<text:p>a letter</text:p>")), "a letter"),
    ("packed-again.epub", repacked(epub([("a", "a.xhtml", "", ("OEBPS/a.xhtml", "<p>a page</p>"))], ["a"])), "a page"),
    ("password.odt", odf("text", "", manifest="<manifest><file-entry><encryption-data/></file-entry></manifest>", content="\x01\x02"), Error("it is encrypted")),
    ("no-content.odt", archive([("mimetype", "application/vnd.oasis.opendocument.text")]), Error("has no content.xml")),
    ("broken.odt", odf("text", "<text:p>"), Error("broken XML")),
    ("cut.odt", odf("text", ODT_BODY)[:300], Error("cannot read 'cut.odt': ")),
    # books
    ("book.epub", BOOK, "first / second"),
    ("empty-elements.epub", epub([("a", "a.xhtml", "", ("OEBPS/a.xhtml", '<p>before</p><script src="x.js"/><p>after</p>'))], ["a"]), "before / after"),
    ("no-page.epub", without(BOOK, "text/a.xhtml"), Damaged("second", "it has no part 'text/a.xhtml'")),
    ("cut.epub", BOOK[:len(BOOK) // 2], Error("cannot read 'cut.epub': ")),
    ("no-package.epub", epub(PAGES, ["a"], package_name="gone.opf"), Error("has no part 'gone.opf'")),
    ("no-container.epub", archive([("mimetype", "application/epub+zip")]), Error("does not say which")),
    ("protected.epub", epub(PAGES, ["a"], [("META-INF/encryption.xml", '<encryption><CipherReference URI="text/a.xhtml"/></encryption>')]), Error("it is encrypted")),
    # rich text
    ("letter.rtf", rb"{\rtf1\ansi{\fonttbl{\f0 Times;}}A \b letter\b0\par caf\'e9 \u20013?\u25991?}", "A letter / café 中文"),
    ("russian.rtf", rb"{\rtf1\ansi\ansicpg1251 \'cf\'f0\'e8\'e2\'e5\'f2}", "Привет"),
    ("japanese.rtf", rb"{\rtf1{\fonttbl{\f0\fcharset128 M;}}\f0 \'93\'fa\'96\'7b}", "日本"),
    ("cut.rtf", rb"{\rtf1 as far as it g", Damaged("as far as it g", "it ends in the middle")),
    ("deep.rtf", rb"{\rtf1" + b"{" * 5000, Error("nested more than 1000 deep")),
    # XML
    ("data.xml", XML + "<list><name>Ada</name><age>36</age></list>", "Ada 36"),
    ("data-called.txt", XML + "<list><name>Ada</name></list>", "Ada"),
    ("cyrillic.xml", '<?xml version="1.0" encoding="koi8-r"?><a>привет</a>'.encode("koi8-r"), "привет"),
    ("wide.xml", '<?xml version="1.0" encoding="utf-16"?><a>привет</a>'.encode("utf-16"), "привет"),
    ("entities.xml", XML + entity_bomb("a") + "<a>&l9;</a>", Error("expand to more than ten times")),
    ("external.xml", XML + '<!DOCTYPE a [<!ENTITY e SYSTEM "file:///etc/passwd">]><a>before &e; after</a>',
     Damaged("before after", "refers to 'file:///etc/passwd', which is not in it")),
    ("elsewhere.xml", XML + '<!DOCTYPE a SYSTEM "a.dtd"><a>caf&eacute; &company; &mdash; open</a>',
     Damaged("café — open", "refers to 'company', which is not in it")),
    ("known-names.xml", XML + '<!DOCTYPE a SYSTEM "a.dtd"><a>caf&eacute; &mdash; open</a>', "café — open"),
    ("deep.xml", XML + "<a>" * 100_000, Error("nested more than 1000 deep")),
    ("broken.xml", XML + "<a>\n<b>\n</a>", Error("broken XML in line 3: mismatched tag")),
    # PDF
    ("letter.pdf", pdf([["A letter", "with caf\xe9"]]), "A letter / with café"),
    ("letter-called.docx", pdf([["A letter"]]), "A letter"),
    ("pages.pdf", pdf(HYPHENATED), "The comparison of near-duplicates: a comparison of near-duplicates / goes on, page after page, / to the end."),
    ("no-text.pdf", pdf([[]]), ""),
    ("loop.pdf", pdf([["once"]], kids="10 0 R 2 0 R"), "once"),
    ("self.pdf", pdf([], kids="2 0 R"), Damaged("", "pdftotext says: Syntax Error")),
    ("repaired.pdf", pdf([["A letter"]]).replace(b"xref\n0", b"lost\n0"), "A letter"),
    ("unclosed.pdf", pdf([["A letter"]]).replace(b"T* ET", b"(and ET"), Damaged("A letter", "pdftotext says: Syntax Error")),
    ("no-trailer.pdf", pdf([["A letter"]]).partition(b"xref")[0], Error("pdftotext says: Syntax Error: Couldn't find trailer dictionary")),
    ("cut.pdf", pdf([["A letter"]])[:150], Error("cannot read 'cut.pdf': pdftotext")),
    ("nothing.pdf", b"%PDF-1.4\n", Error("cannot read 'nothing.pdf': pdftotext")),
    # pages and plain text, as ever
    ("page.html", "<html><p>a<b>b</b><p>c", "ab / c"),
    ("nothing.txt", b"", ""),
    *[(name, data, NO_TEXT) for name, data in MEDIA],
]
