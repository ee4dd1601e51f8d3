"""The HTTP API: parse, call one use case of `infra.service` or ask one of its questions, render.

Only `cairn web` imports it, so that no other command waits for FastAPI.
"""
