"""Broker and database without Docker, Java or PostgreSQL on the machine: started from wheels."""
