import 'reflect-metadata';
import { rmSync } from 'node:fs';
import { Writable } from 'node:stream';
import { createApp, type Pulsekeep } from '../../src/app.js';
import { pulledResources } from '../../src/catalogue/catalogue.js';
import { readConfig } from '../../src/config/environment.js';
import { serve } from '../process/serve.js';
import { environment, preparedDatabase } from './pulsekeep.js';

/* The worker that turns due streams into tasks, in the assembled program, and nothing else running. */

const nobody = 1;
const nowhere = new Writable({ write: (_chunk, _encoding, done) => done() });

let folder = '';
let pulsekeep: Pulsekeep | null = null;

function opened(): Pulsekeep {
  if (!pulsekeep) throw new Error('Nothing is open.');
  return pulsekeep;
}

/** Processor time of this process that work took, in milliseconds. */
async function cpuOfWork(work: () => Promise<void>): Promise<number> {
  const before = process.cpuUsage();
  await work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1_000;
}

function tick(): Promise<void> {
  const schedule = opened()
    .workers.all()
    .find(({ name }) => name === 'schedule');
  if (!schedule) throw new Error('There is no schedule.');
  return schedule.runUntilIdle();
}

const commands = {
  async open({ accounts }: { accounts: number }): Promise<void> {
    const prepared = await preparedDatabase(accounts);
    folder = prepared.folder;
    const config = readConfig(environment(prepared.path, nobody), pulledResources);
    pulsekeep = await createApp(config, { logDestination: nowhere });
  },

  /** Of one tick, over so many. */
  async idle({ ticks }: { ticks: number }): Promise<{ cpuMs: number }> {
    const cpuMs = await cpuOfWork(async () => {
      for (let each = 0; each < ticks; each++) await tick();
    });
    return { cpuMs: cpuMs / ticks };
  },

  /** Of all ticks until none of `count` streams is due any more, spread over all accounts. */
  async due({ count, accounts }: { count: number; accounts: number }): Promise<{ cpuMs: number; tasks: number }> {
    const { lane, reader } = opened().store;
    const step = Math.max(1, Math.floor(accounts / count));
    await lane.run(async (tx) => {
      await tx.execute('DELETE FROM sync_tasks');
      await tx.execute('UPDATE pull_streams SET next_due_at = 1 WHERE account_id % ? = 0 AND account_id <= ?', [
        step,
        step * count,
      ]);
    });
    const cpuMs = await cpuOfWork(tick);
    const row = await reader.row<{ tasks: number }>('SELECT COUNT(*) AS tasks FROM sync_tasks');
    return { cpuMs, tasks: row?.tasks ?? 0 };
  },

  async close(): Promise<void> {
    await pulsekeep?.stop();
    pulsekeep = null;
    rmSync(folder, { recursive: true, force: true });
  },
};
export type TickCommands = typeof commands;

serve(commands);
