"""Governed workflows and deliveries as runs: begun, followed, decided about, taken up again. And
what leads to them: profiles, issue trackers, consultations and brainstorms.
"""
