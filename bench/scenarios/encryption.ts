import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { encryptingDriver } from '../../src/database/sqlite-driver.js';
import { type Figure, figureOf } from '../figures.js';
import type { LoadCommands } from '../load/load.process.js';
import { Child, cores } from '../process/child.js';
import { interleaved, type Variant, valuesOf } from '../rounds.js';
import type { Plan } from './plan.js';
import { deadPort, environment, keyOf, PulsekeepProcess, preparedDatabase } from './pulsekeep.js';
import type { PulsekeepCommands } from './pulsekeep.process.js';

const connections = 64;
const accounts = 500;
const plain = 'as it is';
const sealed = 'with bodies sealed';
const encrypted = 'with the file encrypted';

/**
 * What keys of persons and a key of the database cost a message: taken in only, and taken in and applied, in processor
 * time. The latter only where its driver is installed.
 */
export async function encryption({ rounds, scale, step }: Plan): Promise<Figure[]> {
  const folder = mkdtempSync(join(tmpdir(), 'pulsekeep-bench-'));
  const load = await Child.start<LoadCommands>('load/load.process.js', cores.driver);
  const ends: (() => Promise<void>)[] = [() => load.end()];
  const count = Math.round(6_000 * scale);
  let sent = 0;
  const send = async (port: number): Promise<void> => {
    const deliveries = { path: '/webhooks', label: 'bench', accounts, first: sent, count };
    sent += count;
    const { refused } = await load.ask('burst', { port, connections, deliveries });
    if (refused > 0) throw new Error('Messages were refused.');
  };
  try {
    const variants: Variant<string>[] = [];
    const protections = [sealed, ...(canEncrypt() ? [encrypted] : [])];
    for (const side of [plain, ...protections]) {
      const keys = (name: string): NodeJS.ProcessEnv => {
        if (side === encrypted) return { DATABASE_KEY: 'b2'.repeat(32) };
        return side === sealed ? { PERSON_KEYS_PATH: join(folder, name), PERSON_KEYS_SECRET: 'b'.repeat(32) } : {};
      };
      const accepting = await acceptingProcess(keys('accepting.sqlite'));
      const whole = await PulsekeepProcess.start(accounts, deadPort, keys('whole.sqlite'));
      ends.push(accepting.end, () => whole.end());
      const perMessage = async (measured: { cpu(): number }, work: () => Promise<void>) => {
        const before = measured.cpu();
        await work();
        return { cpu: ((measured.cpu() - before) * 1_000) / count };
      };
      variants.push(
        { name: `accept ${side}`, run: () => perMessage(accepting.child, () => send(accepting.port)) },
        {
          name: `accept + apply ${side}`,
          run: () =>
            perMessage(whole, async () => {
              await send(whole.port);
              await whole.untilAllProcessed(120);
            }),
        },
      );
    }
    const series = await interleaved(rounds, variants, step);
    return protections.flatMap((side) =>
      ['accept', 'accept + apply'].map((work) =>
        figureOf({
          name: `processor time, ${work}, ${side}`,
          unit: 'us/message',
          values: valuesOf(series, `${work} ${side}`, 'cpu'),
          baseline: { name: plain, values: valuesOf(series, `${work} ${plain}`, 'cpu') },
        }),
      ),
    );
  } finally {
    for (const end of ends.reverse()) await end();
    rmSync(folder, { recursive: true, force: true });
  }
}

function canEncrypt(): boolean {
  try {
    encryptingDriver();
    return true;
  } catch {
    return false;
  }
}

async function acceptingProcess(
  keys: NodeJS.ProcessEnv,
): Promise<{ child: Child<PulsekeepCommands>; port: number; end: () => Promise<void> }> {
  const child = await Child.start<PulsekeepCommands>('scenarios/pulsekeep.process.js', cores.measured);
  const { folder, path } = await preparedDatabase(accounts, keyOf(keys));
  const { port } = await child.ask('listen', { ...environment(path, deadPort), ...keys });
  const end = async (): Promise<void> => {
    await child.end();
    rmSync(folder, { recursive: true, force: true });
  };
  return { child, port, end };
}
