// 55: an end that looks like a kill from outside.
require("./attacker.js").playAfter(() => process.reallyExit(137));
