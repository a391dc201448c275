import django.db.models.deletion
from django.db import migrations, models


def unknown_bot():
    """Empty at first, and not looked up while the next migration fills it in."""
    return models.ForeignKey(
        db_constraint=False,
        db_index=False,
        editable=False,
        null=True,
        on_delete=django.db.models.deletion.PROTECT,
        related_name='+',
        to='bots.bot',
    )


class Migration(migrations.Migration):

    dependencies = [
        ('bots', '0005_long_lists'),
        ('matches', '0008_long_lists'),
    ]

    operations = [
        # Each of these has an index, or a constraint's, that begins with it.
        migrations.AlterField(
            model_name='gameseat',
            name='game',
            field=models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='seats', to='matches.game'),
        ),
        migrations.AlterField(
            model_name='gameseat',
            name='version',
            field=models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='game_seats', to='bots.version'),
        ),
        migrations.AlterField(
            model_name='participant',
            name='match',
            field=models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='participants', to='matches.match'),
        ),
        migrations.AlterField(
            model_name='participant',
            name='version',
            field=models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='participations', to='bots.version'),
        ),
        migrations.AddField(model_name='participant', name='bot', field=unknown_bot()),
        migrations.AddField(model_name='gameseat', name='bot', field=unknown_bot()),
    ]
