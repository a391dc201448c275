// 3: a memory of WebAssembly without end.
require("./attacker.js").playAfter(() => {
  const memory = new WebAssembly.Memory({ initial: 16 });
  for (;;) {
    memory.grow(16);
    new Uint8Array(memory.buffer).fill(1);
  }
});
