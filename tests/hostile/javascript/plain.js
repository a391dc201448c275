// No attack: how the others play.
require("./attacker.js").playAfter(() => {});
