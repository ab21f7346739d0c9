import { setTimeout as pause } from 'node:timers/promises';
import { type Figure, figureOf, type Plan } from '../figures.js';
import { deadPort, PulsekeepProcess } from '../process/pulsekeep.js';
import { staged } from '../process/stage.js';

/** V8 returns the memory used by the start after about twenty idle seconds. */
const idleMs = 30_000;

/** Time until a process is ready, and its memory when idle. */
export function start({ rounds, scale, step }: Plan): Promise<Figure[]> {
  return staged(async (keep) => {
    const pulsekeep = keep(await PulsekeepProcess.start(1, deadPort));
    const times: number[] = [];
    for (let round = 1; round <= rounds; round++) {
      step(`start ${round}/${rounds}`);
      const begun = performance.now();
      await pulsekeep.startAnew();
      await pulsekeep.ask('/readyz');
      times.push(performance.now() - begun);
    }
    step('idle');
    await pause(idleMs * scale);
    return [
      figureOf({ name: 'start to ready', unit: 'ms', values: times }),
      figureOf({ name: 'memory, idle', unit: 'MiB', values: [pulsekeep.memory()] }),
    ];
  });
}
