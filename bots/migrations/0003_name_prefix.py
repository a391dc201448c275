from django.db import migrations


def make_index(apps, schema_editor):
    """By it PostgreSQL finds the names that begin with something, in any case and whatever the database's collation.

    SQLite has no such kind of index, and Django's models have no way to ask for it of one database alone.
    """
    if schema_editor.connection.vendor == "postgresql":
        schema_editor.execute("CREATE INDEX bot_name_prefix ON bots_bot (LOWER(name) text_pattern_ops)")


def drop_index(apps, schema_editor):
    if schema_editor.connection.vendor == "postgresql":
        schema_editor.execute("DROP INDEX bot_name_prefix")


class Migration(migrations.Migration):
    dependencies = [("bots", "0002_suspended_index")]

    operations = [migrations.RunPython(make_index, drop_index)]
