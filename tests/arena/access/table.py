"""Who gets what at every address of the site.

Above each block stand the statuses for anybody, the rival, the owner, a clerk, a reader and an operator
(`scene.PEOPLE`), below them the addresses, with the parameters of the scene in braces. A new address needs a line in
READING, and one in CHANGING, with what a person would send as JSON, if something can be changed there; "+" marks who
changes something. A thing that is private, hidden or under an embargo has a line of its own beside its public kin.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

READING = """
# Pages
200 200 200 200 200 200
    /
    /live/
    /trials/
    /trials/?bot=mine
    /trials/{trial}/
    /trials/{trial}/live/
    /readyz
    /ladders/duel/
    /ladders/duel/?versions=all
    /ladders/duel/?sort=-games&house=none&provisional=yes&q=m&games=1
    /ladders/duel/compare/
    /ladders/duel/compare/?bot=mine&against=greedy
    /ladders/duel/compare/?bot=mine&against=canary-ghost
    /bots/
    /bots/?q=canary
    /bots/?author=olivia
    /bots/mine/
    /bots/mine/statistics/
    /bots/mine/statistics/?ladder=duel&version=1
    /bots/mine/faults/
    /bots/mine/faults/?version=2
    /bots/mine/versions/1/
    /bots/mine/versions/2/
    /bots/theirs/versions/1/
    /bots/theirs/versions/2/
    /bots/mine/versions/2/stages/
    /bots/greedy/versions/1/source/
    /bots/greedy/versions/1/download/
    /submit/
    /matches/
    /matches/?bot=canary-ghost
    /matches/?bot=mine&against=greedy&outcome=ours&rated=no&seats=2
    /matches/live/
    /matches/{match}/
    /matches/{waiting}/
    /matches/{match}/live/
    /matches/{waiting}/live/
    /games/{game}/
    /games/{game}/replay/
    /games/{game}/replay/?format=compact
    /games/{game}/embed/
    /games/{game}/verify/
    /watch/
    /tournaments/
    /tournaments/new/
    /tournaments/{cup}/
    /tournaments/{sealed}/
    /tournaments/{open}/
    /tournaments/{sealed}/entries/
    /tournaments/{sealed}/entries/{entry_sealed}/
    /tournaments/{cup}/entries/{entry_cup}/
    /tournaments/{cup}/live/
    /tournaments/{sealed}/live/
    /tournaments/{cup}/json/
    /tournaments/{sealed}/json/
    /tournaments/{cup}/csv/
    /tournaments/{sealed}/csv/
    /rules/
    /rules/cheat-sheet/
    /rules/cheat-sheet/?rules=guide-2026
    /rules/score-pad/
    /rules/score-pad/worker.js
    /protocol/
    /docs/
    /docs/replay/
    /docs/decisions/0002-beat-everywhere/
    /docs/replay.schema.json
    /docs/kit/
    /skyjo.pyz
    /status/
    /status/live/
302 302 302 302 302 302
    /favicon.ico
    /ladders/
404 404 200 404 404 200
    /trials/{hidden_trial}/
    /trials/{hidden_trial}/live/
    /bots/canary-ghost/
    /bots/canary-ghost/statistics/
    /bots/canary-ghost/faults/
    /bots/canary-ghost/versions/1/
    /bots/canary-ghost/versions/1/stages/
    /bots/canary-ghost/versions/1/source/
    /bots/canary-ghost/versions/1/download/
    /matches/{hidden_match}/
    /matches/{match_sealed}/
    /matches/{hidden_match}/live/
    /matches/{match_sealed}/live/
    /games/{hidden_game}/
    /games/{game_sealed}/
    /games/{hidden_game}/verify/
    /games/{game_sealed}/verify/
    /games/{hidden_game}/replay/
    /games/{game_sealed}/replay/
403 403 200 403 403 200
    /bots/mine/versions/1/source/
    /bots/mine/versions/2/source/
    /bots/mine/versions/1/download/
403 200 403 403 403 200
    /bots/theirs/versions/1/source/
    /bots/theirs/versions/1/download/
404 404 404 404 404 404
    /games/{hidden_game}/embed/
    /games/{game_sealed}/embed/
