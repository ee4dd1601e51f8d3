"""The rules that find secrets; ``redaction.secret_search`` asks them all.

Reading order:

1. ``finding``: what a rule says
2. ``forms``, ``anchors``, ``private_keys``: secrets that show by their form
3. ``names``, ``values``: the name of a secret, and whether what is beside it is one
4. ``assigned``, ``records``, ``tables``, ``manifests``, ``sentences``, ``entropy``,
   ``password_files``: where a name and its value stand
"""
