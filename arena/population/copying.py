"""Many rows at once: COPY on PostgreSQL, one prepared INSERT on SQLite."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import count
from typing import Any

from django.core.management.color import no_style
from django.db import connection, models
from django.db.models import AutoField


def next_key(model: type[models.Model]) -> int:
    """The first primary key above all that are taken."""
    last: int | None = model._default_manager.aggregate(last=models.Max("pk"))["last"]
    return (last or 0) + 1


def store(model: type[models.Model], instances: Iterable[models.Model]) -> int:
    """Store new instances as they are, those without a key under the next ones; how many. Nothing of `save()` happens,
    and making the instances must not ask the database."""
    fields = model._meta.concrete_fields
    columns = ", ".join(connection.ops.quote_name(str(field.column)) for field in fields)
    table = connection.ops.quote_name(model._meta.db_table)
    keys = count(next_key(model)) if isinstance(model._meta.pk, AutoField) else None
    n_rows = 0

    def rows() -> Iterator[tuple[Any, ...]]:
        nonlocal n_rows
        for instance in instances:
            n_rows += 1
            if instance.pk is None and keys is not None:
                instance.pk = next(keys)
            yield tuple(
                field.get_db_prep_save(getattr(instance, field.attname), connection) for field in fields
            )

    with connection.cursor() as cursor:
        if connection.vendor == "postgresql":
            with cursor.cursor.copy(f"COPY {table} ({columns}) FROM STDIN") as copy:
                for row in rows():
                    copy.write_row(row)
        else:
            marks = ", ".join(["%s"] * len(fields))
            cursor.executemany(f"INSERT INTO {table} ({columns}) VALUES ({marks})", list(rows()))  # noqa: S608
        for statement in connection.ops.sequence_reset_sql(no_style(), [model]):
            cursor.execute(statement)
    return n_rows