405 405 405 405 405 405
    /api/v1/games/{game}/verify/
    /api/v1/replays/
    /bots/mine/trials/
    /bots/mine/play/
    /trials/{trial}/stop/
    /bots/mine/withdraw/
    /bots/mine/reactivate/
    /bots/mine/publish/
    /bots/mine/unpublish/
    /bots/mine/ladders/duel/enter/
    /bots/mine/ladders/duel/leave/
    /bots/mine/versions/1/activate/
    /tournaments/estimate/
    /tournaments/{open}/enter/
    /tournaments/{open}/start/
    /tournaments/{cup}/pause/
    /tournaments/{cup}/resume/
    /tournaments/{sealed}/embargo/
    /account/tokens/
    /account/tokens/{token_owner}/revoke/
    /account/export/
302 403 200 403 403 200
    /tournaments/{cup}/cancel/
    /tournaments/{sealed}/rewind/?round=M1
    /tournaments/{sealed}/rerun/?key={key_sealed}
    /tournaments/{sealed}/forfeit/?key={key_sealed}
    /tournaments/{open}/seeds/
    /tournaments/{open}/edit/
    /tournaments/{sealed}/entries/{entry_sealed}/disqualify/
302 200 200 403 403 200
    /tournaments/{sealed}/entries/{entry_sealed}/withdraw/
302 200 200 200 200 200
    /account/
    /account/delete/
503 503 503 503 503 503
    /healthz
404 404 404 404 404 404
    /metrics

# Accounts
200 302 302 302 302 302
    /accounts/login/
    /accounts/signup/
302 200 200 200 200 200
    /accounts/logout/
    /accounts/reauthenticate/
    /accounts/email/
    /accounts/password/change/
200 200 200 200 200 200
    /accounts/inactive/
    /accounts/confirm-email/
    /accounts/password/reset/
    /accounts/confirm-email/nonsense/
    /accounts/password/reset/key/done/
    /accounts/password/reset/key/1-nonsense/
    /accounts/password/reset/done/
302 302 302 302 302 302
    /accounts/reauthenticate/code/
    /accounts/reauthenticate/code/confirm/
    /accounts/password/set/
    /accounts/login/code/confirm/

# The API
200 200 200 200 200 200
    /api/v1/trials/
    /api/v1/trials/{trial}/
    /api/v1/ladders/
    /api/v1/ladders/duel/
    /api/v1/ladders/duel/ratings/
    /api/v1/ladders/duel/ratings/?versions=all
    /api/v1/ladders/duel/ratings/?format=csv
    /api/v1/ladders/duel/compare/?bot=mine&against=greedy
    /api/v1/bots/?q=canary
    /api/v1/bots/
    /api/v1/bots/mine/
    /api/v1/bots/mine/statistics/
    /api/v1/bots/mine/faults/
    /api/v1/kit/
    /api/v1/versions/
    /api/v1/versions/{version_mine}/
    /api/v1/versions/{rejected_mine}/
    /api/v1/versions/{rejected_theirs}/
    /api/v1/matches/
    /api/v1/matches/bulk/
    /api/v1/matches/?against=mine&outcome=faults&rated=yes&seats=2
    /api/v1/matches/{match}/
    /api/v1/matches/{waiting}/
    /api/v1/games/
    /api/v1/games/{game}/
    /api/v1/games/{game}/replay/
    /api/v1/tournament-formats/
    /api/v1/presets/
    /api/v1/tournaments/
    /api/v1/tournaments/{sealed}/
    /api/v1/tournaments/{sealed}/entries/
    /api/v1/tournaments/{sealed}/entries/{entry_sealed}/
    /api/v1/tournaments/{cup}/entries/{entry_cup}/
    /api/v1/tournaments/{cup}/standings/
    /api/v1/tournaments/{cup}/bracket/
    /api/v1/tournaments/{cup}/records/
    /api/v1/tournaments/{sealed}/records/
    /api/v1/tournaments/{cup}/export/
    /api/v1/tournaments/{sealed}/export/
    /api/v1/tournaments/{sealed}/export/?format=csv
    /api/v1/status/
    /api/v1/schema/
    /api/v1/docs/
404 404 200 404 404 200
    /api/v1/trials/{hidden_trial}/
    /api/v1/bots/canary-ghost/
    /api/v1/bots/canary-ghost/statistics/
    /api/v1/bots/canary-ghost/faults/
    /api/v1/versions/{version_ghost}/
    /api/v1/matches/{hidden_match}/
    /api/v1/matches/{match_sealed}/
    /api/v1/games/{hidden_game}/
    /api/v1/games/{game_sealed}/
    /api/v1/games/{hidden_game}/replay/
    /api/v1/games/{game_sealed}/replay/
    /api/v1/tournaments/{sealed}/standings/
    /api/v1/tournaments/{sealed}/bracket/
