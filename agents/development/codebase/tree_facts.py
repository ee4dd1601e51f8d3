"""The structure of a file in TypeScript, JavaScript, Go, Java or Rust, from its syntax tree."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from tree_sitter import Node

from agents.development.codebase.facts import Declaration, FileFacts, first_line, one_line
from agents.development.codebase.grammars import Grammar, find_calls, grammar_of, parse

_MOST_DEPTH = 5
_COMMENTS = ("comment", "line_comment", "block_comment")
_FUNCTION_VALUES = ("arrow_function", "function_expression", "function", "class", "call_expression")
_CAPITALS = re.compile(r"^[A-Z][A-Z0-9_]+$")
_WORD = re.compile(r"\w+")
_TYPE_ARGUMENTS = re.compile(r"<[^<>]*>|\[[^\[\]]*\]")
_NO_NAMES = frozenset(("extends", "implements", "with", "permits", "where", "for", "dyn"))
_QUOTED = re.compile(r"[\"'`]([^\"'`]*)[\"'`]")


@dataclass(slots=True)
class _Walk:
    grammar: Grammar
    imports: list[str] = field(default_factory=list)
    modules: list[str] = field(default_factory=list)


def read_tree(ending: str, text: str) -> FileFacts | None:
    """None where there is no grammar for the ending."""
    grammar = grammar_of(ending)
    if grammar is None:
        return None
    root = parse(ending, text.encode("utf-8", "replace"))
    walk = _Walk(grammar)
    declarations = tuple(_declarations(walk, root, 0))
    return FileFacts(
        grammar.language,
        text.count("\n") + 1,
        _first_comment(root),
        tuple(dict.fromkeys(walk.imports)),
        tuple(dict.fromkeys(walk.modules)),
        declarations,
        frozenset(name for it in find_calls(ending, root) if (name := _called(it))),
        is_broken=root.has_error,
    )


def _text(node: Node) -> str:
    return (node.text or b"").decode("utf-8", "replace")


def _first_comment(root: Node) -> str:
    for node in root.children[:3]:
        if node.type not in _COMMENTS:
            return ""
        if (line := first_line(_text(node))) and "copyright" not in line.casefold():
            return line
    return ""


def _declarations(walk: _Walk, node: Node, depth: int) -> Iterator[Declaration]:
    """The declarations directly in the node, in their order; imports go into ``walk``."""
    marks: list[str] = []
    comment: list[str] = []
    for child in node.named_children:
        kind, grammar = child.type, walk.grammar
        if kind in _COMMENTS:
            comment.append(_text(child))
            continue
        if kind in grammar.marks:
            marks.append(_mark(child))
            continue
        if kind in grammar.imports:
            _add_import(walk, child)
        elif kind in grammar.containers and (declaration := _container(walk, child, depth)):
            yield _with(declaration, marks, comment)
        elif kind in (*grammar.functions, *grammar.fields):
            if declaration := _member(walk, child):
                yield _with(declaration, marks, comment)
        elif kind in grammar.wrappers:
            for inner in _declarations(walk, child, depth):
                yield _with(inner, marks, comment)
        marks, comment = [], []


def _with(declaration: Declaration, marks: Sequence[str], comment: Sequence[str]) -> Declaration:
    """The declaration with the decorators and the comment that stand above it."""
    doc = next((line for it in comment if (line := first_line(it))), "")
    return Declaration(
        declaration.kind,
        declaration.name,
        declaration.header,
        declaration.doc or doc,
        declaration.bases,
        (*marks, *declaration.decorators),
        declaration.members,
    )


def _container(walk: _Walk, node: Node, depth: int) -> Declaration | None:
    body = node.child_by_field_name("body")
    if walk.grammar.language == "Go":
        body = node.child_by_field_name("type")
    name = node.child_by_field_name("name") or node.child_by_field_name("type")
    members: tuple[Declaration, ...] = ()
    if body is not None and depth < _MOST_DEPTH:
        members = tuple(_declarations(walk, _inside(body), depth + 1))
    header = _header(walk.grammar, node, body)
    if walk.grammar.language == "Go" and body is not None:
        header = f"type {header} {body.type.removesuffix('_type').replace('_', ' ')}"
    bases = _bases(walk.grammar, node, body)
    is_go = walk.grammar.language == "Go"
    embedded = tuple(it.name for it in members if is_go and it.header == it.name)
    return Declaration(
        "class",
        _text(name) if name else "",
        one_line(header),
        "",
        (*bases, *embedded),
        _marks_within(walk.grammar, node),
        members,
    )


def _inside(body: Node) -> Node:
    """Of a struct of Go the list of its fields."""
    lists = [it for it in body.named_children if it.type == "field_declaration_list"]
    return lists[0] if lists else body


def _member(walk: _Walk, node: Node) -> Declaration | None:
    grammar = walk.grammar
    name_node = node.child_by_field_name("name") or node.child_by_field_name("declarator")
    if node.type == "field_declaration" and name_node is None:  # embedded, of Go
        name_node = node.child_by_field_name("type")
    name = next(iter(_WORD.findall(_text(name_node))), "") if name_node else ""
    body, kind = node.child_by_field_name("body"), "function"
    if node.type == "variable_declarator":
        value = node.child_by_field_name("value")
        if value is not None and value.type in _FUNCTION_VALUES:
            body = value.child_by_field_name("body") or value
        elif _CAPITALS.match(name):
            kind = "field"
        else:
            return None
    header = one_line(_header(grammar, node, body), 120 if kind == "field" else 240)
    if node.type in grammar.fields or kind == "field":
        header = header.rstrip(";,")
        header = name if header.lstrip("*") == name else header
        return Declaration("field", name, header, "", (), _marks_within(grammar, node))
    return Declaration("function", name, header.rstrip(";"), "", (), _marks_within(grammar, node))


def _header(grammar: Grammar, node: Node, body: Node | None) -> str:
    """The node's text up to its body, without decorators."""
    end = body.start_byte if body is not None else node.end_byte
    content, start = node.text or b"", node.start_byte
    parts, at = [], 0
    for mark in _mark_nodes(grammar, node):
        parts.append(content[at : mark.start_byte - start])
        at = mark.end_byte - start
    parts.append(content[at : max(end - start, at)])
    return one_line(b" ".join(parts).decode("utf-8", "replace")).removesuffix("=>").rstrip(" ={")


