// 30: the same in WebAssembly, where no JavaScript looks whether to stop.
const LOOPS = new Uint8Array([0, 97, 115, 109, 1, 0, 0, 0, 1, 4, 1, 96, 0, 0, 3, 2, 1, 0, 7, 5, 1, 1, 102, 0, 0, 10, 9, 1, 7, 0, 3, 64, 12, 0, 11, 11]);

require("./attacker.js").playAfter(() => new WebAssembly.Instance(new WebAssembly.Module(LOOPS)).exports.f());
