// 5: standard output without a line.
require("./attacker.js").playAfter(() => {
  for (;;) require("fs").writeSync(1, "x".repeat(1000));
});