def _mark_nodes(grammar: Grammar, node: Node) -> list[Node]:
    """Its decorators; those of Java stand among its modifiers."""
    nodes = []
    for child in node.named_children:
        if child.type in grammar.marks:
            nodes.append(child)
        elif child.type == "modifiers":
            nodes += [it for it in child.named_children if it.type in grammar.marks]
    return nodes


def _marks_within(grammar: Grammar, node: Node) -> tuple[str, ...]:
    return tuple(_mark(it) for it in _mark_nodes(grammar, node))


def _mark(node: Node) -> str:
    return one_line(_text(node).strip("@#![] \n"), 100)


def _bases(grammar: Grammar, node: Node, body: Node | None) -> tuple[str, ...]:
    nodes = [it for it in node.named_children if it.type in grammar.bases]
    if grammar.language == "Go" and body is not None:
        nodes = [it for it in body.named_children if it.type in grammar.bases]
    if (trait := node.child_by_field_name("trait")) is not None:
        nodes.append(trait)
    names: list[str] = []
    for it in nodes:
        text, before = _text(it), ""
        while text != before:
            before, text = text, _TYPE_ARGUMENTS.sub("", text)
        for part in re.split(r"[,+&\s]+", text):
            words = [word for word in _WORD.findall(part) if word not in _NO_NAMES]
            names += words[-1:]
    return tuple(dict.fromkeys(names))


def _add_import(walk: _Walk, node: Node) -> None:
    text = one_line(_text(node).rstrip(";"))
    quoted = _QUOTED.search(text)
    bare = re.sub(
        r"^(?:pub(?:\([^)]*\))?\s+)?(?:import|use|extern crate)\s+(?:static\s+)?", "", text
    )
    walk.imports.append(text)
    walk.modules.append(quoted[1] if quoted else re.split(r"::\{|\s+as\s+", bare)[0])


def _called(node: Node) -> str:
    """The last name of what is called: ``c`` of ``a.b().c``."""
    for name in ("property", "field", "name"):
        if (inner := node.child_by_field_name(name)) is not None:
            return _text(inner)
    text = _text(node)
    words = _WORD.findall(_TYPE_ARGUMENTS.sub("", text)) if len(text) <= 120 else []
    return words[-1] if words else ""
