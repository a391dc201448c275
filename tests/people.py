"""The people of the tests: who owns, who looks on, who runs the arena."""

from django.contrib.auth.models import AnonymousUser, User

PASSWORD = "correct horse battery staple"
ANYBODY = AnonymousUser()


def make_owner() -> User:
    """Olivia, whose bots the tests are about."""
    return User.objects.create_user("olivia", "olivia@example.org", PASSWORD)


def make_rival() -> User:
    """Rob, who has bots too and must not see Olivia's secrets."""
    return User.objects.create_user("rob", "rob@example.org", PASSWORD)


def make_operator() -> User:
    """Ada, who may do and see everything."""
    return User.objects.create_superuser("ada", "ada@example.org", PASSWORD)
