import type { IncomingMessage } from 'node:http';
import { getHeapStatistics, setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { Metrics } from '../platform/metrics.js';
import { BodyRoom, type HeldBody } from './body-room.js';

setFlagsFromString('--expose-gc');
// As the program has it (src/garbage-collector.ts): V8 would begin to make these bodies among old objects at once.
setFlagsFromString('--no-allocation-site-pretenuring');
const collect = runInNewContext('gc') as (options: { type: 'minor' | 'major' }) => void;

/** So few that they fit into the smallest space V8 has for new objects, and outlive one collection at most. */
const atOnce = 8;
const betweenCollections = 10;
const bodies = 4_000;
/** Of one body, as a list on the heap. */
const length = 2_000;
const bytes = length * 8;

/** A request as far as the room knows it, with something that takes memory as long as it does. */
function request(): IncomingMessage {
  const taken = Array.from({ length }, (_, index) => index + 0.5);
  return { complete: true, taken } as unknown as IncomingMessage;
}

it('keeps nothing of bodies that have left, so that minor collections free them', () => {
  const room = new BodyRoom(new Metrics());
  const open = Array.from({ length: atOnce }, () => room.enter(request(), () => undefined));
  const used = (): number => {
    collect({ type: 'minor' });
    return getHeapStatistics().used_heap_size;
  };
  collect({ type: 'major' });
  const before = used();
  let most = before;
  for (let index = 0; index < bodies; index++) {
    room.giveBack(open[index % atOnce] as HeldBody);
    open[index % atOnce] = room.enter(request(), () => undefined);
    if (index % betweenCollections === 0) most = Math.max(most, used());
  }
  expect(most - before).toBeLessThan((bodies * bytes) / 16);
});
