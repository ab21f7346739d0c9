import 'reflect-metadata';
import { type MessagePort, parentPort, workerData } from 'node:worker_threads';
import type { FromThread, ToThread } from './background.js';
import type { Background } from './background-application.js';
import { pulledResources } from './catalogue/catalogue.js';
import type { Config } from './config/config.js';
import { readConfig } from './config/environment.js';
import { takeOverSecrets } from './config/secret-files.js';
import type { Environment } from './config/sources.js';
import { endOnCrash } from './crash.js';
import { BorrowedBudget } from './upstream-budget/lent-budget.js';
import { WriteTurns } from './write-turns/write-turns.js';

/*
 * The other end of background.ts: the application without HTTP. An error that nobody catches is logged here, since of
 * many little is left on the way to another thread; then the thread ends, and the process with it.
 */

const STANDING_EVERY_MS = 1_000;

const port = parentPort as MessagePort;
const send = (message: FromThread): void => port.postMessage(message);
const write = (line: string): void => send({ kind: 'line', line });
endOnCrash({ write });
const turns = new WriteTurns(workerData as SharedArrayBuffer, 'working');
const budget = new BorrowedBudget(send);
// By a call, since decorators need `reflect-metadata` to be there, and a bundle orders static imports as it likes.
const application = import('./background-application.js');
let config: Config;
let background: Background | null = null;
let opening: Promise<void> = Promise.resolve();

async function open(environment: Environment): Promise<void> {
  config = readConfig(environment, pulledResources);
  const { createBackground } = await application;
  background = await createBackground(config, { turns, budget, logDestination: { write } });
  const { workers } = background;
  workers.start('worker');
  const say = (): void => send({ kind: 'standing', standing: { late: workers.late(), stuck: workers.stuck() } });
  setInterval(say, STANDING_EVERY_MS);
  say();
}

async function stop(withinMs: number): Promise<void> {
  await opening;
  await background?.stop(withinMs);
  send({ kind: 'stopped' });
}

async function receive(message: ToThread): Promise<void> {
  switch (message.kind) {
    case 'open':
      return (opening = open(message.environment));
    case 'wake':
      return background?.workers.wake(message.loop);
    case 'figures':
      return send({ kind: 'figures', n: message.n, figures: (await background?.metrics.figures()) ?? [] });
    case 'secrets':
      return takeOverSecrets(config, readConfig(message.environment, pulledResources));
    case 'stop':
      return stop(message.withinMs);
    case 'turn-granted':
      return budget.receive(message);
  }
}

port.on('message', (message: ToThread) => void receive(message));
