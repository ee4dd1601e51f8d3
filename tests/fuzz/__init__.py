"""Hostile inputs by the thousand: ``python -m tests.fuzz --minutes 10 --seed 1 --save FOLDER``.

Read in this order: ``mutation.py`` how bytes and trees are damaged, ``inputs.py`` what each target
is fed, ``worker.py`` the process that reads it by our public ways in and judges what came of it,
``campaign.py`` who feeds it, and notices a hang.
"""
