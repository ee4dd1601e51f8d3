-- Which project is next: the one of which the least runs, then the one that has waited the longest.
CREATE INDEX orchestration_jobs_due_of_project
    ON cairn.orchestration_jobs (project_id, priority, run_after, created_seq)
    WHERE status IN ('queued', 'failed');
CREATE INDEX orchestration_jobs_started ON cairn.orchestration_jobs (project_id, started_at)
    WHERE started_at IS NOT NULL;
CREATE INDEX orchestration_jobs_running ON cairn.orchestration_jobs (project_id)
    WHERE status = 'leased';
DROP INDEX cairn.orchestration_jobs_due;
