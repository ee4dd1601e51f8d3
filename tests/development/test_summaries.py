"""A file in short, in six languages; what cannot be parsed is read by lines, and nothing raises."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from agents.development.codebase import summarize_file_for_context

PYTHON = '''\
"""Uploads, and where they are kept.

More of it.
"""
from __future__ import annotations
import os
from .base import Store as Base, Other

LIMIT: int = 10

@final
class Uploads(Base, metaclass=Meta):
    """Keeps uploads."""

    size: int = 0

    @property
    def path(self) -> str:
        """Where it is."""
        return os.path.join("a", SECRET_BODY)

    async def store(self, data: bytes, *, limit: int = LIMIT) -> None: ...

def open_store(path: str) -> Base:
    return Uploads(path)
'''
TYPESCRIPT = """\
/** Uploads of a user. */
import { Store, Other } from "./base";
import type { Json } from '../json';

@Injectable({ scope: "all" })
export class Uploads<T> extends Store<T> implements Json, Closable {
  @Input() size: number = 0;
  constructor(private readonly path: string) { super(path); }
  /** Keeps them. */
  async store(data: Buffer, limit = 10): Promise<void> { await this.disk.write(SECRET_BODY); }
}
export const openStore = (path: string): Store => { return new Uploads(path); };
interface Closable extends Other { close(): void }
"""
GO = """\
// Package store keeps uploads.
package store

import (
	"fmt"
	log "example.org/log"
)

// Uploads keeps uploads.
type Uploads struct {
	Base
	size int
}

type Store interface {
	Reader
	Put(data []byte) error
}

// Put keeps one.
func (u *Uploads) Put(data []byte) error { return fmt.Errorf(SecretBody) }

func Open(path string) *Uploads { return &Uploads{} }
"""
JAVA = """\
/* Uploads. */
package org.example;

import java.util.List;
import org.example.base.Store;

/** Keeps uploads. */
@Service @Scope("all")
public class Uploads<T> extends Store<T> implements Closeable, Comparable<T> {
    private int size = 0;
    public Uploads(String path) { super(path); }
    @Override
    public void put(byte[] data) throws IOException { disk.write(SECRET_BODY); }
}
interface Shape extends Other { void draw(int size); }
"""
RUST = """\
//! Uploads.
use std::fs::{File, Metadata};
use crate::base::Store;

/// Keeps uploads.
#[derive(Debug, Clone)]
pub struct Uploads<T> {
    size: T,
}

impl<T> Store for Uploads<T> where T: Copy {
    fn put(&self, data: &[u8]) -> Result<(), Error> { self.disk.write(secret_body); Ok(()) }
}

