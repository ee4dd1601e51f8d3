"""Facts of hygiene: what a source's text is after normalising, redacting and annotating."""

from __future__ import annotations

from datetime import datetime
from typing import ClassVar, Literal

from schemas.areas import Area
from schemas.document_roles.public import DocumentRole
from schemas.envelope import Event, Part
from schemas.events.source import SourceInfo, UnreadReason
from schemas.versions import ANNOTATOR_VERSION, CHUNK_VERSION, HYGIENE_VERSION, REDACTOR_VERSION

SANITIZED_PART_CHARS = 200_000

SkipReason = Literal[
    "binary",
    "undecodable",
    "empty",
    "too_large",
    "minified",
    "generated",
    "vendored",
    "lockfile",
    "data_blob",
    "duplicate_content",
    "excluded_by_policy",
    "too_short",
    "boilerplate",
    "poison",
    "no_reader",
    UnreadReason,
]
Severity = Literal["low", "medium", "high"]
AnnotationType = Literal[
    "prompt_injection",
    "instruction_like",
    "hidden_unicode",
    "hidden_markup",
    "encoded_payload",
    "redaction",
]
AnchorType = Literal["heading", "function", "class", "module", "record", "entry", "window"]
Outcome = Literal["sanitized", "skipped", "unchanged"]
DocumentStatus = Literal["proposed", "accepted", "rejected", "superseded"]
OptionStatus = Literal["chosen", "rejected", "open"]


class DocumentOption(Part):
    """An option that a document weighs, by its heading and the one ``under`` which that stands, and
    how the document stands to it.
    """

    heading: str
    under: str = ""
    status: OptionStatus


class Redaction(Part):
    """One secret that was replaced; offsets are characters of the sanitized payload."""

    redaction_id: str
    rule_id: str
    type: str
    line: int
    char_start: int
    char_end: int
    placeholder: str


class Annotation(Part):
    """A flagged span; offsets and lines are of the sanitized payload."""

    annotation_id: str
    annotation_type: AnnotationType
    rule_id: str
    severity: Severity
    char_start: int
    char_end: int
    line_start: int
    line_end: int


class Versions(Part):
    """The rule versions behind a result. A source whose result has others is processed again."""

    hygiene: str
    redactor: str
    annotator: str
    chunk: str


VERSIONS = Versions(
    hygiene=HYGIENE_VERSION,
    redactor=REDACTOR_VERSION,
    annotator=ANNOTATOR_VERSION,
    chunk=CHUNK_VERSION,
)


class SourceSanitized(Event):
    """Part of the sanitized text of a revision, in parts of at most 200,000 characters.

    The redactions and annotations of the whole source travel with part 0. Key ``source_id``.
    """

    type_name: ClassVar[str] = "source.sanitized"
    topic: ClassVar[str] = "hygiene.v1"

    source_id: str
    raw_normalized_hash: str
    sanitized_hash: str
    encoding: str
    line_count: int
    char_count: int
    part_index: int = 0
    part_count: int = 1
    text: str
    redactions: list[Redaction] = []
    annotations: list[Annotation] = []
    versions: Versions

    @property
    def aggregate_id(self) -> str:
        return self.source_id

    @property
    def local_key(self) -> str:
        return f"{self.sanitized_hash}|{self.versions.hygiene}|{self.part_index}"


class DescribedHeading(Part):
    """A heading that says what the text under it is, such as ``goals``, ``risks``, ``not-chosen``.

    ``section`` is that of a PRD which it announces, ``nowhere`` where its text tells nothing.
    """

    title: str
    line: int
    role: str
    section: str


class DocumentDescribed(Event):
    """Which part a document plays, and how it stands, as its names and its text tell. Key
    ``source_id``.

    Told of prose only, and of the whole document; ``sanitized_hash`` is empty where it is not read.
    ``origin`` is what its statements count as,
    unless a heading over them or a person says otherwise; ``role`` is what people call that, null
    where nothing tells it, and ``role_reason`` what told it. ``status`` is null where neither the
    document nor its folder says one; ``status_reason`` says which of them did. ``headings`` are the
    first ones that say what stands under them, in the order of the text.
    """

    type_name: ClassVar[str] = "document.described"
    topic: ClassVar[str] = "hygiene.v1"

    source_id: str
    sanitized_hash: str
    role: DocumentRole | None = None
    role_reason: str = ""
    origin: str = ""
    status: DocumentStatus | None = None
    status_reason: str = ""
    headings: list[DescribedHeading] = []
    versions: Versions

    @property
    def aggregate_id(self) -> str:
        return self.source_id

    @property
    def local_key(self) -> str:
        return f"{self.sanitized_hash}|{self.versions.hygiene}"


