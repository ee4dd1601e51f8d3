"""What reads a stranger's file formats, in a child process; imports the standard library only."""
