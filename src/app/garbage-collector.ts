import { setFlagsFromString } from 'node:v8';

/** That of Node 24 and later. */
const knowsMemorySaver = Number.parseInt(process.versions.v8, 10) >= 13;
const LOOK_MS = 1_000;
/** Share of a core that a quiet process uses at most. */
const QUIET = 0.2;
/** Seconds of quiet after which V8 is to save memory, and by which it has. */
const saving = { from: 10, to: 40 };

/**
 * Has the garbage collector run when a heap is twice what it kept, in every thread. By itself it waits for up to four
 * times that: a backfill held 120 MB more. And every object begins among the new ones: V8 would put those of a place
 * whose objects have lived long among the old ones at once, and so every sample of a backfill.
 *
 * From Node 24 on it also takes a server to be in use for ever, and gives what a start or a busy time has used back
 * only after 100 s without a collection; in its mode for saving memory it does so after 8 s, but a backfill would take
 * 40 % more processor time, so that the mode is on for half a minute after the process became quiet. V8 reads these
 * flags as it goes, so that they may be set while the program runs (docs/decisions/0031-given-up.md).
 */
export function tuneGarbageCollector(): void {
  setFlagsFromString('--heap-growing-percent=100');
  setFlagsFromString('--no-allocation-site-pretenuring');
  // What `npm start` gave is for the thread that serves HTTP; here it would go before what other threads are given.
  setFlagsFromString('--max-semi-space-size=0');
  if (knowsMemorySaver) saveMemoryWhenQuiet(setFlagsFromString);
}

/** Looks every second, for as long as something else keeps the process alive. */
export function saveMemoryWhenQuiet(setFlags: (flags: string) => void): void {
  let before = process.cpuUsage();
  let quietSeconds = 0;
  setInterval(() => {
    const { user, system } = process.cpuUsage(before);
    before = process.cpuUsage();
    const usedMs = (user + system) / 1_000;
    quietSeconds = usedMs < QUIET * LOOK_MS ? quietSeconds + 1 : 0;
    const saves = quietSeconds >= saving.from && quietSeconds < saving.to;
    setFlags(saves ? '--memory-saver-mode' : '--no-memory-saver-mode');
  }, LOOK_MS).unref();
}
