"""The structure of a Python file, by the language's own parser."""

from __future__ import annotations

import ast
import warnings
from collections.abc import Iterator, Sequence

from agents.development.codebase.facts import Declaration, FileFacts, first_line, one_line

_PARSING_ATTEMPTS = 5
_Function = ast.FunctionDef | ast.AsyncFunctionDef


def read_python(text: str) -> FileFacts | None:
    """None where the text cannot be parsed."""
    tree = _parse(text)
    if tree is None:
        return None
    imports = [it for it in ast.walk(tree) if isinstance(it, ast.Import | ast.ImportFrom)]
    return FileFacts(
        "Python",
        text.count("\n") + 1,
        first_line(ast.get_docstring(tree) or ""),
        tuple(dict.fromkeys(one_line(ast.unparse(it)) for it in imports)),
        tuple(dict.fromkeys(name for it in imports for name in _modules(it))),
        tuple(_declarations(tree.body)),
        frozenset(_calls(tree)),
    )


def _parse(text: str) -> ast.Module | None:
    for _ in range(_PARSING_ATTEMPTS):
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # invalid escapes of files that are not ours
                return ast.parse(text)
        except SystemError:  # another thread was parsing: python/cpython#106905
            continue
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            return None
    return None


def _modules(node: ast.Import | ast.ImportFrom) -> Iterator[str]:
    if isinstance(node, ast.ImportFrom):
        yield "." * node.level + (node.module or "")
    else:
        yield from (alias.name for alias in node.names)


def _declarations(body: Sequence[ast.stmt], depth: int = 0) -> Iterator[Declaration]:
    for node in body:
        if isinstance(node, ast.ClassDef):
            yield _class(node, depth)
        elif isinstance(node, _Function):
            yield _function(node)
        elif isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
            header = f"{node.target.id}: {one_line(ast.unparse(node.annotation), 100)}"
            yield Declaration("field", node.target.id, header)
        elif isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
            header = one_line(ast.unparse(node), 80)
            yield Declaration("field", node.targets[0].id, header)
        elif isinstance(node, ast.If | ast.Try) and depth == 0:
            yield from _declarations(node.body, depth + 1)


def _class(node: ast.ClassDef, depth: int) -> Declaration:
    parents = [ast.unparse(it) for it in (*node.bases, *node.keywords)]
    return Declaration(
        "class",
        node.name,
        one_line(f"class {node.name}" + (f"({', '.join(parents)})" if parents else "")),
        first_line(ast.get_docstring(node) or ""),
        tuple(_last_name(it) for it in node.bases),
        _decorators(node),
        tuple(_declarations(node.body, depth + 1)) if depth < 4 else (),
    )


def _function(node: _Function) -> Declaration:
    word = "async def" if isinstance(node, ast.AsyncFunctionDef) else "def"
    returns = f" -> {ast.unparse(node.returns)}" if node.returns else ""
    header = one_line(f"{word} {node.name}({ast.unparse(node.args)}){returns}")
    doc = first_line(ast.get_docstring(node) or "")
    return Declaration("function", node.name, header, doc, (), _decorators(node))


def _decorators(node: ast.ClassDef | _Function) -> tuple[str, ...]:
    return tuple(one_line(ast.unparse(it), 100) for it in node.decorator_list)


def _calls(tree: ast.Module) -> Iterator[str]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and (name := _last_name(node.func)):
            yield name


def _last_name(node: ast.expr) -> str:
    match node:
        case ast.Name(id=name) | ast.Attribute(attr=name):
            return name
        case ast.Subscript(value=value) | ast.Call(func=value):
            return _last_name(value)
        case _:
            return ""
