import 'reflect-metadata';
import { Writable } from 'node:stream';
import { createApp, type Pulsekeep } from '../../src/app/app.js';
import { PushClient } from '../../src/changes/subscriptions/push.client.js';
import { PushWorker } from '../../src/changes/subscriptions/push.worker.js';
import { Subscriptions } from '../../src/changes/subscriptions/subscriptions.service.js';
import { pulledResources } from '../../src/health/catalogue/catalogue.js';
import { readConfig } from '../../src/platform/config/environment.js';
import { noteChanges } from '../../src/storage/change-log/note-changes.js';
import { SequencerWorker } from '../../src/storage/change-log/sequencer.worker.js';
import { serve } from './serve.js';

/* Pulsekeep pushing changes, without other background work. */

const nowhere = new Writable({ write: (_chunk, _encoding, done) => done() });
const LOOK_MS = 250;
/** Time limit of one push; a round begins after pushes that hang have ended. */
const TIMEOUT_MS = 3_000;
let opened: Pulsekeep | null = null;
let ticking: NodeJS.Timeout | undefined;

function get<T>(type: abstract new (...given: never[]) => T): T {
  if (!opened) throw new Error('Nothing is open.');
  return opened.app.get(type, { strict: false });
}

const commands = {
  async open(env: NodeJS.ProcessEnv): Promise<void> {
    opened = await createApp(readConfig(env, pulledResources), { logDestination: nowhere });
    await opened.listen();
    get(PushClient).timeoutMs = TIMEOUT_MS;
  },

  /** Records and numbers changes for this many accounts, and subscribes the endpoints to them. */
  async prepare({ urls, count, accounts }: { urls: string[]; count: number; accounts: number }): Promise<void> {
    for (const url of urls) await get(Subscriptions).create({ url });
    for (let from = 0; from < count; from += 500) {
      const some = Array.from({ length: Math.min(500, count - from) }, (_, index) => ({
        ...({ kind: 'summary', action: 'created', resource: 'sleep', provider: 'oura' } as const),
        account: ((from + index) % accounts) + 1,
        subject: String(from + index),
      }));
      await opened?.store.lane.run((tx) => noteChanges(tx, some, Date.now()));
    }
    await get(SequencerWorker).loop.runUntilIdle();
  },

  /** Pushes until stopped, which ends the subscriptions. */
  async begin(): Promise<void> {
    const { loop } = get(PushWorker);
    loop.tick();
    ticking = setInterval(() => loop.tick(), LOOK_MS);
  },

  async stop(): Promise<void> {
    clearInterval(ticking);
    const subscriptions = get(Subscriptions);
    for (const { id } of (await subscriptions.list({ limit: 100 })).data) await subscriptions.delete(id);
    await get(PushWorker).loop.runUntilIdle();
  },
};
export type PushCommands = typeof commands;

serve(commands);
