import { Injectable } from '@nestjs/common';
import type { Tx } from '../database/tx.js';
import { LeasedRows, type Restriction } from './leased-rows.js';
import { WalkEntity, type WalkName } from './walk.entity.js';

export type Walk = Readonly<WalkEntity>;
export type WalkEnd = Partial<Pick<Walk, 'error_code' | 'high_water_mark' | 'unreadable'>>;

/** Columns of a row between two walks. */
const between = { started_at: null, pages: 0, next_cursor: null, window_start: null } as const;

/** Walks over upstream's lists: one table, in which each worker claims the row of its list. */
@Injectable()
export class Walks {
  readonly rows = new LeasedRows(WalkEntity);

  /** The restriction for the worker of a list. */
  only(name: WalkName): Restriction {
    return { where: 'name = ?', values: [name] };
  }

  /** Ends a walk until `dueAt`, after its last page or with an `error_code`. Throws `LeaseLost`. */
  finish(tx: Tx, held: Walk, dueAt: number, end: WalkEnd = {}): Promise<Walk> {
    return this.rows.complete(tx, held, dueAt, { ...between, ...end });
  }

  /**
   * Requests a walk over everything updated since `from`, soon. Keeps a walk in progress that begins earlier; ends one
   * that begins later, whose holder loses the lease.
   */
  async rewind(tx: Tx, name: WalkName, { from, now }: { from: number; now: number }): Promise<void> {
    await tx.execute(
      `UPDATE walks SET high_water_mark = ?, started_at = NULL, window_start = NULL, pages = 0,
         lease_owner = NULL, lease_until = NULL
       WHERE name = ? AND high_water_mark > ? AND (started_at IS NULL OR window_start > ?)`,
      [from, name, from, from],
    );
    await tx.execute('UPDATE walks SET due_at = ? WHERE name = ? AND due_at > ?', [now, name, now]);
  }
}
