import { parentPort, workerData } from 'node:worker_threads';
import type { Records } from '../../health/catalogue/records.js';
import type { ReadEnvelope } from './event.js';
import { readBody } from './read-body.js';

/* The thread of long-body.ts: reads one body, then sends its records in slices, on request. */

/** The first message that the thread sends. */
export interface BodySummary {
  readonly read: ReadEnvelope;
  readonly slices: number | null;
  readonly received: number;
  readonly rejected: number;
  readonly unusable: string | null;
}

/** A slice of records, without the resource, which the event type determines. */
export type RecordSlice = Omit<Records, 'resource'>;

const bytes = workerData as Uint8Array;
const { read, records, unusable } = readBody(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength));
const { received, rejected } = records?.at(-1) ?? { received: 0, rejected: 0 };
parentPort?.postMessage({ read, slices: records?.length ?? null, received, rejected, unusable } satisfies BodySummary);

parentPort?.on('message', (index: number) => {
  const { resource: _, ...slice } = records?.[index] as Records;
  parentPort?.postMessage(slice satisfies RecordSlice);
});
