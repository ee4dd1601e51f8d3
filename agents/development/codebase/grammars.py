"""The languages that are read with a grammar of tree-sitter, and which of its nodes say what."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

import tree_sitter_go
import tree_sitter_java
import tree_sitter_javascript
import tree_sitter_rust
import tree_sitter_typescript
from tree_sitter import Language, Node, Parser, Query, QueryCursor

_SCRIPT_CALLS = "(call_expression function: (_) @call) (new_expression constructor: (_) @call)"


@dataclass(frozen=True, slots=True)
class Grammar:
    """Names of nodes. ``containers`` have members, ``wrappers`` only surround a declaration.

    ``bases`` hold what a class extends or implements, ``marks`` are decorators and annotations.
    ``calls`` is a query of tree-sitter.
    """

    language: str
    containers: frozenset[str]
    functions: frozenset[str]
    fields: frozenset[str]
    imports: frozenset[str]
    wrappers: frozenset[str]
    bases: frozenset[str]
    marks: frozenset[str]
    calls: str


def _names(text: str) -> frozenset[str]:
    return frozenset(text.split())


_SCRIPT = Grammar(
    "TypeScript",
    _names(
        "class_declaration abstract_class_declaration class interface_declaration enum_declaration"
        " internal_module"
    ),
    _names(
        "function_declaration generator_function_declaration method_definition method_signature"
        " abstract_method_signature function_signature variable_declarator"
    ),
    _names(
        "public_field_definition field_definition property_signature type_alias_declaration"
        " enum_assignment"
    ),
    _names("import_statement"),
    _names("export_statement lexical_declaration variable_declaration ambient_declaration"),
    _names("class_heritage extends_type_clause"),
    _names("decorator"),
    _SCRIPT_CALLS,
)
_JAVASCRIPT = Grammar(
    "JavaScript",
    _SCRIPT.containers,
    _SCRIPT.functions,
    _SCRIPT.fields,
    _SCRIPT.imports,
    _SCRIPT.wrappers,
    _SCRIPT.bases,
    _SCRIPT.marks,
    _SCRIPT_CALLS,
)
_GO = Grammar(
    "Go",
    _names("type_spec"),
    _names("function_declaration method_declaration method_elem"),
    _names("field_declaration type_alias const_spec var_spec"),
    _names("import_spec"),
    _names(
        "type_declaration import_declaration import_spec_list const_declaration var_declaration"
        " var_spec_list"
    ),
    _names("type_elem"),
    frozenset(),
    "(call_expression function: (_) @call) (composite_literal type: (_) @call)",
)
_JAVA = Grammar(
    "Java",
    _names(
        "class_declaration interface_declaration enum_declaration record_declaration"
        " annotation_type_declaration"
    ),
    _names("method_declaration constructor_declaration compact_constructor_declaration"),
    _names("field_declaration constant_declaration"),
    _names("import_declaration"),
    _names("enum_body_declarations"),
    _names("superclass super_interfaces extends_interfaces"),
    _names("annotation marker_annotation"),
    "(method_invocation name: (_) @call) (object_creation_expression type: (_) @call)",
)
_RUST = Grammar(
    "Rust",
    _names("struct_item enum_item trait_item impl_item mod_item union_item"),
    _names("function_item function_signature_item macro_definition"),
    _names("field_declaration type_item const_item static_item associated_type"),
    _names("use_declaration extern_crate_declaration"),
    frozenset(),
    _names("trait_bounds"),
    _names("attribute_item"),
    "(call_expression function: (_) @call) (macro_invocation macro: (_) @call)",
)
_GRAMMARS = {
    **dict.fromkeys(("ts", "mts", "cts", "tsx"), _SCRIPT),
    **dict.fromkeys(("js", "jsx", "mjs", "cjs"), _JAVASCRIPT),
    "go": _GO,
    "java": _JAVA,
    "rs": _RUST,
}


def grammar_of(ending: str) -> Grammar | None:
    """``ending`` is that of the file's name, without the point."""
    return _GRAMMARS.get(ending.casefold())


def parse(ending: str, content: bytes) -> Node:
    """The root of the syntax tree; a broken file has one, too."""
    return Parser(_language(ending.casefold())).parse(content).root_node


def find_calls(ending: str, root: Node) -> list[Node]:
    """The nodes that name what is called."""
    captures = QueryCursor(_query(ending.casefold())).captures(root)
    return captures.get("call", [])


@cache
def _language(ending: str) -> Language:
    match _GRAMMARS[ending].language:
        case "TypeScript" if ending == "tsx":
            return Language(tree_sitter_typescript.language_tsx())
        case "TypeScript":
            return Language(tree_sitter_typescript.language_typescript())
        case "JavaScript":
            return Language(tree_sitter_javascript.language())
        case "Go":
            return Language(tree_sitter_go.language())
        case "Java":
            return Language(tree_sitter_java.language())
        case _:
            return Language(tree_sitter_rust.language())


@cache
def _query(ending: str) -> Query:
    return Query(_language(ending), _GRAMMARS[ending].calls)
