// 1, 17, 21: processes by all of Node's ways to make one.
const { later, outcomes, playAfter, tell } = require("./attacker.js");
const children = require("child_process");
const cluster = require("cluster");

playAfter(async () => {
  tell(outcomes({
    spawnSync: () => { throw children.spawnSync(process.execPath).error; },
    execSync: () => children.execSync("true"),
    execFileSync: () => children.execFileSync("/usr/bin/prlimit"),
    setuid: () => process.setuid(0),
    setgroups: () => process.setgroups([0]),
  }));
  tell({
    spawn: await later(() => children.spawn(process.execPath)),
    detached: await later(() => children.spawn(process.execPath, { detached: true, stdio: "ignore" })),
    fork: await later(() => children.fork("/bot/main.js")),
    cluster: await later(() => cluster.fork().process),
  });
});
