"""Why an upload is not taken and what a check came to, in the reader's language, from codes and facts.

The sentences of `bots.packages` are marked there and translated here. A bot fault's own sentence is the referee's, who
knows English alone; what stands around it is translated.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from bots.models import CheckStage, Version
from bots.packages import PUBLIC_SENTENCES, SENTENCES, PackageError
from bots.sandbox import faults


def runtime_name(runtime: str) -> str:
    """What a version runs with, for people."""
    return {
        "python": _("Python"),
        "node": _("JavaScript (Node.js)"),
        "executable": _("Linux program (x86-64)"),
        "": _("not known yet"),
    }.get(runtime, runtime)


def refusal(error: PackageError) -> str:
    """What is wrong with an upload, for its author."""
    return _(SENTENCES[error.code]) % error.facts


def told(fault: Mapping[str, Any]) -> str:
    """A bot fault's sentence, with what a time-out had used where that is not said yet."""
    return faults.told(fault, _)


def placed(fault: Mapping[str, Any]) -> str:
    """The same, with its place in the game where it has one."""
    return faults.placed(fault, _)


def rejection(version: Version, *, is_private: bool) -> str:
    """Why a version was rejected: for everybody, or for who may read what of the upload the sentence quotes."""
    report = version.report
    sentences = SENTENCES if is_private else SENTENCES | PUBLIC_SENTENCES
    try:
        if "fault" in report:
            return placed(report["fault"])
        return _(sentences[report["code"]]) % report["facts"]
    except KeyError:
        # Written by another release: as it was worded then.
        return version.rejection


def stage_detail(stage: CheckStage) -> str:
    """What a stage of a check came to, for everybody; empty where there is nothing to say."""
    if stage.status == CheckStage.Status.FAILED:
        return rejection(stage.version, is_private=False)
    facts = stage.facts
    if stage.status != CheckStage.Status.PASSED or not facts:
        return ""
    if stage.name == CheckStage.Name.PACKAGE:
        return ngettext("%(n)d file", "%(n)d files", facts["n"]) % facts
    totals = ", ".join(map(str, facts["totals"]))
    return _("%(won)d of %(n)d games won against %(opponent)s; points: %(totals)s") % {
        **facts,
        "totals": totals,
    }
