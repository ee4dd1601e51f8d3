"""How often a consumer asks the broker: seldom, and yet a record is there at once."""

from collections import Counter
from typing import Any

from aiokafka import AIOKafkaConsumer

FLOW_BYTES = 64 * 1024
FLOW_WAIT_MS = 40
FLOW_ENDS_AFTER = 2  # fetches that brought nothing
RESTS = 4  # more of them until the wait is the longest
IDLE_WAIT_MS = 250  # the broker answers at once when there is something
REST_WAIT_MS = 4_000  # after some that brought nothing; a new assignment waits as long, at most


def pace_fetches(client: AIOKafkaConsumer) -> None:
    """A started ``client`` fetches seldom: while records flow as well as while none come.

    While fetches bring records they wait a moment for `FLOW_BYTES`, since a fetch costs both sides
    more than the few records of a moment. Once none come they wait for the first, each twice as
    long as the one before; but not where partitions are left out, since they have unread records
    and are to be asked for again soon. Other requests to the same broker wait for a fetch.
    """
    fetcher: Any = client._fetcher  # aiokafka has no public way to choose for each fetch
    plan, process = fetcher._get_actions_per_node, fetcher._proc_fetch_request
    brought_nothing: dict[int, int] = {}  # fetches in a row, by broker

    def planned(assignment: Any) -> Any:
        requests, *others = plan(assignment)
        led = Counter(map(fetcher._client.cluster.leader_for_partition, assignment.tps))
        for node, request in requests:
            asked = sum(len(partitions) for _, partitions in request.topics)
            if brought_nothing.get(node, FLOW_ENDS_AFTER) < FLOW_ENDS_AFTER:
                request._min_bytes, request._max_wait_ms = FLOW_BYTES, FLOW_WAIT_MS
            elif asked == led[node]:
                rests = brought_nothing.get(node, FLOW_ENDS_AFTER) - FLOW_ENDS_AFTER
                request._max_wait_ms = min(IDLE_WAIT_MS << rests, REST_WAIT_MS)
        return requests, *others

    async def processed(assignment: Any, node: int, request: Any) -> bool:
        brought = bool(await process(assignment, node, request))
        before = brought_nothing.get(node, FLOW_ENDS_AFTER)
        brought_nothing[node] = 0 if brought else min(before + 1, FLOW_ENDS_AFTER + RESTS)
        return brought

    fetcher._get_actions_per_node, fetcher._proc_fetch_request = planned, processed
