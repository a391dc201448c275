// 6: standard error without end.
require("./attacker.js").playAfter(() => {
  for (;;) require("fs").writeSync(2, "x".repeat(1000));
});
