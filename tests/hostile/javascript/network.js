// 12, 13: sockets of every kind, names of hosts.
const { later, playAfter, tell } = require("./attacker.js");
const net = require("net");
const datagrams = require("dgram");

playAfter(async () => {
  tell({
    connect: await later((done) => net.connect(80, "127.0.0.1", done)),
    "connect by IPv6": await later((done) => net.connect(80, "::1", done)),
    "connect to a path": await later((done) => net.connect("/run/docker.sock", done)),
    "connect to an abstract name": await later((done) => net.connect("\0name", done)),
    listen: await later((done) => net.createServer().listen(0, "127.0.0.1", done)),
    "listen at a path": await later((done) => net.createServer().listen("/tmp/socket", done)),
    datagrams: await later((done) => datagrams.createSocket("udp4").bind(0, "127.0.0.1", done)),
  });
  const failure = (error) => error.code ?? error.cause?.code ?? error.name;
  tell({
    names: await require("dns").promises.lookup("example.org").then(() => "done", (error) => error.syscall),
    request: await new Promise((done) =>
      require("http").get("http://127.0.0.1/", () => done("done")).on("error", (error) => done(failure(error)))),
  });
});
