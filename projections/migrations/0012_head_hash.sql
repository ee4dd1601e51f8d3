-- A change set has to name the bytes of the one before it. NULL: the head was folded before this was
-- kept, and the next one is taken by its number.

ALTER TABLE cairn.log_heads ADD COLUMN value_hash text;
