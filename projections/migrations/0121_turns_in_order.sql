-- Turns of a project, the newest first.
CREATE INDEX turns_in_order ON cairn.conversation_messages (project_id, sent_at, turn_id)
    WHERE role = 'user';