pub trait Closable: Drop + Send {
    fn close(&mut self);
}
pub fn open(path: &str) -> Uploads<u32> { todo!() }
"""


@pytest.mark.parametrize(
    ("path", "text", "parts"),
    [
        (
            "a/uploads.py",
            PYTHON,
            [
                "(Python, 26 lines)",
                "Uploads, and where they are kept.",
                "from .base import Store as Base, Other",
                "LIMIT: int",
                "@final",
                "class Uploads(Base, metaclass=Meta)  — Keeps uploads.",
                "    size: int",
                "    @property\n    def path(self) -> str  — Where it is.",
                "async def store(self, data: bytes, *, limit: int=LIMIT) -> None",
                "  def open_store(path: str) -> Base",
            ],
        ),
        (
            "uploads.ts",
            TYPESCRIPT,
            [
                "(TypeScript, ",
                "  Uploads of a user.",
                'import { Store, Other } from "./base"',
                '@Injectable({ scope: "all" })',
                "class Uploads<T> extends Store<T> implements Json, Closable",
                "    @Input()\n    size: number = 0",
                "constructor(private readonly path: string)",
                "async store(data: Buffer, limit = 10): Promise<void>  — Keeps them.",
                "openStore = (path: string): Store",
                "interface Closable extends Other\n    close(): void",
            ],
        ),
        (
            "store/uploads.go",
            GO,
            [
                "(Go, ",
                "Package store keeps uploads.",
                'log "example.org/log"',
                "type Uploads struct  — Uploads keeps uploads.\n    Base\n    size int",
                "type Store interface\n    Put(data []byte) error",
                "func (u *Uploads) Put(data []byte) error  — Put keeps one.",
                "func Open(path string) *Uploads",
            ],
        ),
        (
            "Uploads.java",
            JAVA,
            [
                "(Java, ",
                "import org.example.base.Store",
                '@Service\n  @Scope("all")\n',
                "public class Uploads<T> extends Store<T> implements Closeable, Comparable<T>",
                "— Keeps uploads.",
                "private int size = 0",
                "public Uploads(String path)",
                "@Override\n    public void put(byte[] data) throws IOException",
                "interface Shape extends Other\n    void draw(int size)",
            ],
        ),
        (
            "src/uploads.rs",
            RUST,
            [
                "(Rust, ",
                "  Uploads.",
                "use std::fs::{File, Metadata}",
                "@derive(Debug, Clone)\n  pub struct Uploads<T>  — Keeps uploads.\n    size: T",
                "impl<T> Store for Uploads<T> where T: Copy",
                "fn put(&self, data: &[u8]) -> Result<(), Error>",
                "pub trait Closable: Drop + Send\n    fn close(&mut self)",
                "pub fn open(path: &str) -> Uploads<u32>",
            ],
        ),
        (
            "uploads.js",
            "import x from 'y';\nclass A extends B { f(a) { return SECRET_BODY } }\n",
            ["(JavaScript, ", "import x from 'y'", "class A extends B\n    f(a)"],
        ),
        (
            "uploads.rb",
            "require 'json'\nclass A < B\n  def f(a)\n    secret_body\n  end\nend\n",
            ["(Ruby, 7 lines, read by lines)", "require 'json'", "class A < B", "def f(a)"],
        ),
    ],
)
def test_a_summary_has_imports_classes_and_signatures_and_no_bodies(path, text, parts):
    summary = summarize_file_for_context(path, text)
    assert summary.startswith(path)
    assert [it for it in parts if it not in summary] == [], summary
    assert "secret_body" not in summary.replace("_", "").casefold().replace("secretbody", "")
    assert "secret" not in summary.casefold()


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("a.py", "import os\n\nclass A(B):\n    def f(self, a):\n        return (\n"),
        ("a.py", "import os\nclass A(B):\n    def f(self, a):\n        x = '\0'\n"),
        ("a.go", "import (\n\ntype A struct {\n\nfunc f(a int) {\n"),
        ("A.java", "import os;\nclass A extends B {\n  void f(int a) {\n    x(\n"),
        ("a.rs", "use os;\nstruct A {\nfn f(a: i32) {\n"),
        ("a.ts", "import a from 'os'\nclass A extends B {\n function f(a) {\n"),
    ],
)
def test_of_a_broken_file_the_names_are_still_there(path: str, text: str):
    summary = summarize_file_for_context(path, text)
    assert "A" in summary.replace("A.java", "")
    assert "f(" in summary or "func f" in summary or "f(self, a)" in summary


def test_a_python_file_that_cannot_be_parsed_is_told_to_be_read_by_lines():
    assert "read by lines" in summarize_file_for_context("a.py", "class A:\n  def f(\n")
    assert "read by lines" not in summarize_file_for_context("a.py", "class A:\n  x = 1\n")


def test_a_file_that_is_deeply_nested_or_very_long_is_read_all_the_same():
    assert "read by lines" in summarize_file_for_context("a.py", "x = " + "(" * 5_000)
    assert "class A" in summarize_file_for_context("a.py", "class A:\n" + "    x = 1\n" * 200_000)
    deep = "class A { " * 3_000
    assert summarize_file_for_context("a.ts", deep).startswith("a.ts")


ENDINGS = st.sampled_from(["py", "ts", "tsx", "js", "go", "java", "rs", "rb", "md", "sql", ""])


@settings(max_examples=200)
@given(
    ENDINGS,
    st.one_of(
        st.text(max_size=200),
        st.sampled_from([PYTHON, TYPESCRIPT, GO, JAVA, RUST]).flatmap(
            lambda text: st.tuples(
                st.integers(0, 700), st.integers(0, 700), st.text(max_size=3)
            ).map(lambda cut: text[: cut[0]] + cut[2] + text[cut[1] :])
        ),
    ),
)
def test_any_text_under_any_name_has_a_summary(ending: str, text: str):
    summary = summarize_file_for_context(f"a.{ending}", text)
    assert summary.startswith(f"a.{ending} (")
    assert summary == summarize_file_for_context(f"a.{ending}", text)
