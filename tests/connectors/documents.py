"""Small documents, made at run time."""

from __future__ import annotations

import io
import zipfile

import pypdf

WORD = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
PACKAGE = "http://schemas.openxmlformats.org/package/2006"
OFFICE = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"


def a_docx(body: str, **files: str) -> bytes:
    """A Word document with ``body`` as the XML of its paragraphs."""
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as out:
        out.writestr(
            "[Content_Types].xml",
            f'<Types xmlns="{PACKAGE}/content-types"><Default Extension="rels" ContentType='
            '"application/vnd.openxmlformats-package.relationships+xml"/><Override PartName='
            '"/word/document.xml" ContentType="application/vnd.openxmlformats-officedocument.'
            'wordprocessingml.document.main+xml"/></Types>',
        )
        out.writestr(
            "_rels/.rels",
            f'<Relationships xmlns="{PACKAGE}/relationships"><Relationship Id="r1" Type='
            f'"{OFFICE}/officeDocument" Target="word/document.xml"/></Relationships>',
        )
        out.writestr(
            "word/document.xml",
            f'<w:document xmlns:w="{WORD}"><w:body>{body}</w:body></w:document>',
        )
        for name, text in files.items():
            out.writestr(name, text)
    return packed.getvalue()


def a_paragraph(text: str, style: str = "") -> str:
    kind = f'<w:pPr><w:pStyle w:val="{style}"/></w:pPr>' if style else ""
    return f"<w:p>{kind}<w:r><w:t>{text}</w:t></w:r></w:p>"


def a_pdf(*pages: str) -> bytes:
    """A PDF with the lines of each page."""
    count = len(pages)
    kids = " ".join(f"{4 + 2 * number} 0 R" for number in range(count))
    objects = [
        "<< /Type /Catalog /Pages 2 0 R >>",
        f"<< /Type /Pages /Count {count} /Kids [{kids}] >>",
        "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
    ]
    for number, page in enumerate(pages):
        lines = " T* ".join(f"({line}) Tj" for line in page.split("\n"))
        shown = f"BT /F1 12 Tf 14 TL 72 700 Td {lines} ET" if page else ""
        objects += [
            "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Resources"
            f" << /Font << /F1 3 0 R >> >> /Contents {5 + 2 * number} 0 R >>",
            f"<< /Length {len(shown)} >>\nstream\n{shown}\nendstream",
        ]
    out, places = b"%PDF-1.4\n", []
    for number, each in enumerate(objects, 1):
        places.append(len(out))
        out += f"{number} 0 obj\n{each}\nendobj\n".encode()
    table = "".join(f"{place:010d} 00000 n \n" for place in places)
    return (
        out
        + (
            f"xref\n0 {len(objects) + 1}\n0000000000 65535 f \n{table}"
            f"trailer\n<< /Size {len(objects) + 1} /Root 1 0 R >>\nstartxref\n{len(out)}\n%%EOF\n"
        ).encode()
    )


def locked(pdf: bytes, password: str) -> bytes:
    writer = pypdf.PdfWriter(clone_from=io.BytesIO(pdf))
    writer.encrypt(user_password=password, algorithm="RC4-128")
    packed = io.BytesIO()
    writer.write(packed)
    return packed.getvalue()
