// 3, 4: memory outside V8's heap, shared between threads, without end.
require("./attacker.js").playAfter(() => {
  for (const hoard = []; ; ) hoard.push(new Uint8Array(new SharedArrayBuffer(1 << 20)).fill(1));
});
