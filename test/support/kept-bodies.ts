import type { IncomingMessage } from 'node:http';
import { getHeapStatistics } from 'node:v8';
import { BodyRoom, type HeldBody } from '../../src/http/server/body-room.js';
import { Metrics } from '../../src/platform/platform/metrics.js';

/*
 * Lets bodies come to a room and leave it, and prints how many bytes of all that came minor collections have kept at
 * most: `{"most":N,"came":N}`. A program of its own, since what ran before in a heap decides what V8 makes among old
 * objects. Node needs --expose-gc.
 */

/** So few that they fit into the smallest space V8 has for new objects, and outlive one collection at most. */
const atOnce = 8;
const betweenCollections = 10;
const bodies = 4_000;
/** Of one body, as a list on the heap. */
const length = 2_000;
const bytes = length * 8;

const { gc } = globalThis as unknown as { gc: (options: { type: 'minor' | 'major' }) => void };

/** A request as far as the room knows it, with something that takes memory as long as it does. */
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
