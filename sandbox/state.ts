import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { deserialize, serialize } from 'node:v8';
import type { World } from './world.js';

/** A part of the sandbox whose content survives a restart. */
interface Part {
  keep(): unknown;
  restore(kept: never): void;
}

/**
 * Parts in the order in which they are restored. All are written together, so that rows that several of them share stay
 * shared. Not kept: armed faults, the log of calls, idempotency keys, and steps of orders that were to come.
 */
function partsOf(world: World): Readonly<Record<string, Part>> {
  const { ids, users, connections, linkTokens, data, streams, pulls } = world;
  const { orders, appointments, unmatchedResults, parsingJobs, settings, outbox } = world;
  return {
    ...{ ids, users, connections, linkTokens, streams, pulls, orders, appointments, unmatchedResults, outbox },
    ...{ points: data.points, summaries: data.summaries },
    settings: { keep: () => settings, restore: (kept: object) => void Object.assign(settings, kept) },
    parsingJobs: {
      keep: () => parsingJobs,
      restore: (kept: typeof parsingJobs) => kept.forEach((job, id) => void parsingJobs.set(id, job)),
    },
  };
}

interface KeptWorld {
  readonly at: number;
  readonly parts: Readonly<Record<string, unknown>>;
}

/** Writes the state to a file; a crash leaves the old file or the new one. */
export function saveState(world: World, file: string): void {
  const parts = Object.fromEntries(Object.entries(partsOf(world)).map(([name, part]) => [name, part.keep()]));
  const kept: KeptWorld = { at: world.timeline.now(), parts };
  writeFileSync(`${file}.new`, serialize(kept), { mode: 0o600 });
  renameSync(`${file}.new`, file);
}

/** Restores the state of a file, if it exists, and continues: open pulls, undelivered messages, data since then. */
export function restoreState(world: World, file: string): void {
  if (!existsSync(file)) return;
  const kept = deserialize(readFileSync(file)) as KeptWorld;
  for (const [name, part] of Object.entries(partsOf(world))) part.restore(kept.parts[name] as never);
  world.pulls.resume((id) => world.users.find(id));
  for (const user of world.users.live()) world.linking.catchUp(user, kept.at);
}