401 405 405 405 405 405
    /api/v1/trials/{trial}/stop/
    /api/v1/tournament-estimate/
    /api/v1/tournaments/{sealed}/entries/{entry_sealed}/withdraw/
    /api/v1/tournaments/{sealed}/entries/{entry_sealed}/disqualify/
    /api/v1/tournaments/{open}/start/
    /api/v1/tournaments/{cup}/pause/
    /api/v1/tournaments/{cup}/resume/
    /api/v1/tournaments/{cup}/cancel/
    /api/v1/tournaments/{open}/order/
    /api/v1/tournaments/{open}/edit/
    /api/v1/tournaments/{cup}/rewind/
    /api/v1/tournaments/{cup}/rerun/
    /api/v1/tournaments/{cup}/forfeit/
    /api/v1/tournaments/{sealed}/embargo/
401 404 200 404 404 200
    /api/v1/matches/{hidden_match}/logs/
    /api/v1/matches/{match_sealed}/logs/
401 200 200 403 403 200
    /api/v1/matches/{match}/logs/
401 200 200 200 200 200
    /api/v1/matches/{waiting}/logs/
    /api/v1/notices/
    /api/v1/account/
404 404 404 404 404 404
    /api/v1/nowhere/

# Operators' pages
302 302 302 200 200 200
    /admin/
    /admin/password_change/done/
    /admin/jsi18n/
302 403 403 302 302 302
    /admin/login/
302 302 302 405 405 405
    /admin/logout/
302 302 302 302 302 302
    /admin/password_change/
    /admin/arena/trial/{trial}/
    /admin/arena/requestedmatch/{asked}/
    /admin/arena/trialmatch/{trial_link}/
    /admin/matches/attempt/{attempt}/
    /admin/auth/group/{group}/
    /admin/matches/match/{match}/
    /admin/bots/bot/{bot_mine}/
    /admin/bots/version/{rejected_mine}/
    /admin/auth/user/{user}/
    /admin/arena/ladder/{ladder}/
    /admin/arena/ladderentry/{entry_on_ladder}/
    /admin/arena/laddermatch/{link}/
    /admin/arena/ratingrun/{run}/
    /admin/arena/tournament/{sealed}/
    /admin/arena/tournamententry/{entry_sealed}/
    /admin/arena/tournamentmatch/{link_sealed}/
    /admin/arena/tournamentrecord/{record_sealed}/
    /admin/arena/pulse/{pulse}/
    /admin/arena/host/{host}/
    /admin/arena/notice/{notice}/
302 302 302 403 403 403
    /admin/autocomplete/
    /admin/arena/trial/add/
    /admin/arena/trial/{trial}/delete/
    /admin/arena/requestedmatch/add/
    /admin/arena/requestedmatch/{asked}/delete/
    /admin/arena/trialmatch/add/
    /admin/arena/trialmatch/{trial_link}/delete/
    /admin/matches/attempt/add/
    /admin/matches/attempt/{attempt}/delete/
    /admin/matches/match/add/
    /admin/matches/match/{match}/delete/
    /admin/bots/bot/add/
    /admin/bots/bot/{bot_mine}/delete/
    /admin/bots/version/add/
    /admin/bots/version/{rejected_mine}/delete/
    /admin/auth/user/{user}/delete/
    /admin/arena/ladder/add/
    /admin/arena/ladder/{ladder}/delete/
    /admin/arena/ladderentry/add/
    /admin/arena/ladderentry/{entry_on_ladder}/delete/
    /admin/arena/laddermatch/add/
    /admin/arena/laddermatch/{link}/delete/
    /admin/arena/ratingrun/add/
    /admin/arena/ratingrun/{run}/delete/
    /admin/arena/tournament/add/
    /admin/arena/tournament/{sealed}/delete/
    /admin/arena/tournamententry/add/
    /admin/arena/tournamententry/{entry_sealed}/delete/
    /admin/arena/tournamentmatch/add/
    /admin/arena/tournamentmatch/{link_sealed}/delete/
    /admin/arena/tournamentrecord/add/
    /admin/arena/tournamentrecord/{record_sealed}/delete/
    /admin/arena/pulse/add/
    /admin/arena/pulse/{pulse}/delete/
    /admin/arena/host/add/
    /admin/arena/host/{host}/delete/
    /admin/arena/notice/add/
    /admin/arena/notice/{notice}/delete/
302 302 302 404 404 404
    /admin/r/1/1/
    /admin/nowhere
