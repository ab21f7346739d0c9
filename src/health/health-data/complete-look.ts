import type { TimeRange } from '../../platform/platform/time.js';
import type { Tx } from '../../storage/database/tx.js';
import type { Resource } from '../catalogue/catalogue.js';

/**
 * A pull that read a window completely and in one go; see complete-looks.service.ts in ingest/pulls. Times in epoch
 * milliseconds.
 */
export interface CompleteLook extends TimeRange {
  readonly account: number;
  /** '' for a pull over every source, which proves nothing and only asks for looks. */
  readonly provider: string;
  readonly resource: Resource;
  /** `sync_tasks.id`. */
  readonly task: number;
  readonly startedAt: number;
  /** The lowest observation that can be of this look. */
  readonly startMark: number;
  /** Records that were seen last before this observation are of a connection that has ended, and are not judged. */
  readonly seenAfter: number;
  /** Number of records it showed, and the ids of its summaries. */
  readonly shown: number;
  readonly summaryIds: ReadonlySet<string>;
  /** False for a record of a source that is not connected, or that was last seen before it was. */
  judges(record: { readonly provider: string; readonly observation: number }): boolean;
  /** True while the source is as it was when the look began. */
  isSteady(tx: Tx): Promise<boolean>;
}
