import type { TimeRange } from '../../platform/platform/time.js';
import type { Tx } from '../../storage/database/tx.js';
import type { Resource } from '../catalogue/catalogue.js';

/**
 * A pull that read a complete window in one turn; see complete-looks.service.ts in ingest/pulls. Times in epoch
 * milliseconds.
 */
export interface CompleteLook extends TimeRange {
  readonly account: number;
  /** '' for a pull over every source, which proves nothing and only triggers looks at single sources. */
  readonly provider: string;
  readonly resource: Resource;
  /** `sync_tasks.id`. */
  readonly task: number;
  readonly startedAt: number;
  /** The lowest observation id that this look can have. */
  readonly startMark: number;
  /** Records last seen before this observation belong to an earlier connection and are not judged. */
  readonly seenAfter: number;
  /** Number of records that it showed. */
  readonly shown: number;
  readonly summaryIds: ReadonlySet<string>;
  /** False if the source of the record is not connected, or if the record was last seen before it was connected. */
  judges(record: { readonly provider: string; readonly observation: number }): boolean;
  /** True if the source and its account are unchanged since the look began. */
  isSteady(tx: Tx): Promise<boolean>;
}
