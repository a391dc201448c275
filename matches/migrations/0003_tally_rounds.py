from collections import Counter

from django.db import migrations


def count_rounds(apps, schema_editor):
    """Results stored before rounds were counted get them from their games."""
    Result = apps.get_model("matches", "Result")
    GameSeat = apps.get_model("matches", "GameSeat")
    for result in Result.objects.iterator(chunk_size=500):
        if "rounds" in result.tally:
            continue
        rounds = Counter()
        clean = GameSeat.objects.filter(game__match=result.pk, game__is_forfeit=False, fault="")
        for version, n_rounds in clean.values_list("version", "game__n_rounds"):
            rounds[version] += n_rounds
        result.tally["rounds"] = [rounds[version] for version in result.tally["versions"]]
        result.save(update_fields=["tally"])


class Migration(migrations.Migration):

    dependencies = [
        ('matches', '0002_embargo'),
    ]

    operations = [
        migrations.RunPython(count_rounds, migrations.RunPython.noop),
    ]
