"""Whether a change is what the user has asked for, in their own words; the same for every run."""
