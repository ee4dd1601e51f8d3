"""The assistant platform: who talks with a person, who does the work, and the specialists."""
