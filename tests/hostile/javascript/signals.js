// 22, 54: signals to itself and to all, and going on where it was stopped.
const { outcomes, playAfter, tell } = require("./attacker.js");

playAfter(() => {
  const kill = (pid, signal) => () => process.kill(pid, signal);
  tell(outcomes({
    "kill itself": kill(1, "SIGKILL"),
    "stop itself": kill(1, "SIGSTOP"),
    "kill all": kill(-1, "SIGKILL"),
    "continue itself": kill(1, "SIGCONT"),
    "kill the one above": kill(0, "SIGKILL"),
  }));
});