302 302 302 404 200 200
    /admin/auth/
302 302 302 403 403 200
    /admin/auth/user/{user}/password/
    /admin/arena/ladder/{ladder}/pairs/
    /admin/auth/group/add/
    /admin/auth/group/{group}/delete/
    /admin/auth/user/add/
302 302 302 403 200 200
    /admin/arena/trial/
    /admin/arena/trial/{trial}/history/
    /admin/arena/trial/{trial}/change/
    /admin/arena/requestedmatch/
    /admin/arena/requestedmatch/{asked}/history/
    /admin/arena/requestedmatch/{asked}/change/
    /admin/arena/trialmatch/
    /admin/matches/attempt/
    /admin/matches/attempt/{attempt}/history/
    /admin/matches/attempt/{attempt}/change/
    /admin/auth/group/
    /admin/auth/group/{group}/history/
    /admin/auth/group/{group}/change/
    /admin/matches/match/
    /admin/matches/match/{match}/history/
    /admin/matches/match/{match}/change/
    /admin/bots/bot/
    /admin/bots/bot/{bot_mine}/history/
    /admin/bots/bot/{bot_mine}/change/
    /admin/bots/version/
    /admin/bots/version/{rejected_mine}/history/
    /admin/bots/version/{rejected_mine}/change/
    /admin/bots/version/{version_mine}/change/
    /admin/bots/version/{version_theirs}/change/
    /admin/auth/user/
    /admin/auth/user/{user}/history/
    /admin/auth/user/{user}/change/
    /admin/arena/ladder/
    /admin/arena/ladder/{ladder}/history/
    /admin/arena/ladder/{ladder}/change/
    /admin/arena/ladderentry/
    /admin/arena/ladderentry/{entry_on_ladder}/history/
    /admin/arena/ladderentry/{entry_on_ladder}/change/
    /admin/arena/laddermatch/
    /admin/arena/laddermatch/{link}/history/
    /admin/arena/laddermatch/{link}/change/
    /admin/arena/ratingrun/
    /admin/arena/ratingrun/{run}/history/
    /admin/arena/ratingrun/{run}/change/
    /admin/arena/tournament/
    /admin/arena/tournament/{sealed}/history/
    /admin/arena/tournament/{sealed}/change/
    /admin/arena/tournamententry/
    /admin/arena/tournamententry/{entry_sealed}/history/
    /admin/arena/tournamententry/{entry_sealed}/change/
    /admin/arena/tournamentmatch/
    /admin/arena/tournamentrecord/
    /admin/arena/pulse/
    /admin/arena/pulse/{pulse}/history/
    /admin/arena/pulse/{pulse}/change/
    /admin/arena/host/
    /admin/arena/host/{host}/history/
    /admin/arena/host/{host}/change/
    /admin/arena/notice/
302 302 302 302 302 200
    /admin/arena/trialmatch/{trial_link}/history/
    /admin/arena/tournamentmatch/{link_sealed}/history/
    /admin/arena/tournamentrecord/{record_sealed}/history/
    /admin/arena/notice/{notice}/history/
302 302 302 403 302 200
    /admin/arena/trialmatch/{trial_link}/change/
    /admin/arena/trial/{hidden_trial}/change/
    /admin/arena/tournamentmatch/{link_sealed}/change/
    /admin/arena/tournamentrecord/{record_sealed}/change/
    /admin/arena/notice/{notice}/change/
    /admin/matches/match/{hidden_match}/change/
    /admin/matches/match/{match_sealed}/change/
    /admin/bots/bot/{bot_ghost}/change/
    /admin/bots/version/{version_ghost}/change/
"""

CHANGING = """
302+ 302+ 302+ 302+ 302+ 302+
    /games/{game}/verify/
404 404 302+ 404 404 302+
    /games/{hidden_game}/verify/
    /games/{game_sealed}/verify/
422 422 422 422 422 422
    /watch/
200+ 200+ 200+ 200+ 200+ 200+
    /api/v1/games/{game}/verify/
404 404 200+ 404 404 200+
    /api/v1/games/{hidden_game}/verify/
400 400 400 400 400 400
    /api/v1/replays/ {"replay": "compact"}
302 403 302+ 403 403 403
    /bots/mine/trials/ {"version": {version_mine}, "opponent": {version_greedy}, "question": "better", "max_pairs": 200}
    /bots/mine/play/ {"mine": "mine", "against": "theirs"}
302 302 302 302 302 403
    /bots/mine/play/ {"mine": "mine", "against": "canary-ghost"}
