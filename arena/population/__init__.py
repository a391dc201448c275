"""A made-up crowd: as many bots, matches and ratings as a busy arena has after months, to measure pages by.

`manage.py populate` makes it. Made up are people, names, times and who met whom; every game was played by the engine,
and every replay opens and verifies (docs/operate.md, A database of any size).
"""
