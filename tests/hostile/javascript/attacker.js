// What the hostile programs share: a plain way to play, and words for what an attack came to.
// A program tells what it managed in lines of JSON on standard error.
"use strict";
const fs = require("fs");

const tell = (found) => fs.writeSync(2, `${JSON.stringify(found)}\n`);

// What the action gave, or the name of its error.
const outcome = (action) => {
  try {
    const result = action();
    return ["number", "string"].includes(typeof result) ? result : "done";
  } catch (error) {
    return error.code ?? error.name;
  }
};

const outcomes = (actions) => Object.fromEntries(Object.entries(actions).map(([name, action]) => [name, outcome(action)]));

// What comes of something that tells only later: "done", or the name of its error.
const later = (make) =>
  new Promise((done) => {
    try {
      const emitter = make(() => done("done"));
      emitter.on("error", (error) => done(error.code ?? error.name));
    } catch (error) {
      done(error.code ?? error.name);
    }
  });

// A plain answer: the same moves whatever an attack brought.
const plain = (message) => {
  const cells = message.view.grids[message.view.seat];
  const hidden = [...cells.keys()].filter((cell) => cells[cell] === null);
  const moves = { reveal: { cells: hidden.slice(0, 2) }, draw: { take: "draw" }, place: { flip: hidden[0] } };
  return { id: message.id, ...moves[message.phase] };
};

const write = (line) => fs.writeSync(1, `${typeof line === "string" ? line : JSON.stringify(line)}\n`);

// Attacks at the first question of the process, and plays on as if nothing had been. `each` sees all questions.
const playAfter = (attack, each = () => {}) => {
  let isNew = true;
  require("readline")
    .createInterface({ input: process.stdin })
    .on("line", async (line) => {
      const message = JSON.parse(line);
      if (message.type === "hello") write({ type: "ready" });
      if (message.type !== "act") return;
      if (isNew) {
        isNew = false;
        await attack(message);
      }
      each();
      write(plain(message));
    });
};

module.exports = { later, outcome, outcomes, plain, playAfter, tell, write };
