// 2, 34: threads that compute for ever, as many as there may be.
const { playAfter } = require("./attacker.js");
const { Worker } = require("worker_threads");

playAfter(() => {
  for (let n = 0; n < 300; n++) new Worker("for (;;);", { eval: true }).on("error", () => {});
  return new Promise(() => {});
});
