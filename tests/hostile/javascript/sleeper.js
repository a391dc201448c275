// 31: never answering.
require("./attacker.js").playAfter(() => new Promise(() => setInterval(() => {}, 1000)));
