"""A fixed corpus, and a record of what each stage makes of it under which version.

``python -m tests.golden`` records anew.
"""
