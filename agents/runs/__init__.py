"""What every run of agents shares, whatever it works on. Of ours it imports ``schemas`` only."""
