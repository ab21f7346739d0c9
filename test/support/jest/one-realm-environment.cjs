const { AsyncLocalStorage } = require('node:async_hooks');
const vm = require('node:vm');
const { ModuleMocker } = require('jest-mock');
const { LegacyFakeTimers, ModernFakeTimers } = require('@jest/fake-timers');

/** Jest compiles what it runs in the context an environment names; this one stands for Node's own. */
const ownRealm = vm.createContext({});
const { compileFunction } = vm;
/** Functions of Jest's own packages by their code. Jest evaluates them for each spec file; compiling once is enough. */
const ofJest = new Map();
vm.compileFunction = (code, params, options) => {
  if (options?.parsingContext !== ownRealm) return compileFunction(code, params, options);
  const compiled = ofJest.get(code) ?? compileFunction(code, params, { ...options, parsingContext: undefined });
  if (options.filename?.includes('/node_modules/')) ofJest.set(code, compiled);
  return compiled;
};

/**
 * Storages that something has run in since the last spec file: until it is disabled, each costs every promise of the
 * worker some time and memory. Jest's own, which names the test that an uncaught error belongs to, is left unused: such
 * an error fails the file.
 */
const storages = new Set();
const { run } = AsyncLocalStorage.prototype;
AsyncLocalStorage.prototype.run = function (...given) {
  const [store, work] = given;
  if (store?.test?.type === 'test' || store?.hook) return work();
  storages.add(this);
  return run.apply(this, given);
};

/**
 * A test environment without a realm of its own: a spec runs on the globals of its worker, where the program, its
 * packages and Node are the same for every spec file and loaded once. See docs/decisions/0002-esm-and-jest.md.
 */
module.exports = class OneRealmEnvironment {
  constructor({ projectConfig }) {
    this.global = globalThis;
    globalThis.requireOfNode = require;
    this.before = { console, exit: process.exit, env: { ...process.env }, keys: new Set(Reflect.ownKeys(globalThis)) };
    this.moduleMocker = new ModuleMocker(globalThis);
    this.fakeTimers = new LegacyFakeTimers({
      config: projectConfig,
      global: globalThis,
      moduleMocker: this.moduleMocker,
      timerConfig: { idToRef: (id) => id, refToId: (timer) => timer },
    });
    this.fakeTimersModern = new ModernFakeTimers({ config: projectConfig, global: globalThis });
  }

  /** Shrinking a counterexample has no end of its own, and a synchronous property blocks Jest's timeout as well. */
  async setup() {
    const { configureGlobal } = await import('fast-check');
    configureGlobal({ interruptAfterTimeLimit: 180_000, markInterruptAsFailure: true });
  }

  /** Restores everything a spec file or Jest changed, so that no file depends on the one that ran before it. */
  async teardown() {
    this.fakeTimers.dispose();
    this.fakeTimersModern.dispose();
    this.moduleMocker.restoreAllMocks();
    for (const storage of storages) storage.disable();
    storages.clear();
    process.exit = this.before.exit;
    process.env = this.before.env;
    globalThis.console = this.before.console;
    for (const key of Reflect.ownKeys(globalThis)) {
      if (typeof key === 'symbol' && !this.before.keys.has(key)) Reflect.deleteProperty(globalThis, key);
    }
  }

  exportConditions() {
    return ['node', 'node-addons'];
  }

  getVmContext() {
    return ownRealm;
  }
};
