"""Text to claims: what reads a chunk and proposes atoms. Of ours it imports ``schemas`` only."""
