"""The `api` driver in an isolated container: the host's side, the worker inside, the providers.

Host and worker exchange lines of JSON (`lines.py`). `driver.py` is the host's side, `worker.py` the
program inside. Where the worker runs is for a provider: `process.py` (walls of this machine),
`docker.py`, `daytona.py`.
"""
