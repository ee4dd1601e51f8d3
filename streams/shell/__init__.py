"""The shell: moves bytes around the pure stages, on the real log. Read ``streams/app.py`` first.

One stage is one Faust app and one consumer group (``<prefix>-<stage>``); all stages of a process
share an event loop and an idempotent producer. Reading order:

1. ``engine``: what of Faust is used, what was changed and why
2. ``delivery``, ``failures``, ``outage``, ``outgoing``, ``publisher``: a record and its
   acknowledgement, what a failure becomes, facts as bytes and onto the log
3. ``step_runner``: a sliding window of records, acknowledged as far as all before are done
4. ``partitions``: a task and a queue for each partition of a stage with state
5. ``writer_runner``, ``writer_partition``: fold, decide up to 64 ahead, check the offsets, commit
6. ``overdue``: requests without an answer for a quarter of an hour are sent again
7. ``state_file``, ``store``, ``decoding``, ``log_reader``: the state in SQLite, records decoded
   once for all stages, the tail of a topic without a group
8. ``hygiene_runner``, ``fair_queue``, ``cleaning``, ``hygiene_partition``, ``content``: stage 0
9. ``preview_first``: other work gives way to previews
10. ``pool``, ``child``, ``chunks``: child processes; the chunk a fact speaks of
11. ``askers``, ``model_reading``, ``single_calls``, ``model_calls``: where stages ask a model

**Order of writes**: the broker acknowledges the outputs, then the state is committed, then the
offset, offsets in order. Delivery is at least once; a repeat has the same event id.

**Failures**

- Bytes that are no fact go to ``dlq.v1``. So does a record whose topic, key or partition is not
  that of its fact; no stage answers it (``infra/platform/placement.py``).
- A record that is missing or damaged stops the stage, which names the place
  (``infra/platform/findings.py``).
- A step that raises, whose child dies or works longer than 20 s is tried three times. Then its
  ``give_up`` answers, and a dead letter is written; both are acknowledged before the record is.
- A writer that raises goes on with what can be decided, or without effect, as its answer
  (``streams.deciding``); so does one whose decision cannot be folded, or is above the topic's
  limit. What is left out is told before the answer is written.
- When ``evolve`` raises for a record three times, no more of it is folded than its place. The
  store remembers it, and is folded anew under another version of the code.
- Nothing is given up when memory, a disk or the store fails: the worker stops, or folds again.
- When somebody else wrote to a writer's output, it goes back to its last commit, folds what is
  there and decides again.
- When broker or database do not answer for ``CAIRN_REQUEST_TIMEOUT_S``, the worker stops with the
  reason, and its supervisor starts it again. So it does when a stage has unread records and does
  not move (``infra/runtime/watchdog.py``).

**Children** are fresh interpreters (``python -m streams.shell.child``) that end with their parent:
a pool of lower priority for stage 0 and deep reading, one child for previews. Each is a session of
its own, since Linux may count ``nice`` within sessions only. The child that reads a chunk also
reflects on it (``Step.then``) where this process runs both stages; both records are written all
the same.
"""
