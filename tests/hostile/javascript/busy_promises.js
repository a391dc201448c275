// 30: the same by promises, so that the answer is always the next thing but one; deaf to signals.
require("./attacker.js").playAfter(async () => {
  for (const name of ["SIGTERM", "SIGINT", "SIGHUP", "SIGXCPU"]) process.on(name, () => {});
  for (;;) await null;
});
