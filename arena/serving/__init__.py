"""Runs the whole arena on one machine: what `manage.py serve` starts, watches and ends."""
