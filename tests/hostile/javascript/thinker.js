// 33: thinking on the opponent's turn, by timers.
const { playAfter, tell } = require("./attacker.js");

const used = () => process.cpuUsage().user / 1000;
let thought = 0;

playAfter(
  () => {
    const think = () => {
      const begun = used();
      while (used() < begun + 1);
      thought += used() - begun;
      setImmediate(think);
    };
    setTimeout(think, 0);
  },
  () => tell({ thought_ms: Math.floor(thought) }),
);
