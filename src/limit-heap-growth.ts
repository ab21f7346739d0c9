import { setFlagsFromString } from 'node:v8';

/**
 * Has the garbage collector run when a heap is twice what it kept, in every thread. By itself it waits for up to four
 * times that: a backfill held 120 MB more (docs/decisions/0026-start-and-memory.md). V8 reads this flag at each
 * collection, so that it may be set while the program runs; every line of Node that is supported knows it.
 */
export function limitHeapGrowth(): void {
  setFlagsFromString('--heap-growing-percent=100');
}
