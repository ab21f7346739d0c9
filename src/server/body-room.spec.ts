import type { IncomingMessage } from 'node:http';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { Metrics } from '../platform/metrics.js';
import { BodyRoom, type HeldBody } from './body-room.js';

setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc') as (options: { type: 'minor' }) => void;

const atOnce = 64;
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
  const open: HeldBody[] = [];
  const comeAndGo = (count: number): void => {
    for (let index = 0; index < count; index++) {
      open.push(room.enter(request(), () => undefined));
      if (open.length > atOnce) room.giveBack(open.shift() as HeldBody);
      if (index % 100 === 0) collect({ type: 'minor' });
    }
    collect({ type: 'minor' });
    collect({ type: 'minor' });
  };
  comeAndGo(1_000);
  const before = process.memoryUsage().heapUsed;
  comeAndGo(bodies);
  expect(process.memoryUsage().heapUsed - before).toBeLessThan((bodies * bytes) / 4);
});
