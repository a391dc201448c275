"""What organisers fill in. A form checks its own shape; formats and services decide the rest."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from django import forms
from django.core.exceptions import ValidationError
from django.template.loader import render_to_string
from django.utils.safestring import SafeString
from django.utils.translation import get_language, gettext_lazy
from django.utils.translation import gettext as _

from arena.formats import FORMATS, Format, Setting
from arena.formats.base import MOST_ENTRIES
from arena.markup import together
from arena.models import Ladder, Tournament
from arena.tournaments.models import MAX_DESCRIPTION, MAX_NAME
from arena.tournaments.words import words
from matches.engine.rules import PRESETS

FIRST_FORMAT = "double-elimination"
EXPECTED_ENTRIES = 16
TERMS = (
    "name",
    "description",
    "format",
    "preset",
    "most_entries",
    "most_entries_an_owner",
    "closes_at",
    "embargo_until",
    "seeding",
    "seeding_ladder",
    "ladder",
)


def moment_field(**options: Any) -> forms.DateTimeField:
    """A moment in UTC, which may be left out."""
    return forms.DateTimeField(
        required=False,
        widget=forms.DateTimeInput(format="%Y-%m-%dT%H:%M", attrs={"type": "datetime-local"}),
        **options,
    )


class LadderField(forms.ModelChoiceField):
    """A choice of ladders by their names."""

    def label_from_instance(self, obj: Ladder) -> str:
        return obj.name


def field_of(setting: Setting) -> forms.Field:
    """The form field of a format's setting; the setting says itself what is wrong with a value."""
    options: dict[str, Any] = {
        "label": words(setting.title),
        "help_text": words(setting.explanation),
        "initial": setting.default,
    }
    if setting.kind == "switch":
        return forms.BooleanField(required=False, **options)
    if setting.kind == "number":
        return forms.IntegerField(min_value=setting.minimum, max_value=setting.maximum, **options)
    return forms.ChoiceField(choices=[(value, words(label)) for value, label in setting.choices], **options)


@dataclass(frozen=True, slots=True)
class FormatChoice:
    """A format to choose, with the fields of its settings."""

    format: Format
    is_chosen: bool
    fields: SafeString


class TournamentForm(forms.Form):
    """A new event. Every format's settings stand in it under `<format>-<setting>`, so that what was typed for one is
    kept while another is looked at; only those of the chosen format are read."""

    name = forms.CharField(
        label=gettext_lazy("Name"), max_length=MAX_NAME, widget=forms.TextInput(attrs={"autocomplete": "off"})
    )
    description = forms.CharField(
        label=gettext_lazy("Description"),
        required=False,
        max_length=MAX_DESCRIPTION,
        help_text=gettext_lazy("Plain text: what it is about, who is meant."),
        widget=forms.Textarea(attrs={"rows": 4}),
    )
    format = forms.ChoiceField(
        label=gettext_lazy("Format"),
        choices=[(name, format.title) for name, format in FORMATS.items()],
        initial=FIRST_FORMAT,
        widget=forms.RadioSelect,
    )
    n_entries = forms.IntegerField(
        label=gettext_lazy("Entries that you expect"),
        min_value=2,
        max_value=MOST_ENTRIES,
        initial=EXPECTED_ENTRIES,
        help_text=gettext_lazy("For the estimate alone."),
    )
    most_entries = forms.IntegerField(
        label=gettext_lazy("Entries at most"),
        required=False,
        min_value=2,
        max_value=MOST_ENTRIES,
        help_text=gettext_lazy("Empty: 32, or as many as the format takes."),
    )
    most_entries_an_owner = forms.IntegerField(
        label=gettext_lazy("Entries an owner at most"),
        min_value=1,
        max_value=MOST_ENTRIES,
        initial=1,
        help_text=gettext_lazy("House bots are not counted."),
    )
    closes_at = moment_field(
        label=gettext_lazy("Registration closes (UTC)"),
        help_text=gettext_lazy("The event starts by itself then. Empty: you start it by hand."),
    )
    embargo_until = moment_field(
        label=gettext_lazy("Results secret until (UTC)"),
        help_text=gettext_lazy("Until then only you and operators see matches and standings. Empty: never."),
    )
    seeding = forms.ChoiceField(
        label=gettext_lazy("Seeding"),
        choices=Tournament.Seeding.choices,
        help_text=gettext_lazy("Top seeds meet late and have the byes."),
    )
    seeding_ladder = LadderField(
        Ladder.objects.filter(is_open=True),
        label=gettext_lazy("Ladder whose ratings seed"),
        required=False,
        empty_label=gettext_lazy("that of the matches, or the first"),
        help_text=gettext_lazy("Used for seeding by rating alone."),
    )
    ladder = LadderField(
        Ladder.objects.filter(is_open=True),
        label=gettext_lazy("Matches count for the ladder"),
        required=False,
        empty_label=gettext_lazy("none: nothing is rated"),
    )
    preset = forms.ChoiceField(
        label=gettext_lazy("Rules"), choices=[(name, name) for name in PRESETS], initial="official"
    )

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        chosen = self.chosen_format
        for format in FORMATS.values():
            for setting in format.settings:
                field = field_of(setting)
                # What another format would want must not stop this one.
                if format.name != chosen:
                    field.required = False
                    field.validators = []
                self.fields[field_name(format.name, setting.name)] = field

    @classmethod
    def of(cls, tournament: Tournament) -> TournamentForm:
        """The form as it would have been filled in for this event."""
        initial = {name: getattr(tournament, name) for name in TERMS}
        initial["n_entries"] = tournament.most_entries
        for name, value in tournament.settings.items():
            initial[field_name(tournament.format, name)] = value
        return cls(initial=initial)

    @property
    def chosen_format(self) -> str:
        value = self.data.get("format") if self.is_bound else self.initial.get("format")
        return value if value in FORMATS else FIRST_FORMAT

    def choices(self) -> Iterator[FormatChoice]:
        """The formats with their settings' fields."""
        for format in FORMATS.values():
            is_chosen = format.name == self.chosen_format
            if self.is_bound:
                fields = self.fields_of(format)
            else:
                # Before anything is sent, all that they say hangs on what they begin with.
                prefix = field_name(format.name, "")
                begun = {name: self.initial[name] for name in sorted(self.initial) if name.startswith(prefix)}
                fields = _begun_fields(format.name, is_chosen, tuple(begun.items()), get_language())
            yield FormatChoice(format, is_chosen, fields)

    def fields_of(self, format: Format) -> SafeString:
        """The fields of a format's settings."""
        names = (field_name(format.name, setting.name) for setting in format.settings)
        return together(
            SafeString(render_to_string("arena/_field.html", {"field": self[name]})) for name in names
        )

    def add_error(self, field: str | None, error: Any) -> None:
        # A field of a format that was not chosen is not read.
        if field is not None and "-" in field and not field.startswith(f"{self.chosen_format}-"):
            return
        super().add_error(field, error)

    def initial_settings(self) -> dict[str, Any]:
        """The chosen format's settings before anything was typed."""
        prefix = field_name(self.chosen_format, "")
        return {
            name.removeprefix(prefix): value
            for name, value in self.initial.items()
            if name.startswith(prefix)
        }

    def settings(self) -> dict[str, Any]:
        """The chosen format's settings, as far as they are valid."""
        format = FORMATS[self.chosen_format]
        names = {setting.name: field_name(format.name, setting.name) for setting in format.settings}
        return {
            setting: self.cleaned_data[name] for setting, name in names.items() if name in self.cleaned_data
        }

    def terms(self) -> dict[str, Any]:
        """What `create_tournament` wants, of a valid form."""
        return {"settings": self.settings(), **{name: self.cleaned_data[name] for name in TERMS}}

    def refuse(self, problems: Mapping[str, str]) -> None:
        """What the service has against it: a sentence by argument, a setting's as `settings.<name>`."""
        for name, sentence in problems.items():
            field = name
            if name.startswith("settings."):
                field = field_name(self.chosen_format, name.removeprefix("settings."))
            self.add_error(field if field in self.fields else None, sentence)


