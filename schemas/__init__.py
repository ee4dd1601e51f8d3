"""What a fact is and how it is written down: events, ids, topics, codec. Needs nothing of ours."""
