// 3: objects without end.
require("./attacker.js").playAfter(() => {
  for (const hoard = []; ; ) hoard.push(new Array(100_000).fill(hoard.length));
});
