"""Drafts without a fault, to be spoilt by tests."""

ISSUE = """\
# Limit uploads

## Summary

Uploads above a limit are refused.

## Problem

Large files fill the disk.

## Requirements

- REQ-1: Uploads above 10 MB are refused.
- REQ-2: The refusal names the limit.

## Acceptance criteria

- A file of 11 MB is answered with 413.

## Out of scope
"""

DESIGN = """\
# Limit uploads

## Context

`Upload.store` in [the store](src/store.py) takes any size. See [the requirements](#requirements).

## Requirements

1. **REQ-1**: Uploads above 10 MB are refused.
2. **REQ-2**: The refusal names the limit.

## Design

A check before the first byte is written.

```python
# TODO in code is code, and so is <this>
LIMIT = 10
```

## Files to change

| File | Change | Purpose |
|---|---|---|
| `src/store.py` | modify | the check |
| `src/limits.py` | new | the limit |

## Test plan

| Scenario | Requirements |
|---|---|
| 11 MB are refused | REQ-1 |
| the answer has the limit | REQ-2 |

## Risks
"""

SPECIFICATION = """\
# Limit uploads

## Overview

A check before the first byte.

## Files to change

| File | Change |
|---|---|
| `src/store.py` | modify |
| `src/limits.py` | new |

## Instructions

### `src/store.py`

**Location:** `Upload.store`, line 12

**Current:**

```python
def store(self, data: bytes) -> None:
```

**Target signature:** `def store(self, data: bytes, limit: int) -> None`

**Tests:** `tests/test_store.py::test_large_uploads_are_refused`

### `src/limits.py`

**Target signature:** `LIMIT: int`

**Tests:** `tests/test_store.py`

## Tests

Both are shown by `tests/test_store.py`.
"""

PLAN = """\
# Limit uploads

**Goal:** Refuse uploads
above 10 MB.

## Key files

- `src/store.py` – the check
- Create: `src/limits.py`

## Phase 1: Limit

First the number.

### Task 1.1: Add the limit

Write `LIMIT = 10`.

```markdown
### Task 9: text in a fence
```

### Task 1.2: Read it from the settings

Done when `pytest` passes.

## Phase 2: Check

### Task 2.1: Refuse

Raise `TooLarge`.
"""

PATHS = ("src/store.py", "tests/test_store.py", "README.md")
