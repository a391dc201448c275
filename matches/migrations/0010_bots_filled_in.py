from django.db import migrations
from django.db.models import Max, Min, OuterRef, Subquery

BATCH = 10_000


def fill_in(apps, schema_editor):
    """The bot of each row's version, a batch a transaction: no lock is held for long, and what was done stays done
    when this is interrupted and begun again."""
    Version = apps.get_model('bots', 'Version')
    bot = Subquery(Version.objects.filter(pk=OuterRef('version')).values('bot')[:1])
    for name in ('Participant', 'GameSeat'):
        model = apps.get_model('matches', name)
        keys = model.objects.aggregate(first=Min('pk'), last=Max('pk'))
        for start in range(keys['first'] or 0, (keys['last'] or 0) + 1, BATCH):
            batch = model.objects.filter(pk__gte=start, pk__lt=start + BATCH, bot=None)
            batch.order_by().update(bot=bot)


class Migration(migrations.Migration):

    atomic = False

    dependencies = [
        ('matches', '0009_bots_of_players'),
    ]

    operations = [
        migrations.RunPython(fill_in, migrations.RunPython.noop),
    ]
