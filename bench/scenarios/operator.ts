import { once } from 'node:events';
import { request } from 'node:http';
import { operatorKey } from './pulsekeep.js';

/** The monitor looks at the event loop so often, and what it says holds that time as well. */
const RESOLUTION_MS = 10;
export const MOST_TURN_MS = 25;

/** Milliseconds of the longest turn of the loop that serves HTTP, since it was last asked for. */
export async function longestTurn(port: number): Promise<number> {
  const text = await ask(port, '/metrics', true);
  const seconds = /^pulsekeep_nodejs_eventloop_lag_max_seconds (\S+)$/m.exec(text)?.[1];
  return Math.max(0, Number(seconds) * 1_000 - RESOLUTION_MS);
}

/** What an operator is answered: the whole where it is wanted; it is read and dropped else. */
export async function ask(port: number, path: string, isWanted = false): Promise<string> {
  const call = request({ port, path, host: '127.0.0.1', headers: { authorization: `Bearer ${operatorKey}` } }).end();
  const [answer] = (await once(call, 'response')) as [NodeJS.ReadableStream & { statusCode?: number }];
  let text = '';
  answer.on('data', (chunk: Buffer) => {
    if (isWanted) text += chunk.toString();
  });
  await once(answer, 'end');
  if (answer.statusCode !== 200) throw new Error(`${path} was answered with ${answer.statusCode}.`);
  return text;
}
