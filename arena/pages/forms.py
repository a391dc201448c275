"""What people fill in. A form checks its own shape; whether the content is taken, the services decide."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import timedelta
from typing import Any

from django import forms
from django.conf import settings
from django.contrib.auth.models import User
from django.core.exceptions import ValidationError
from django.utils.formats import number_format
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext_lazy

from arena.models import ApiToken
from arena.selectors.account import tokens_of
from arena.templatetags.arena import size
from bots.models import validate_name
from bots.sandbox.runtimes import NODE
from bots.words import runtime_name


class SubmitForm(forms.Form):
    """A bot's name, and its code: pasted or as a file."""

    name = forms.CharField(
        label=gettext_lazy("Name of the bot"),
        max_length=32,
        validators=[validate_name],
        help_text=gettext_lazy(
            "2 to 32 letters, digits, “-” and “_”. The name of a bot of yours adds a version to it."
        ),
        widget=forms.TextInput(
            attrs={"autocomplete": "off", "autocapitalize": "none", "spellcheck": "false", "list": "my-bots"}
        ),
    )
    source = forms.CharField(
        label=gettext_lazy("Code"),
        required=False,
        strip=False,
        help_text=gettext_lazy(
            "One Python file, or one of JavaScript with that runtime chosen; UTF-8, at most 1 MiB."
        ),
        widget=forms.Textarea(
            attrs={
                "rows": 20,
                "spellcheck": "false",
                "autocapitalize": "none",
                "autocomplete": "off",
                "wrap": "off",
            }
        ),
    )
    file = forms.FileField(
        label=gettext_lazy("Or a file"),
        required=False,
        allow_empty_file=True,
        max_length=255,
        help_text=gettext_lazy(
            "One .py, .js or .mjs file, one static Linux program, or a .zip with main.py, main.js, main.mjs or main "
            "at its top; at most 1 MiB as sent."
        ),
        widget=forms.FileInput(),
    )
    runtime = forms.ChoiceField(
        label=gettext_lazy("Runtime"),
        required=False,
        help_text=gettext_lazy(
            "What it runs with. As a rule the file tells; pasted code is taken for Python."
        ),
    )

    def __init__(self, *args: Any, offered: Iterable[str], **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        choices = [("", _("as it looks")), *((runtime, runtime_name(runtime)) for runtime in offered)]
        self.fields["runtime"].choices = choices  # type: ignore[attr-defined]

    def clean_source(self) -> str:
        # Browsers send a text area's line ends as CR LF; the author typed LF.
        source: str = self.cleaned_data["source"]
        return source.replace("\r\n", "\n")

    def clean_file(self) -> Any:
        file = self.cleaned_data["file"]
        if file is not None and file.size > settings.MAX_UPLOAD_BYTES:
            raise ValidationError(
                _("The file has %(n)s bytes: at most %(limit)s are taken, which is %(size)s.")
                % {
                    "n": number_format(file.size, force_grouping=True),
                    "limit": number_format(settings.MAX_UPLOAD_BYTES, force_grouping=True),
                    "size": size(settings.MAX_UPLOAD_BYTES),
                },
                code="too_big",
            )
        return file

    def clean(self) -> None:
        super().clean()
        if "file" in self.errors or "source" in self.errors:
            return
        has_source = bool(self.cleaned_data.get("source", "").strip())
        has_file = self.cleaned_data.get("file") is not None
        if has_source and has_file:
            self.add_error(
                "file", _("Send either code or a file, not both. Choose the file again if you mean it.")
            )
        elif not has_source and not has_file:
            self.add_error("source", _("Paste code here, or choose a file below."))

    def upload(self) -> tuple[str, bytes]:
        """The file's name and bytes, of a valid form."""
        file = self.cleaned_data["file"]
        if file is not None:
            return file.name, file.read()
        name = "main.js" if self.chosen_runtime() == NODE else "main.py"
        return name, self.cleaned_data["source"].encode()

    def chosen_runtime(self) -> str | None:
        """The one that was chosen, of a valid form; None leaves it to the upload's looks."""
        return self.cleaned_data["runtime"] or None


class TokenForm(forms.Form):
    """An API token's name, what it is good for, and how long."""

    name = forms.CharField(
        label=gettext_lazy("Name"),
        max_length=64,
        help_text=gettext_lazy("Where it will be used, such as “laptop”."),
        widget=forms.TextInput(attrs={"autocomplete": "off"}),
    )
    scope = forms.ChoiceField(
        label=gettext_lazy("May"),
        choices=ApiToken.Scope.choices,
        initial=ApiToken.Scope.SUBMIT,
        help_text=gettext_lazy("No more than its use needs: whoever has the token can do that in your name."),
    )
    days = forms.TypedChoiceField(
        label=gettext_lazy("Good for"),
        coerce=int,
        initial=90,
        choices=[
            (days, ngettext_lazy("%(days)d day", "%(days)d days", days) % {"days": days})
            for days in (7, 30, 90, 365)
        ],
    )

    def __init__(self, *args: Any, user: User, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.user = user

    def clean_name(self) -> str:
        """A form that is sent twice, by a reload say, makes no second token that nobody knows of."""
        name: str = self.cleaned_data["name"]
        if tokens_of(self.user).filter(name=name).exists():
            raise forms.ValidationError(
                _("You have a token “%(name)s” already: revoke that one, or choose another name.")
                % {"name": name}
            )
        return name

    @property
    def expiry(self) -> timedelta:
        return timedelta(days=self.cleaned_data["days"])


class DeleteForm(forms.Form):
    """The confirmation that an account is to go: its name and its password."""

    username = forms.CharField(
        label=gettext_lazy("Your user name, to confirm"),
        widget=forms.TextInput(
            attrs={"autocomplete": "off", "autocapitalize": "none", "spellcheck": "false"}
        ),
    )
    password = forms.CharField(
        label=gettext_lazy("Your password"),
        strip=False,
        widget=forms.PasswordInput(attrs={"autocomplete": "current-password"}),
    )

    def __init__(self, *args: Any, user: User, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.user = user

    def clean_username(self) -> str:
        username: str = self.cleaned_data["username"]
        if username != self.user.username:
            raise ValidationError(_("This is not your user name. Nothing was deleted."), code="wrong_name")
        return username

    def clean_password(self) -> str:
        password: str = self.cleaned_data["password"]
        if not self.user.check_password(password):
            raise ValidationError(_("This is not your password. Nothing was deleted."), code="wrong_password")
        return password
