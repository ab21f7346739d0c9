import { setFlagsFromString } from 'node:v8';

/** V8 since Node 24 has it. */
const knowsMemorySaver = Number(process.versions.node.split('.')[0]) >= 24;

/**
 * Has the garbage collector run when a heap is twice what it kept, in every thread. By itself it waits for up to four
 * times that: a backfill held 120 MB more. And from Node 24 on it takes a server to be in use for ever, and gives what
 * a busy time has used back only after it was idle for 100 s; in its mode for saving memory it does as before
 * (docs/decisions/0026-start-and-memory.md). V8 reads both flags at each collection, so that they may be set while the
 * program runs.
 */
export function keepHeapsSmall(): void {
  setFlagsFromString('--heap-growing-percent=100');
  if (knowsMemorySaver) setFlagsFromString('--memory-saver-mode');
}
