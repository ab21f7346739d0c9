import type { TimelineEntry, TimelineKind } from './timeline-entry.js';

/** A column that tells rows of one instant apart. */
export interface SourceKey {
  readonly column: string;
  readonly type: 'int' | 'text';
}

/**
 * Where entries of one kind are read from. Its rows are paged newest first by `at` and `keys`, all of an account through
 * an index; to show another kind, add a row to the table of sources.
 */
export interface TimelineSource<Row = Record<string, string | number | null>> {
  readonly kind: TimelineKind;
  /** Table with its alias, and joins. */
  readonly from: string;
  /** The column that holds `accounts.id`. */
  readonly account: string;
  /** Epoch milliseconds; as far as the table allows, a time that never changes, so that pages stay as they are. */
  readonly at: string;
  readonly keys: readonly [SourceKey] | readonly [SourceKey, SourceKey];
  readonly where?: string;
  /** What `show` needs. */
  readonly columns: readonly string[];
  /** What is said of a row; `details` is all that gets out. */
  show(row: Row): Pick<TimelineEntry, 'title' | 'ref' | 'details'>;
}

/** Lets a source name the shape of its rows. */
export function source<Row>(made: TimelineSource<Row>): TimelineSource {
  return made as TimelineSource;
}
