"""The operators' forms for people: the names that they give are as at the sign-up."""

from __future__ import annotations

from django.contrib.auth.forms import AdminUserCreationForm, UserChangeForm

from arena.names import validate_username


class NewPersonForm(AdminUserCreationForm):
    def clean_username(self) -> str:
        name: str = super().clean_username()
        validate_username(name)
        return name


class PersonForm(UserChangeForm):
    def clean_username(self) -> str:
        """A name that is kept is not looked at: the house's and deleted accounts' are reserved for them."""
        name: str = self.cleaned_data["username"]
        if "username" in self.changed_data:
            validate_username(name)
        return name
