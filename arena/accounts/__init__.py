"""People's accounts: making one, taking one's data along, and leaving."""

from arena.accounts.deletion import delete_account
from arena.accounts.export import export_account

__all__ = ["delete_account", "export_account"]
