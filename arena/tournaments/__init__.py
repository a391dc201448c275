"""Tournaments: what is stored of an event, and how it is read. Its changes are `arena.services.tournaments`."""