class ChunkCreated(Event):
    """A span of a sanitized payload with its structural anchor. Key ``source_id``.

    ``skip_reason`` is set for a chunk that nobody has to read (``too_short``,
    ``boilerplate``). ``annotations`` are those that touch the chunk, in full, with offsets of the
    whole payload. ``document_status`` is what its document says of itself, null where it says none;
    ``document_supersedes`` are the paths, numbers or titles of what it says that it replaces.
    ``document_successor`` is the path or name of what replaces it, where it is superseded and names
    one; ``options`` are those that it weighs, wherever it says so. ``root`` is that of its source,
    whose words name the project where it is a repository. ``newer_facts_last``: its document is a
    numbered list of facts of which the one with the larger number holds.
    """

    type_name: ClassVar[str] = "chunk.created"
    topic: ClassVar[str] = "chunk.v1"

    chunk_id: str
    source_id: str
    path: str
    title: str
    source_type: str
    priority_tier: int
    language: str | None = None
    sanitized_hash: str
    anchor_type: AnchorType
    anchor_start: int
    anchor_end: int
    chunk_version: str
    line_start: int
    line_end: int
    structure_path: list[str] = []
    structure_fallback: bool = False
    part_index: int = 0
    part_count: int = 1
    text_payload: str
    text_hash: str
    token_estimate: int
    annotations: list[Annotation] = []
    document_status: DocumentStatus | None = None
    document_successor: str | None = None
    document_supersedes: list[str] = []
    options: list[DocumentOption] = []
    skip_reason: SkipReason | None = None
    skip_detail: str | None = None
    root: str = ""
    newer_facts_last: bool = False

    @property
    def aggregate_id(self) -> str:
        return self.chunk_id

    @property
    def local_key(self) -> str:
        return self.chunk_id


class ChunkRef(Part):
    """What run control must know of a chunk to choose it, without its text.

    ``partition`` and ``offset`` say where the ``chunk.created`` record stands on ``chunk.v1``: a
    hint, -1 when unknown, as is ``line_start``. ``words`` are sorted 32-bit hashes of at most 64
    distinct content words, for novelty; ``areas`` are those whose words occur;
    ``structured`` says that it has a heading path or doc comment.
    """

    chunk_id: str
    partition: int = -1
    offset: int = -1
    anchor_type: AnchorType
    anchor_start: int
    anchor_end: int
    line_start: int = -1
    text_hash: str
    structure_path: list[str] = []
    token_estimate: int
    words: list[int] = []
    areas: list[Area] = []
    structured: bool = False
    document_status: DocumentStatus | None = None
    document_supersedes: list[str] = []
    options: list[DocumentOption] = []
    skip_reason: SkipReason | None = None


class SourceProcessed(Event):
    """A revision was processed: always the last of its records. Key ``source_id``.

    ``unchanged`` means that the content equals the revision before under the same versions; hashes
    and chunks are then those of that revision. ``revision_seq`` counts revisions of the source from
    1.
    """

    type_name: ClassVar[str] = "source.processed"
    topic: ClassVar[str] = "chunk.v1"

    source: SourceInfo
    trigger_key: str
    outcome: Outcome
    revision_seq: int
    revision_ref: str | None = None
    source_time: datetime | None = None
    raw_sha256: str
    raw_normalized_hash: str | None = None
    sanitized_hash: str | None = None
    previous_sanitized_hash: str | None = None
    encoding: str | None = None
    line_count: int = 0
    char_count: int = 0
    redaction_count: int = 0
    annotation_count: int = 0
    max_annotation_severity: Severity | None = None
    skip_reason: SkipReason | None = None
    skip_detail: str | None = None
    chunks: list[ChunkRef] = []
    versions: Versions

    @property
    def aggregate_id(self) -> str:
        return self.source.source_id
