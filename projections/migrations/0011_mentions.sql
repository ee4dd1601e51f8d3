-- Mentions that an atom had only by a merge end when the merge is undone.

ALTER TABLE cairn.ledger_atom_entities ADD COLUMN active boolean NOT NULL DEFAULT true;
ALTER TABLE cairn.ledger_merge_ops ADD COLUMN mentions_added text[] NOT NULL DEFAULT '{}';
