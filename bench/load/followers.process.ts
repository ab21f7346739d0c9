import { once } from 'node:events';
import { Agent, get, type IncomingMessage } from 'node:http';
import { serve } from '../process/serve.js';
import { percentile } from '../rounds.js';
import { signedRequests } from './deliveries.js';
import type { Target } from './load.process.js';
import { Pacer, withConnections } from './pacer.js';
import { timeOf } from './points.js';

/*
 * Reads the change feed and sends the messages that cause the changes, both in one process so that they share one
 * clock.
 */

export interface Followed {
  /** Milliseconds from the time of an entry, just before its commit, until a reader has it. */
  readonly noted: { readonly p50: number; readonly p99: number };
  /** Milliseconds from the message's 204 until a reader has it. */
  readonly answered: { readonly p50: number; readonly p99: number };
}

interface Entry {
  readonly time: string;
  readonly account_id: string | null;
  readonly samples: { readonly start: string } | null;
}

interface Arrival {
  /** Subject of the entry. */
  readonly about: string;
  readonly at: number;
  readonly noted: number;
}

const agent = new Agent({ maxSockets: Number.POSITIVE_INFINITY });
let streams: IncomingMessage[] = [];
let arrivals: Arrival[] = [];
let arrived: () => void = () => undefined;

function take(text: string): void {
  const [, data] = /^event: change\n.*\ndata: (.*)$/m.exec(text) ?? [];
  if (data === undefined) return;
  const { account_id, samples, time } = JSON.parse(data) as Entry;
  const about = `${account_id} ${samples?.start}`;
  arrivals.push({ about, at: performance.now(), noted: Date.now() - Date.parse(time) });
  arrived();
}

async function open(port: number, key: string): Promise<IncomingMessage> {
  const headers = { authorization: `Bearer ${key}`, accept: 'text/event-stream' };
  const [stream] = (await once(get({ host: '127.0.0.1', port, path: '/v1/changes', headers, agent }), 'response')) as [
    IncomingMessage,
  ];
  if (stream.statusCode !== 200) throw new Error(`The change feed returned ${stream.statusCode}.`);
  let rest = '';
  stream.setEncoding('utf8').on('data', (text: string) => {
    const events = (rest + text).split('\n\n');
    rest = events.pop() ?? '';
    events.forEach(take);
  });
  stream.on('error', () => undefined);
  return stream;
}

/** Resolves when this many entries have arrived. */
function untilArrived(count: number): Promise<void> {
  return new Promise((resolve, reject) => {
    const late = setTimeout(() => reject(new Error(`Of ${count} entries, ${arrivals.length} arrived.`)), 30_000);
    arrived = () => {
      if (arrivals.length < count) return;
      clearTimeout(late);
      resolve();
    };
  });
}

function sharesOf(values: number[]): { p50: number; p99: number } {
  const sorted = Float64Array.from(values).sort();
  return { p50: percentile(sorted, 0.5), p99: percentile(sorted, 0.99) };
}

const commands = {
  /** Connects this many readers, by turns with these keys. */
  async follow({ port, keys, readers }: { port: number; keys: readonly string[]; readers: number }): Promise<void> {
    const keyOf = (reader: number): string => keys[reader % keys.length] ?? '';
    streams = await Promise.all(Array.from({ length: readers }, (_, reader) => open(port, keyOf(reader))));
  },

  async leave(): Promise<void> {
    for (const stream of streams) stream.destroy();
  },

  /** Sends messages of one sample each, like the load, and waits until every reader has all of their entries. */
  async paced({ rate, ...target }: Target & { rate: number }): Promise<Followed> {
    const { first, accounts } = target.deliveries;
    const requests = signedRequests({ ...target.deliveries, points: 1 });
    const places = new Map(requests.map((request, place) => [request, first + place]));
    const answers = new Map<string, number>();
    arrivals = [];
    const all = untilArrived(requests.length * streams.length);
    const { refused } = await withConnections(target, (connections) =>
      new Pacer(connections, requests, rate, (request) => {
        const number = places.get(request) ?? 0;
        const start = new Date(timeOf(Math.floor(number / accounts))).toISOString();
        answers.set(`bench-${number % accounts} ${start}`, performance.now());
      }).run(),
    );
    if (refused > 0) throw new Error(`${refused} messages were refused.`);
    await all;
    return {
      noted: sharesOf(arrivals.map(({ noted }) => noted)),
      answered: sharesOf(arrivals.map(({ about, at }) => at - (answers.get(about) ?? Number.NaN))),
    };
  },
};
export type FollowerCommands = typeof commands;

serve(commands);