302 403 302+ 403 403 302+
    /trials/{trial}/stop/
302 404 302+ 404 404 302+
    /trials/{hidden_trial}/stop/
401 403 201+ 403 403 403
    /api/v1/trials/ {"version": {version_mine}, "opponent": {version_greedy}}
    /api/v1/matches/ {"bot": "mine", "against": "theirs"}
401 400 400 400 400 403
    /api/v1/matches/ {"bot": "mine", "against": "canary-ghost"}
401 403 200+ 403 403 200+
    /api/v1/trials/{trial}/stop/
401 404 200+ 404 404 200+
    /api/v1/trials/{hidden_trial}/stop/
302 302 302 403 200 302+
    /admin/arena/trial/ {"action": "stop", "_selected_action": "{trial}"}
302 403 302+ 403 403 403
    /bots/mine/withdraw/
    /bots/mine/reactivate/
    /bots/mine/publish/
    /bots/mine/unpublish/
    /bots/mine/ladders/duel/enter/
    /bots/mine/ladders/duel/leave/
    /bots/mine/versions/1/activate/
302 404 302+ 404 404 403
    /bots/canary-ghost/publish/
403 422 302+ 422 422 422
    /submit/ {"name": "mine", "source": "print(1)"}
403 302+ 302+ 302+ 302+ 302+
    /submit/ {"name": "fresh", "source": "print(1)"}
200 200 200 200 200 200
    /tournaments/new/ {"preview": "1"}
    /tournaments/estimate/ {"format": "round-robin", "n_entries": 4}
    /accounts/password/reset/key/1-nonsense/ {"password1": "{new}", "password2": "{new}"}
403 422 422 422 422 422
    /tournaments/new/ {"name": "Mine too", "format": "round-robin", "n_entries": 4, "seeding": "lot"}
302 403 302 403 403 302
    /tournaments/{cup}/resume/
302 403 422 403 403 422
    /tournaments/{open}/edit/ {"name": "New"}
302 302 302 302 302 302
    /tournaments/{open}/enter/ {"bot": "canary-ghost"}
    /accounts/logout/
    /accounts/email/ {"email": "{address}", "action_send": ""}
    /accounts/password/set/ {"password1": "{new}", "password2": "{new}"}
    /accounts/password/reset/ {"email": "{address}"}
    /accounts/password/reset/ {"email": "nobody@example.org"}
    /accounts/reauthenticate/code/
    /accounts/reauthenticate/code/confirm/ {"code": "x"}
    /accounts/login/code/confirm/ {"code": "x"}
    /admin/logout/
    /admin/password_change/ {"old_password": "x", "new_password1": "y", "new_password2": "y"}
302 403 302+ 403 403 302+
    /tournaments/{open}/enter/ {"bot": "mine"}
    /tournaments/{open}/start/
    /tournaments/{cup}/pause/
    /tournaments/{sealed}/embargo/ {"until": ""}
    /tournaments/{cup}/cancel/ {"reason": ""}
    /tournaments/{cup}/rewind/ {"round": "M1"}
    /tournaments/{cup}/rerun/ {"key": "M1-1"}
    /tournaments/{cup}/forfeit/ {"key": "{key_cup}", "forfeits": "{own_entry_cup}"}
    /tournaments/{open}/seeds/ {"entry-{entry_open}": 2, "entry-{other_entry_open}": 1}
    /tournaments/{cup}/entries/{entry_cup}/disqualify/ {"reason": "x"}
302 302+ 302+ 403 403 302+
    /tournaments/{cup}/entries/{entry_cup}/withdraw/
302 201+ 201+ 201+ 201+ 201+
    /account/tokens/ {"name": "laptop", "scope": "read", "days": "30"}
302 404 302+ 404 404 404
    /account/tokens/{token_owner}/revoke/
302 200 200 200 200 200
    /account/export/
302 422 302+ 422 422 422
    /account/delete/ {"username": "olivia", "password": "{password}"}
302+ 302 302 302 302 302
    /accounts/login/ {"login": "olivia", "password": "{password}"}
    /accounts/signup/ {"username": "newcomer", "password1": "{new}", "password2": "{new}"}
200 302 302 302 302 302
    /accounts/login/ {"login": "olivia", "password": "nonsense"}
302 302+ 302+ 302+ 302+ 302+
    /accounts/email/ {"email": "new@example.org", "action_add": ""}
302 200 302 200 200 200
    /accounts/reauthenticate/ {"password": "{password}"}
