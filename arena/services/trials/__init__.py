"""Every change to trials, and matches on request."""

from arena.services.trials.advancing import advance, bring_on_all
from arena.services.trials.asking import TrialError, request_match, start_trial, stop_trial

__all__ = ["TrialError", "advance", "bring_on_all", "request_match", "start_trial", "stop_trial"]
