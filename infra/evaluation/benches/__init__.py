"""The benches behind `cairn bench`: each measures a figure and its baseline in the same run."""