302 302 302+ 302 302 302
    /accounts/email/ {"email": "{address}", "action_remove": ""}
302 200 302+ 200 200 200
    /accounts/password/change/ {"oldpassword": "{password}", "password1": "{new}", "password2": "{new}"}
404 404 404 404 404 404
    /accounts/confirm-email/nonsense/
401 400 201+ 400 400 400
    /api/v1/bots/ {"name": "mine", "source": "print(1)"}
401 201+ 201+ 201+ 201+ 201+
    /api/v1/bots/ {"name": "fresh", "source": "print(1)"}
401 200 200 200 200 200
    /api/v1/tournament-estimate/ {"format": "round-robin", "n_entries": 4}
401 201+ 201+ 201+ 201+ 201+
    /api/v1/tournaments/ {"name": "Mine too", "format": "round-robin", "seeding": "lot"}
401 403 201+ 403 403 201+
    /api/v1/tournaments/{open}/entries/ {"bot": "mine"}
401 400 400 400 400 400
    /api/v1/tournaments/{open}/entries/ {"bot": "canary-ghost"}
401 200+ 200+ 403 403 200+
    /api/v1/tournaments/{cup}/entries/{entry_cup}/withdraw/
401 403 200+ 403 403 200+
    /api/v1/tournaments/{cup}/entries/{entry_cup}/disqualify/ {"reason": "x"}
    /api/v1/tournaments/{open}/start/
    /api/v1/tournaments/{cup}/pause/
    /api/v1/tournaments/{cup}/cancel/ {"reason": "x"}
    /api/v1/tournaments/{open}/edit/ {"name": "New"}
    /api/v1/tournaments/{open}/order/ {"order": [{other_entry_open}, {entry_open}]}
    /api/v1/tournaments/{cup}/rewind/ {"round": "M1", "confirm": true}
    /api/v1/tournaments/{sealed}/rerun/ {"match": {match_sealed}}
    /api/v1/tournaments/{cup}/forfeit/ {"key": "{key_cup}", "forfeits": [{own_entry_cup}]}
    /api/v1/tournaments/{sealed}/embargo/ {"until": null}
401 403 400 403 403 400
    /api/v1/tournaments/{cup}/resume/
    /api/v1/tournaments/{sealed}/rerun/ {"match": {match_cup}}
302 403 403 200 200 200
    /admin/login/ {"username": "olivia", "password": "{password}"}
302 302 302 403 403 302+
    /admin/auth/user/{user}/password/ {"password1": "{new}", "password2": "{new}", "usable_password": "true"}
    /admin/arena/ladder/{ladder}/change/ {"name": "Dual", "description": "", "position": 1}
    /admin/arena/tournament/{cup}/change/ {"name": "Dual", "description": ""}
302 302 302 403 200 302+
    /admin/bots/bot/ {"action": "hide", "_selected_action": "{bot_mine}"}
    /admin/bots/bot/ {"action": "withdraw", "_selected_action": "{bot_mine}"}
    /admin/matches/match/ {"action": "void", "_selected_action": "{match}"}
    /admin/auth/user/ {"action": "ban", "_selected_action": "{user}"}
    /admin/arena/host/ {"action": "quarantine", "_selected_action": "{host}"}
302 302 302 403 200 302
    /admin/bots/version/ {"action": "end_suspension", "_selected_action": "{version_mine}"}
302 302 302 403 403 302+
    /admin/auth/user/add/ {"username": "newcomer", "usable_password": "false"}
    /admin/auth/group/add/ {"name": "others"}
302 302 302 403 403 403
    /admin/matches/match/{match}/change/ {"status": "void"}
"""


@dataclass(frozen=True)
class Line:
    """An address as in the table, what is sent there, and the expected answers by person."""

    address: str
    sent: str
    answers: tuple[str, ...]

    def at(self, places: Mapping[str, Any]) -> str:
        """The address in a scene."""
        return filled(self.address, places)

    def body(self, places: Mapping[str, Any]) -> Any:
        return json.loads(filled(self.sent, places)) if self.sent else {}


def filled(text: str, places: Mapping[str, Any]) -> str:
    return re.sub(r"\{([a-z]\w*)\}", lambda found: str(places[found[1]]), text)


def lines(table: str) -> Iterator[Line]:
    answers: tuple[str, ...] = ()
    for row in table.splitlines():
        if row.startswith("    "):
            address, _blank, sent = row.strip().partition(" ")
            yield Line(address, sent, answers)
        elif row and not row.startswith("#"):
            answers = tuple(row.split())
