"""From comments and doc comments of source code to drafts."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace

from agents.offline.lexicons import Wording, load_words
from agents.offline.recognise.cues import EXPLICIT, MODAL, WEAK, Cue
from agents.offline.recognise.entities import names_in
from agents.offline.recognise.fragments import asks, has_verb, is_order
from agents.offline.recognise.needs import find_requirement
from agents.offline.recognise.noise import (
    addresses_reader,
    is_chatter,
    is_noise,
    is_truncated,
    needs_context,
    words_of,
)
from agents.offline.recognise.structure import NEEDED
from agents.offline.resolve.drafts import THIN, Draft, add_scope, make_draft
from agents.offline.resolve.sequels import sequel_of
from agents.offline.segment.code_comments import Comment, comments
from agents.offline.segment.passages import MIN_EVIDENCE_CHARS, Passage, Sentence, Span
from agents.offline.segment.wording import lower_first, split_sentences, strip_markup
from schemas.events.atom import MAX_TITLE
from schemas.events.hygiene import ChunkCreated
from schemas.readers import suffix_of

_MARK = re.compile(r"\b(?:TODO|FIXME|XXX)\b")
_NO_TASK = Wording("comments", "no_task")
_NO_OBJECT = Wording("comments", "no_object")
_ASKS = Wording("comments", "asks")
_EMPTY = load_words("comments", "says_little")
_CLAUSE_END = re.compile(
    r"[.?!](?=\s|$)|"
    r"(?<=\w)(?=\n[\s#*/-]*(?:The|This|These|That|If|In|It|We|When|There|An?|As|Note|See|For now|"
    r"Currently) )"
)  # a remark of its own begins in the next line
_MARKED = re.compile(r"(?:TODO|FIXME|XXX)\s*+(?:\([^)]*\)|\[[^\]]*\])?\s*+[:,.\-]*+\s*+")
_OBSERVES = Wording("comments", "observes")
_MUSES = Wording("comments", "muses")
_TEST_PATH = Wording("comments", "test_paths")
_DOES = Wording("comments", "does")
_DOES_TOO = Wording("comments", "does", "does_too")
_SUMMARY = Wording("comments", "summary")
_RELATIVE = Wording("comments", "relative")
_NAMED = re.compile(
    r"(?:(?:The|An?) )?(?P<name>\w+)(?: (?:class|interface|enum|struct|type|object|trait|record))? "
)
_RELATED = Wording("comments", "related")
_VERB = Wording("comments", "finite")
NAMED_WITHIN = 40  # characters in which a sentence has named its subject
TELLING = 8  # words of a comment that its type's name does not say; with 6 and 7 .46 of 48 are good
OF_TYPE = "@type"  # a feature of where a draft stands
_HOLLOW = Wording("comments", "hollow")
_NOUN_END = Wording("comments", "noun_ends")
_CODE_TALK = Wording("comments", "code_talk")
_MUST = re.compile(r"^[^;:]{5,90}?\b(?:must|shall)\b", re.IGNORECASE)
_ORDER = Wording("comments", "orders")
_DECLARATION = re.compile(
    r"\b(?:class|interface|enum|record|struct|trait|type|object|protocol|contract) +(?P<name>\w+)"
)
_CLASS_HEAD = re.compile(r"\bclass +(?P<name>\w+)(?:(?!\bclass\b)[^:])*:\s*$")
BESIDE = 300  # characters before a doc string in which the head of its class stands
BESIDE_AFTER = 800  # annotations
_DECLARED = re.compile(
    r";[ \t]*$|^\s*\}|^\s*(?:[a-z]+ )*?(?:fn|func|fun|def|const|let|var|val|class|interface|enum|"
    r"struct|trait|object|module|namespace) ",
    re.MULTILINE,
)  # something else before it
_TYPE_NAME = re.compile(r"[A-Z][a-z0-9]+[A-Z][A-Za-z0-9]*$")
_ROUTINE = re.compile(
    r"^(?:(?:pub|public|export|default|async|static) )*"
    r"(?:func (?:\((?:\w+ )?\*?(?P<of>\w+)[^()\n]*\) )?|fn |def |function |type |class |struct |"
    r"interface )(?P<name>\w+)",
    re.MULTILINE,
)
_ANY_PART = load_words("comments", "any_part")


def comment_drafts(chunk: ChunkCreated) -> list[Draft]:
    """Drafts from the comments of a chunk of code or configuration, in the order of the text."""
    text = chunk.text_payload
    suffix = suffix_of(chunk.path)
    in_tests = _TEST_PATH.says(chunk.path)
    symbol = _find_documented_type(chunk)
    drafts: list[Draft] = []
    for comment in comments(text, suffix):
        named = symbol if comment.documents and _declares(text, comment, symbol, suffix) else ""
        for passage in comment.passages:
            drafts += (_name_part(chunk, passage, it) for it in _read_note(text, passage))
            if in_tests:
                continue
            about = _of_type(text, comment, named) if named and passage.place == 0 else None
            if about:
                drafts.append(about)
            stated = _read_statements(text, passage, skips_opening=about is not None)
            drafts += (_name_part(chunk, passage, it) for it in stated)
        if named:
            symbol = ""
    return drafts


def _name_part(chunk: ChunkCreated, passage: Passage, draft: Draft) -> Draft:
    """``draft`` told with the part of the code it stands in, which its author took for granted."""
    part = _part_of(chunk, passage)
    is_named = part.rpartition(".")[2].lower() in draft.title.lower()
    if not part or is_named or len(part) + len(draft.title) + 2 > MAX_TITLE:
        return draft
    return replace(draft, title=add_scope(part, draft.title), scope=part, aside=True)


def _part_of(chunk: ChunkCreated, passage: Passage) -> str:
    """The class and function that a comment stands in, as far as they are known, or nothing."""
    names = [part.partition("(")[0].strip() for part in chunk.structure_path]
    around = _routine_at(chunk.text_payload, passage)
    if around and names in ([], [around["name"]]):
        names = [it for it in (around["of"], around["name"]) if it]
    symbols = [name for name in names if re.fullmatch(r"[\w.$:]{3,}", name)]
    return ".".join(symbols[-2:]) if symbols and symbols[-1].lower() not in _ANY_PART else ""


def _routine_at(text: str, passage: Passage) -> re.Match[str] | None:
    """The head of what a comment stands in, or right before where it is not indented."""
    if text[text.rfind("\n", 0, passage.start) + 1 :][:1] not in " \t":
        after = text.find("\n", passage.end) + 1
        return _ROUTINE.match(text, after) if after else None
    heads = list(_ROUTINE.finditer(text, 0, passage.start))
    return heads[-1] if heads else None


def _find_documented_type(chunk: ChunkCreated) -> str:
    """The type that the first doc comment of a class chunk speaks of, or nothing."""
    if chunk.anchor_type != "class" or not chunk.structure_path:
        return ""
    name = re.split(r"[.:#$ ]", chunk.structure_path[-1].strip())[-1]
    return name if _TYPE_NAME.match(name) else ""


def _declares(text: str, comment: Comment, symbol: str, suffix: str) -> bool:
    """Whether the comment is that of the type, not of its module or a member: it stands right
    before the declaration, annotations aside, or, as a doc string, after.
    """
    start, end = comment.span
    if not symbol:
        return False
    if suffix in ("py", "pyi"):
        head = _CLASS_HEAD.search(text, max(0, start - BESIDE), start)
        return head is not None and head["name"] == symbol
    match = _DECLARATION.search(text, end, end + BESIDE_AFTER)
    if match is None or match["name"] != symbol:
        return False
    return not _DECLARED.search(text, end, match.start())


def _sentence(text: str, span: Span) -> Sentence:
    raw = text[span[0] : span[1]]
    return Sentence(span, raw, strip_markup(raw))


def _read_note(text: str, passage: Passage) -> Iterator[Draft]:
    """A TODO or FIXME with enough words to know what is to be done."""
    match = _MARK.search(text, passage.start, passage.end)
    if match is None:
        return
    span = _first_clause(text, match.start(), passage.end)
    sentence = _sentence(text, span)
    label = _MARKED.match(sentence.text)
    cue = Cue("action_item", EXPLICIT, skip=label.end() if label else 0)
    rest = sentence.text[cue.skip :]
    if match.group() == "XXX" and not (asks(rest) or is_order(rest) or NEEDED.says(rest)):
        return  # a mark of what is odd, not of what is to be done
    if len(words_of(rest)) < 4 or is_noise(rest) or span[1] - span[0] < MIN_EVIDENCE_CHARS:
        return
    if rest.endswith("?"):  # who asks has not decided that it is to be done
        if not _ASKS.match(rest):
            return
        cue = Cue("unknown", MODAL, skip=cue.skip)
    elif _MUSES.match(rest):
        cue = replace(cue, confidence=WEAK)
    if (
        rest[0].isalpha()
        and not needs_context(rest)
        and not _NO_TASK.match(rest)
        and (cue.kind == "unknown" or not _OBSERVES.match(rest))
        and not _NO_OBJECT.match(rest)
        and len({word.lower() for word in words_of(rest) if len(word) > 3} - _EMPTY) >= 3
        and (draft := make_draft(cue, sentence, (), "", None))
    ):
        yield draft


def _first_clause(text: str, start: int, end: int) -> Span:
    """From a mark to the end of its first sentence, or its first line where code may follow."""
    stop = _CLAUSE_END.search(text, start + 12, end)
    close = stop.end() if stop else end
    if close - start > 300 or is_noise(strip_markup(text[start:close])):
        line = text.find("\n", start, end)
        close = line if line > 0 else end
    return start, start + len(text[start:close].rstrip())


def _of_type(text: str, comment: Comment, symbol: str) -> Draft | None:
    """What the type is for, by the first sentence of its comment and the one after it."""
    read = [_sentence(text, span) for span in _find_opening(text, comment)]
    first = read[0]
    about = _about(symbol, first.text) if _is_readable(first) else ""
    draft = (
        make_draft(Cue("claim", WEAK), replace(first, text=about), (), "", None) if about else None
    )
    if draft is None:
        return None
    for further in read[1:]:
        if _DOES_TOO.match(further.text):
            further = replace(further, text=f"It {lower_first(further.text)}")
        if _is_readable(further):
            draft = sequel_of(draft, first, further, of_type=True)
    news = len(_new_words(symbol, f"{first.text} {draft.sequel}"))
    return replace(draft, place=(OF_TYPE, *([THIN] if news < TELLING else [])))


def _find_opening(text: str, comment: Comment) -> list[Span]:
    """Its first two sentences, whether or not they stand in one paragraph."""
    spans: list[Span] = []
    for passage in comment.passages[:2]:
        spans += split_sentences(text, passage.start, passage.end)
    return spans[:2]


def _read_statements(text: str, passage: Passage, *, skips_opening: bool) -> Iterator[Draft]:
    """Constraints and risks that a comment states of the project, after its opening if wanted."""
    for span in split_sentences(text, passage.start, passage.end)[int(skips_opening) :]:
        sentence = _sentence(text, span)
        cue = _by_words(sentence) if _is_readable(sentence) else None
        if cue and (draft := make_draft(cue, sentence, (), "", None)):
            yield draft


def _is_readable(sentence: Sentence) -> bool:
    """Whether it is long enough to be evidence, no noise, and no note of what is to be done."""
    noisy = is_noise(sentence.text) or _MARK.search(sentence.text)
    return len(sentence.raw) >= MIN_EVIDENCE_CHARS and not noisy


def _about(symbol: str, text: str) -> str:
    """A type's summary as a sentence with the type as its subject; nothing where that fails.

    What only repeats the type's name in words, as comments of plain data types do, says nothing.
    """
    if len(words_of(text)) < 6 or is_truncated(text) or is_chatter(text) or _HOLLOW.says(text):
        return ""
    if len(_new_words(symbol, text)) < 4:
        return ""
    if _names(symbol, text):
        return text if has_verb(text) else ""
    if _DOES.match(text):
        return f"{symbol} {lower_first(text)}"
    if symbol in text[:NAMED_WITHIN] or _VERB.says(_RELATED.split(text, 1)[0]):
        return ""  # it has a subject of its own
    if text.startswith(("A ", "An ", "The ")) and not has_verb(_NOUN_END.split(text, 1)[0]):
        return f"{symbol} is {lower_first(text)}"
    return ""


def _names(symbol: str, text: str) -> bool:
    """Whether ``text`` is a sentence with the type as its subject."""
    start = _NAMED.match(text)
    if start is None or start["name"] != symbol:
        return False
    return not _RELATIVE.match(text, start.end())


def _new_words(symbol: str, text: str) -> set[str]:
    """Content words of ``text`` that are no part of the type's name."""
    parts = {part.lower() for part in re.findall(r"[A-Z]+(?![a-z])|[A-Z]?[a-z0-9]+", symbol)}
    spoken = {word.lower() for word in words_of(text) if len(word) > 3}
    return {word for word in spoken if word not in parts and word.rstrip("s") not in parts}


def _by_words(sentence: Sentence) -> Cue | None:
    text = sentence.text
    if addresses_reader(text) or needs_context(text) or is_chatter(text) or is_truncated(text):
        return None
    names = names_in(sentence.raw, text)
    if len(words_of(text)) < 6 or text[:1].islower() or _SUMMARY.match(text):
        return None
    if _CODE_TALK.match(text):
        return None
    cue = find_requirement(text, named=bool(names))
    if cue is None or not _MUST.search(text) or _ORDER.match(text):
        return None
    return Cue(cue.kind, WEAK, cue.attributes)
