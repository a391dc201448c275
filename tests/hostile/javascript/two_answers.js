// 46: an answer more than was asked for.
const { playAfter, write } = require("./attacker.js");

playAfter(({ id }) => write([JSON.stringify({ id, cells: [0, 1] }), JSON.stringify({ id: id + 1, take: "draw" })].join("\n")));
