"""What pages and the API read: querysets and small dataclasses, without side effects."""
