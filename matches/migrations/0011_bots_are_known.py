import django.db.models.deletion
from django.db import migrations, models
from django.db.models import OuterRef, Subquery

TABLES = ('matches_participant', 'matches_gameseat')


def fill_in_late_ones(apps, schema_editor):
    """Rows that a process of the version before has made meanwhile; none comes after."""
    is_postgresql = schema_editor.connection.vendor == 'postgresql'
    if is_postgresql:
        schema_editor.execute(f'LOCK TABLE {", ".join(TABLES)} IN SHARE ROW EXCLUSIVE MODE')
    Version = apps.get_model('bots', 'Version')
    bot = Subquery(Version.objects.filter(pk=OuterRef('version')).values('bot')[:1])
    for name in ('Participant', 'GameSeat'):
        apps.get_model('matches', name).objects.filter(bot=None).order_by().update(bot=bot)


def analyze(apps, schema_editor):
    """Until the planner knows how many rows a bot has, it does not use their indexes."""
    if schema_editor.connection.vendor == 'postgresql':
        schema_editor.execute(f'ANALYZE {", ".join(TABLES)}')


def known_bot():
    return models.ForeignKey(db_index=False, editable=False, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='bots.bot')


class Migration(migrations.Migration):

    dependencies = [
        ('matches', '0010_bots_filled_in'),
    ]

    operations = [
        migrations.RunPython(fill_in_late_ones, migrations.RunPython.noop),
        migrations.AlterField(model_name='participant', name='bot', field=known_bot()),
        migrations.AlterField(model_name='gameseat', name='bot', field=known_bot()),
        migrations.AddIndex(
            model_name='participant',
            index=models.Index(fields=['bot', 'match'], name='participant_bot_matches'),
        ),
        migrations.AddIndex(
            model_name='gameseat',
            index=models.Index(fields=['bot', 'game'], name='game_seat_bot_games'),
        ),
        migrations.AddIndex(
            model_name='gameseat',
            index=models.Index(condition=models.Q(('fault', ''), _negated=True), fields=['bot', 'id'], name='game_seat_bot_faults'),
        ),
        migrations.AddIndex(
            model_name='gameseat',
            index=models.Index(condition=models.Q(('fault', ''), _negated=True), fields=['bot', 'fault', 'id'], name='game_seat_bot_fault_kinds'),
        ),
        migrations.RunPython(analyze, migrations.RunPython.noop),
    ]
