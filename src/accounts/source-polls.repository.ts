import { Injectable } from '@nestjs/common';
import { placeholders } from '../database/dialect.js';
import type { BulkShape, Tx } from '../database/tx.js';
import { LeasedRows } from '../work/leased-rows.js';
import type { SourcePollEntity } from './source-poll.entity.js';

const asking: BulkShape = {
  table: 'source_polls',
  columns: [
    { name: 'account_id', type: 'int' },
    { name: 'due_at', type: 'int' },
    { name: 'attempts', type: 'int' },
  ],
  conflict: ['account_id'],
  update: ['due_at'],
  when: 'source_polls.due_at IS NULL OR source_polls.due_at > excluded.due_at',
};

/** A look at the sources of an account, by its internal number, at `dueAt` or before. */
export interface WantedPoll {
  readonly account: number;
  readonly dueAt: number;
}

/** The source_polls table; what its states mean is told in source-polls.service.ts. */
@Injectable()
export class SourcePollsRepository {
  readonly rows = new LeasedRows<SourcePollEntity>({ table: 'source_polls', key: ['account_id'], leaseMs: 300_000 });

  async request(tx: Tx, accountRef: number, dueAt: number): Promise<void> {
    await this.requestAll(tx, [{ account: accountRef, dueAt }]);
  }

  async requestAll(tx: Tx, looks: readonly WantedPoll[]): Promise<void> {
    await tx.bulk(
      asking,
      looks.flatMap(({ account, dueAt }) => [account, dueAt, 0]),
    );
  }

  /** The lease's end becomes the due time, so that a request made meanwhile is the earlier one. */
  async claim(tx: Tx, now: number, limit: number): Promise<SourcePollEntity[]> {
    const polls = await this.rows.claim(tx, { now, limit });
    if (polls.length > 0) {
      const refs = polls.map(({ account_id }) => account_id);
      await tx.execute(
        `UPDATE source_polls SET due_at = lease_until WHERE account_id IN (${placeholders(refs.length)})`,
        refs,
      );
    }
    return polls;
  }

  async complete(tx: Tx, held: SourcePollEntity, done: { now: number; nextDueAt: number | null }): Promise<void> {
    const [row] = await tx.rows<Pick<SourcePollEntity, 'due_at'>>(
      `SELECT due_at FROM source_polls WHERE account_id = ? ${tx.forShare}`,
      [held.account_id],
    );
    const asked = row?.due_at ?? null;
    const sooner = asked !== null && held.lease_until !== null && asked < held.lease_until;
    await this.rows.complete(tx, held, sooner ? asked : done.nextDueAt, { checked_at: done.now });
  }
}
