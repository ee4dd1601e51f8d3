"""The application layer: one function for each thing a user can do.

A use case takes plain values, publishes or reads, returns a frozen result and raises errors with
codes (`infra/platform/errors.py`). It prints nothing and knows no terminal, request or tool call;
HTTP and MCP parse, call one use case and render.
"""
