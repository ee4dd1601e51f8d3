-- Teams, and what is planned for them: tasks, sprints and reports are artifacts.

CREATE TABLE cairn.team_members (
    member_id       text PRIMARY KEY,
    project_id      text NOT NULL,
    name            text,
    role            text,
    skills          jsonb,
    capacity_points int,
    availability    jsonb,
    active          boolean,
    updated_from_event_id uuid
);
CREATE INDEX team_members_by_project ON cairn.team_members (project_id);

-- The days on which a member has less time, one row for each stretch.
CREATE VIEW cairn.member_availability AS
SELECT m.member_id, m.project_id, a.first_day, a.last_day, a.kind, a.capacity_factor
FROM cairn.team_members m,
    jsonb_to_recordset(m.availability)
        AS a(first_day date, last_day date, kind text, capacity_factor double precision)
WHERE m.active;

-- From when the plans of a project count, and how fast its team is, where somebody said so.
CREATE TABLE cairn.team_plans (
    project_id text PRIMARY KEY,
    start_day  text,
    velocity   int,
    updated_from_event_id uuid
);

CREATE VIEW cairn.tasks AS
SELECT a.*,
    fields->>'feature_id' AS feature_id,
    fields->'solutions' AS solutions,
    (fields->>'estimate_points')::int AS estimate_points,
    fields->'required_skills' AS required_skills,
    fields->>'domain' AS domain,
    fields->>'complexity' AS complexity,
    fields->>'status' AS status,
    plan->>'assignee_id' AS assignee_id,
    plan->>'sprint_id' AS sprint_id
FROM cairn.artifacts a WHERE artifact_type = 'task';

CREATE VIEW cairn.sprint_plans AS
SELECT a.*,
    (fields->>'sprint_number')::int AS sprint_number,
    fields->>'goal' AS goal,
    fields->>'start_date' AS start_date,
    fields->>'end_date' AS end_date,
    (fields->>'capacity_points')::int AS capacity_points,
    (fields->>'planned_points')::int AS planned_points,
    fields->'items' AS items,
    fields->'unplanned' AS unplanned,
    fields->'assumptions' AS assumptions
FROM cairn.artifacts a WHERE artifact_type = 'sprint_plan';

CREATE VIEW cairn.reports AS
SELECT a.*,
    fields->>'report_type' AS report_type,
    fields->>'as_of' AS as_of
FROM cairn.artifacts a WHERE artifact_type = 'report';
