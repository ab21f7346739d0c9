import { once } from 'node:events';
import type { Worker } from 'node:worker_threads';
import type { Resource } from '../../health/catalogue/catalogue.js';
import type { Records } from '../../health/catalogue/records.js';
import { WireShapeError } from '../../platform/platform/json-reader.js';
import { startThread } from '../../platform/platform/start-thread.js';
import type { LongRecords, OpenBody, ReadEnvelope } from './event.js';
import type { BodySummary, RecordSlice } from './long-body.thread.js';

/** Memory limits for reading one body. Even the longest accepted body needs far less, unless it is malicious. */
const limits = { maxOldGenerationSizeMb: 384, maxYoungGenerationSizeMb: 32 };

/**
 * A long body, read in its own thread so that requests and other messages do not wait for it. `close` ends the thread
 * and frees its memory. Records arrive in slices, because receiving them is work for the main thread.
 */
export class LongBody implements OpenBody {
  private constructor(
    private readonly thread: Worker,
    private readonly summary: BodySummary,
  ) {}

  /** Rejects if the thread fails. A body that needs too much memory is `unusable`. */
  static async open(body: Buffer): Promise<LongBody> {
    const bytes = new Uint8Array(body);
    const options = { workerData: bytes, transferList: [bytes.buffer], resourceLimits: limits };
    const thread = startThread(new URL('./long-body.thread.js', import.meta.url), options);
    try {
      const [summary] = (await once(thread, 'message')) as [BodySummary];
      return new LongBody(thread, summary);
    } catch (error) {
      await thread.terminate();
      if (!isOutOfMemory(error)) throw error;
      const read = { kind: 'unusable', reason: 'needs_too_much_memory' } as const;
      return new LongBody(thread, { read, slices: null, received: 0, rejected: 0, unusable: null });
    }
  }

  get read(): ReadEnvelope {
    return this.summary.read;
  }

  /** The records of the event in slices, and their total counts. Throws `WireShapeError`, before the first slice. */
  readonly records = (resource: Resource): LongRecords => {
    const { slices, received, rejected, unusable } = this.summary;
    if (slices === null) throw new WireShapeError(unusable ?? 'data');
    return { slices: this.slicesOf(resource, slices), received, rejected };
  };

  async close(): Promise<void> {
    await this.thread.terminate();
  }

  private async *slicesOf(resource: Resource, slices: number): AsyncGenerator<Records> {
    for (let index = 0; index < slices; index++) {
      const answer = once(this.thread, 'message');
      this.thread.postMessage(index);
      const [slice] = (await answer) as [RecordSlice];
      yield { resource, ...slice };
    }
  }
}

function isOutOfMemory(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ERR_WORKER_OUT_OF_MEMORY';
}
