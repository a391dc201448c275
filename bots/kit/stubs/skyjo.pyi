# The kit under the name that a bot imports it by, for type checkers in this repository.
from bots.kit.skyjo import COLUMNS as COLUMNS
from bots.kit.skyjo import DECK as DECK
from bots.kit.skyjo import KIT_VERSION as KIT_VERSION
from bots.kit.skyjo import REMOVED as REMOVED
from bots.kit.skyjo import VALUES as VALUES
from bots.kit.skyjo import Action as Action
from bots.kit.skyjo import Bot as Bot
from bots.kit.skyjo import View as View
from bots.kit.skyjo import load_bot as load_bot
from bots.kit.skyjo import run as run
