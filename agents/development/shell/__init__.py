"""Which commands an agent may ask for: four layers of rules, one after the other.

They are courtesy, no boundary: an allowed program can start others. They give a model a clear
answer early; the walls of ``infra/runtime/walls`` hold whatever they let through.
"""
