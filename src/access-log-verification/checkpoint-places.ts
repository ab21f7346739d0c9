import { open } from 'node:fs/promises';
import { makePrivateFile } from '../platform/private-file.js';
import { HttpExchange } from '../upstream-transport/http-exchange.js';
import { TimeLimit } from '../upstream-transport/time-limit.js';

export const checkpointPlaces = ['file', 'address'] as const;
export type CheckpointPlace = (typeof checkpointPlaces)[number];

/** Where checkpoints are kept, away from the database. `deliver` resolves once one is taken. */
export interface Keeper {
  readonly place: CheckpointPlace;
  deliver(checkpoint: string, signal: AbortSignal): Promise<void>;
  close(): void;
}

const LONGEST_POST_MS = 10_000;
const LONGEST_ANSWER_BYTES = 65_536;
/** More than a few checkpoints. */
const TAIL_BYTES = 8_192;

/** The address answered, and did not take it. */
export class CheckpointRefused extends Error {
  constructor(readonly status: number) {
    super('The address does not take checkpoints.');
    this.name = 'CheckpointRefused';
  }
}

/** Adds each checkpoint as a line to a file that only its owner may read. */
export function fileKeeper(path: string): Keeper {
  return {
    place: 'file',
    async deliver(checkpoint) {
      makePrivateFile(path);
      const file = await open(path, 'a');
      try {
        await file.appendFile(`${checkpoint}\n`);
        await file.sync();
      } finally {
        await file.close();
      }
    },
    close: () => undefined,
  };
}

/** Posts each checkpoint as `{"checkpoint": "..."}`; any 2xx is a receipt, a redirect is not followed. */
export function addressKeeper(url: string): Keeper {
  const exchange = new HttpExchange(LONGEST_ANSWER_BYTES, 0);
  return {
    place: 'address',
    async deliver(checkpoint, signal) {
      const limit = new TimeLimit(LONGEST_POST_MS, signal, () => new Error('timeout'));
      const headers = { accept: 'application/json', 'user-agent': 'pulsekeep' };
      try {
        const request = { method: 'POST', url, headers, body: { checkpoint }, signal: limit.signal };
        const { status } = await exchange.text(request);
        if (status < 200 || status >= 300) throw new CheckpointRefused(status);
      } finally {
        limit.end();
      }
    },
    close: () => exchange.close(),
  };
}

/** The last whole line of such a file; null where there is none to be read. */
export async function lastLineOf(path: string): Promise<string | null> {
  const file = await open(path, 'r').catch(() => null);
  if (!file) return null;
  try {
    const { size } = await file.stat();
    const buffer = Buffer.alloc(Math.min(size, TAIL_BYTES));
    await file.read(buffer, 0, buffer.length, size - buffer.length);
    return buffer.toString('utf8').split('\n').slice(0, -1).at(-1) ?? null;
  } catch {
    return null;
  } finally {
    await file.close();
  }
}
