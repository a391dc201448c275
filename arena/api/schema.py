"""Says in the OpenAPI document which errors each endpoint answers with, all of one shape."""

from __future__ import annotations

from typing import Any

from drf_spectacular.generators import SchemaGenerator

ALWAYS = {
    "400": "A parameter is wrong; the error names it.",
    "401": "The API token is wrong.",
    "503": "Database or disk are out; send it again after the seconds of Retry-After.",
}
ERRORS_OF = {
    "get": {},
    "post": {
        "403": "You may not do this, or the session's CSRF token is missing or wrong.",
        "413": "The body is larger than any submission may be.",
        "415": "Send JSON or multipart form data.",
    },
}
ERROR: dict[str, Any] = {
    "type": "object",
    "required": ["error"],
    "properties": {
        "error": {
            "type": "object",
            "required": ["code", "message"],
            "properties": {
                "code": {"type": "string", "description": "For programs: stable."},
                "message": {"type": "string", "description": "For people: one sentence."},
                "fields": {
                    "type": "object",
                    "additionalProperties": {"type": "array", "items": {"type": "string"}},
                    "description": "Which parts of the request are to blame.",
                },
            },
        }
    },
}
FURTHER = {
    ("/api/v1/matches/{id}/logs/", "get"): {"403": "No bot of yours plays in this match."},
    ("/api/v1/bots/", "post"): {"429": "Too many submissions in a short time."},
    ("/api/v1/matches/bulk/", "get"): {"429": "Too many chunks for one address in a short time."},
    ("/api/v1/tournament-estimate/", "post"): {"429": "Too many estimates from one address in a short time."},
    ("/api/v1/games/{id}/verify/", "post"): {"429": "Too many replays in a short time."},
    ("/api/v1/replays/", "post"): {"429": "Too many replays in a short time."},
}
MISSING = {"404": "There is nothing at this address."}


# Of text in requests, where nothing stricter is said.
NO_NUL = r"^[^\u0000]*$"


def document_errors(
    result: dict[str, Any], generator: SchemaGenerator, request: Any, public: bool
) -> dict[str, Any]:
    """A drf-spectacular post-processing hook."""
    for name, component in result["components"]["schemas"].items():
        if name.endswith("Request"):
            _forbid_nul(component)
    result["components"]["schemas"]["Error"] = ERROR
    answer = {"application/json": {"schema": {"$ref": "#/components/schemas/Error"}}}
    for path, operations in result["paths"].items():
        for method, operation in operations.items():
            described = ALWAYS | ERRORS_OF[method] | (MISSING if "{" in path else {})
            described |= FURTHER.get((path, method), {})
            for status, description in described.items():
                operation["responses"].setdefault(status, {"description": description, "content": answer})
    return result


def _forbid_nul(component: dict[str, Any]) -> None:
    for described in component["properties"].values():
        if described.get("type") == "string" and not {"pattern", "enum", "format"} & described.keys():
            described["pattern"] = NO_NUL