def field_name(format: str, setting: str) -> str:
    return f"{format}-{setting}"


@lru_cache(maxsize=200)
def _begun_fields(
    name: str, is_chosen: bool, begun: tuple[tuple[str, Any], ...], _language: str | None
) -> SafeString:
    """A format's fields on a form that nobody has filled in."""
    another = next(other for other in FORMATS if other != name)
    form = TournamentForm(initial={**dict(begun), "format": name if is_chosen else another})
    return form.fields_of(FORMATS[name])


class EmbargoForm(forms.Form):
    """Until when results are secret."""

    until = moment_field(
        label=gettext_lazy("Results secret until (UTC)"),
        help_text=gettext_lazy("Empty: everybody sees them."),
    )


class ReasonForm(forms.Form):
    """Why something is done; it stands in the public record."""

    reason = forms.CharField(
        label=gettext_lazy("Reason"),
        required=False,
        max_length=200,
        help_text=gettext_lazy("It stands in the event's public record."),
    )


class ForfeitForm(forms.Form):
    """Which entries of a match forfeit it."""

    def __init__(self, *args: Any, choices: list[tuple[int, str]], **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["forfeits"] = forms.TypedMultipleChoiceField(
            label=_("Who forfeits"), coerce=int, choices=choices, widget=forms.CheckboxSelectMultiple
        )


class OrderForm(forms.Form):
    """The organiser's order: a number for each entry, each from 1 to n once."""

    def __init__(self, *args: Any, entries: list[tuple[int, str]], **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.ids = {f"entry-{pk}": pk for pk, _name in entries}
        for place, (pk, name) in enumerate(entries, start=1):
            self.fields[f"entry-{pk}"] = forms.IntegerField(
                label=name, min_value=1, max_value=len(entries), initial=place
            )

    def clean(self) -> None:
        super().clean()
        places = [self.cleaned_data.get(name) for name in self.ids]
        if None not in places and len(set(places)) != len(places):
            raise ValidationError(
                _("Each seed from 1 to %(n)s must be given once.") % {"n": len(places)}, code="twice"
            )

    def order(self) -> list[int]:
        """The entries' ids, seed 1 first."""
        return sorted(self.ids.values(), key=lambda pk: self.cleaned_data[f"entry-{pk}"])
