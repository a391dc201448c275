"""Matches that owners ask for: trials of one version against another, and single ones. Their changes are
`arena.services.trials`."""
