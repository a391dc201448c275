"""What the canary that Node.js runs tries, and what must come of it. It ends by an answer in JSON."""

from __future__ import annotations

from typing import Any, Final

from bots.sandbox.runtimes import NODE, RUNTIMES

EXPECTED: Final[dict[str, Any]] = {
    "spawn": "EPERM",
    "connect": "EACCES",
    "listen": "EACCES",
    "datagrams": "EACCES",
    "read /etc/passwd": "ENOENT",
    "read /proc/self/status": "ENOENT",
    "read /sys/kernel": "ENOENT",
    "read /root": "ENOENT",
    "read /home": "ENOENT",
    "write /bot": "EROFS",
    "write /tmp": "EROFS",
    "write /dev": "EROFS",
    "write /": "EROFS",
    "write /usr/lib": "EROFS",
    "root folder": ["bot", "dev", "lib", "lib64", "tmp", "usr"],
    "devices": ["null"],
    "programs": ["node", "prlimit"],
    "uid": 65534,
    "gid": 65534,
    "pid": 1,
    "environment": {**RUNTIMES[NODE].environment, "PWD": "/bot"},
}

SOURCE: Final = b"""
const fs = require("fs"), net = require("net");
const seen = { uid: process.getuid(), gid: process.getgid() };
const answer = () => { console.log(JSON.stringify(seen)); process.stdin.resume(); };
const attempt = (name, action) => {
  try { action(); seen[name] = "no error"; } catch (error) { seen[name] = error.code ?? String(error); }
};
const emitted = (name, make) => new Promise((done) => {
  try {
    const emitter = make((what) => { seen[name] = what; done(); });
    emitter.on("error", (error) => { seen[name] = error.code; emitter.close?.(); done(); });
  } catch (error) { seen[name] = error.code ?? String(error); done(); }
});
async function look() {
  const made = require("child_process").spawnSync(process.execPath, ["--version"]);
  seen.spawn = made.error ? made.error.code : "no error";
  await emitted("connect", (done) => net.connect(9, "127.0.0.1", () => done("no error")));
  await emitted("listen", (done) => net.createServer().listen(0, "127.0.0.1", () => done("no error")));
  await emitted("datagrams", (done) =>
    require("dgram").createSocket("udp4").bind(0, "127.0.0.1", () => done("no error")));
  for (const path of ["/etc/passwd", "/proc/self/status", "/sys/kernel", "/root", "/home"])
    attempt(`read ${path}`, () => fs.openSync(path));
  for (const folder of ["/bot", "/tmp", "/dev", "/", "/usr/lib"])
    attempt(`write ${folder}`, () => fs.mkdirSync(`${folder}/canary`));
  seen["root folder"] = fs.readdirSync("/").sort();
  seen.devices = fs.readdirSync("/dev").sort();
  seen.programs = fs.readdirSync("/usr/bin").sort();
  seen.pid = process.pid;
  seen.environment = { ...process.env };
}
// Not in a sandbox at all: try nothing that could succeed.
const isOutside = fs.existsSync("/proc") || seen.uid !== 65534;
process.stdin.once("data", () => (isOutside ? answer() : look().then(answer)));
"""
