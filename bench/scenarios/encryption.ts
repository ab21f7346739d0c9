import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Figure, figureOf } from '../figures.js';
import type { LoadCommands } from '../load/load.process.js';
import { Child, cores } from '../process/child.js';
import { interleaved, type Variant, valuesOf } from '../rounds.js';
import type { Plan } from './plan.js';
import { deadPort, environment, PulsekeepProcess, preparedDatabase } from './pulsekeep.js';
import type { PulsekeepCommands } from './pulsekeep.process.js';

const connections = 64;
const accounts = 500;
const sides = ['as they are', 'sealed'] as const;

/** What keys of persons cost a message: taken in only, and taken in and applied, in processor time. */
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
    for (const side of sides) {
      const keys = (name: string): NodeJS.ProcessEnv =>
        side === 'sealed' ? { PERSON_KEYS_PATH: join(folder, name), PERSON_KEYS_SECRET: 'b'.repeat(32) } : {};
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
              await whole.until('SELECT 1 FROM messages WHERE due_at IS NOT NULL LIMIT 1', 120);
            }),
        },
      );
    }
    const series = await interleaved(rounds, variants, step);
    return ['accept', 'accept + apply'].map((work) =>
      figureOf({
        name: `processor time, ${work}, bodies sealed`,
        unit: 'us/message',
        values: valuesOf(series, `${work} sealed`, 'cpu'),
        baseline: { name: 'bodies as they are', values: valuesOf(series, `${work} as they are`, 'cpu') },
      }),
    );
  } finally {
    for (const end of ends.reverse()) await end();
    rmSync(folder, { recursive: true, force: true });
  }
}

async function acceptingProcess(
  keys: NodeJS.ProcessEnv,
): Promise<{ child: Child<PulsekeepCommands>; port: number; end: () => Promise<void> }> {
  const child = await Child.start<PulsekeepCommands>('scenarios/pulsekeep.process.js', cores.measured);
  const { folder, path } = await preparedDatabase(accounts);
  const { port } = await child.ask('listen', { ...environment(path, deadPort), ...keys });
  const end = async (): Promise<void> => {
    await child.end();
    rmSync(folder, { recursive: true, force: true });
  };
  return { child, port, end };
}
