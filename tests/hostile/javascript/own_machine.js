// 18, 48, 53: code that is made while it runs, WebAssembly, switches of V8, and native code in place of JavaScript.
const { outcome, outcomes, playAfter, tell } = require("./attacker.js");
const vm = require("vm");

const ANSWERS_42 = new Uint8Array([0, 97, 115, 109, 1, 0, 0, 0, 1, 5, 1, 96, 0, 1, 127, 3, 2, 1, 0, 7, 5, 1, 1, 102, 0, 0, 10, 6, 1, 4, 0, 65, 42, 11]);

playAfter(() => {
  tell(outcomes({
    eval: () => (0, eval)("6 * 7"),
    context: () => vm.runInNewContext("6 * 7"),
    WebAssembly: () => new WebAssembly.Instance(new WebAssembly.Module(ANSWERS_42)).exports.f(),
    "native code": () => process.dlopen({ exports: {} }, "/bot/main.js"),
    "a larger heap": () => require("v8").setFlagsFromString("--max-old-space-size=8000"),
  }));
  tell({ deep: outcome(() => { const down = () => down() + down(); return down(); }) });
});
