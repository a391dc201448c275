// 30: computing for ever.
require("./attacker.js").playAfter(() => {
  for (;;);
});
