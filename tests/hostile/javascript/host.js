// 8 to 11, 15, 25, 26, 29: files of the host, writing anywhere, watching, the environment.
const { outcomes, playAfter, tell } = require("./attacker.js");
const fs = require("fs");

playAfter(() => {
  const read = ["/etc/passwd", "/etc/ssl/openssl.cnf", "/proc/self/environ", "/proc/1/mem", "/sys/kernel", "/root", "/home",
    "/usr/bin/python3", "/kit", "/dev/urandom", "/dev/shm", "/bot/../../etc/passwd"];
  const made = ["/bot/x", "/tmp/x", "/dev/x", "/x", "/usr/lib/x"];
  tell({ read: outcomes(Object.fromEntries(read.map((path) => [path, () => fs.readFileSync(path)]))) });
  tell({ written: outcomes(Object.fromEntries(made.map((path) => [path, () => fs.writeFileSync(path, "x")]))) });
  tell({ others: outcomes({
    link: () => fs.symlinkSync("/etc/passwd", "/tmp/x"),
    "another name": () => fs.linkSync("/bot/main.js", "/tmp/x"),
    "temporary folder": () => fs.mkdtempSync("/tmp/x"),
    "own source": () => fs.appendFileSync(__filename, "x"),
    owner: () => fs.chownSync("/bot", 0, 0),
    watch: () => fs.watch("/bot"),
    "heap snapshot": () => require("v8").writeHeapSnapshot("/tmp/x"),
  }) });
  tell({
    root: fs.readdirSync("/").sort(),
    programs: fs.readdirSync("/usr/bin").sort(),
    set: Object.keys(process.env).sort(),
    pid: process.pid,
    uid: process.getuid(),
  });
});
