"""The MCP server: seven tools that read one project, its atoms as resources, and two prompts.

Coding assistants call it over standard input and output (`cairn mcp`) or at `/mcp` of the HTTP
server. It parses, asks the tables of the project, and renders. Only what
serves MCP imports it, so that no other process waits for the SDK.
"""
