// 36: an error that nobody catches, with a name that would hurt who shows it.
require("./attacker.js").playAfter(() => {
  throw new Error("<script>alert(1)</script>\u202e\0");
});
