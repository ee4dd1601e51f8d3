"""The shell: moves bytes around the pure stages, on the real log. Read ``streams/app.py`` first."""
