import type { IncomingMessage } from 'node:http';
import { getHeapStatistics } from 'node:v8';
import { BodyRoom, type HeldBody } from '../../src/http/server/body-room.js';
import { Metrics } from '../../src/platform/platform/metrics.js';

/*
 * Passes bodies through a body room, and prints how many of the total bytes minor collections kept at most:
 * `{"most":N,"came":N}`. A separate program, because V8 decides from the earlier use of a heap which objects it
 * allocates as old. Node needs --expose-gc.
 */

/** So few that they fit into V8's smallest space for new objects and outlive at most one collection. */
const atOnce = 8;
const betweenCollections = 10;
const bodies = 4_000;
/** Length of one body, as a list on the heap. */
const length = 2_000;
const bytes = length * 8;

const { gc } = globalThis as unknown as { gc: (options: { type: 'minor' | 'major' }) => void };

/** The parts of a request that the room uses, with something that occupies memory as long as the request lives. */
function request(): IncomingMessage {
  const taken = Array.from({ length }, (_, index) => index + 0.5);
  return { complete: true, taken } as unknown as IncomingMessage;
}

function used(): number {
  gc({ type: 'minor' });
  return getHeapStatistics().used_heap_size;
}

const room = new BodyRoom(new Metrics());
const open = Array.from({ length: atOnce }, () => room.enter(request(), () => undefined));
gc({ type: 'major' });
const before = used();
let most = before;
for (let index = 0; index < bodies; index++) {
  room.giveBack(open[index % atOnce] as HeldBody);
  open[index % atOnce] = room.enter(request(), () => undefined);
  if (index % betweenCollections === 0) most = Math.max(most, used());
}
process.stdout.write(JSON.stringify({ most: most - before, came: bodies * bytes }));
