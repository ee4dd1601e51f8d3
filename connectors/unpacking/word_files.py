"""Word documents (.docx) as Markdown, by way of HTML; what tracked changes deleted is not told."""

from __future__ import annotations

import io
import zipfile

import mammoth

from connectors.unpacking.pages import markdown_of_text
from connectors.unpacking.rendering import Unread

OLE = b"\xd0\xcf\x11\xe0"
MAX_UNPACKED_BYTES = 64 * 1024 * 1024
MAX_RATIO = 200


def markdown_of(content: bytes) -> str:
    """Raises Unread."""
    if content.startswith(OLE):
        raise Unread("encrypted", "a Word document with a password, or of the old format")
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as packed:
            unpacked = sum(member.file_size for member in packed.infolist())
    except zipfile.BadZipFile:
        raise Unread("unreadable", "no Word document, or damaged") from None
    if unpacked > min(MAX_UNPACKED_BYTES, MAX_RATIO * len(content)):
        raise Unread("too_large", "unpacked it is too large")
    result = mammoth.convert_to_html(io.BytesIO(content), convert_image=_no_image)
    text = markdown_of_text(result.value)
    if not text.strip():
        raise Unread("no_text", "a Word document without text")
    return text


@mammoth.images.img_element  # type: ignore[untyped-decorator]
def _no_image(image: object) -> dict[str, str]:
    return {}
