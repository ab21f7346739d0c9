import { Injectable } from '@nestjs/common';
import type { BulkShape, Tx } from '../database/tx.js';
import type { SourcePollEntity } from './source-poll.entity.js';

const asking: BulkShape = {
  table: 'source_checks',
  columns: [
    { name: 'account_id', type: 'int' },
    { name: 'due_at', type: 'int' },
    { name: 'attempts', type: 'int' },
  ],
  conflict: ['account_id'],
  update: ['due_at'],
  when: 'source_checks.due_at IS NULL OR source_checks.due_at > excluded.due_at',
};

/** A look at the sources of an account, by its internal number, at `dueAt` or before. */
export interface WantedPoll {
  readonly account: number;
  readonly dueAt: number;
}

/** The source_checks table; what its states mean is told in source-checks.service.ts. */
@Injectable()
export class SourcePollsRepository {
  async request(tx: Tx, accountRef: number, dueAt: number): Promise<void> {
    await this.requestAll(tx, [{ account: accountRef, dueAt }]);
  }

  async requestAll(tx: Tx, looks: readonly WantedPoll[]): Promise<void> {
    await tx.bulk(
      asking,
      looks.flatMap(({ account, dueAt }) => [account, dueAt, 0]),
    );
  }

  async claim(
    tx: Tx,
    { owner, now, leaseUntil, limit }: { owner: string; now: number; leaseUntil: number; limit: number },
  ): Promise<SourcePollEntity[]> {
    const due = await tx.rows<SourcePollEntity>(
      `SELECT * FROM source_checks WHERE due_at <= ? AND (lease_until IS NULL OR lease_until <= ?)
       ORDER BY due_at, account_id LIMIT ? ${tx.skipLocked}`,
      [now, now, limit],
    );
    for (const { account_id } of due) {
      await tx.execute('UPDATE source_checks SET lease_owner = ?, lease_until = ?, due_at = ? WHERE account_id = ?', [
        owner,
        leaseUntil,
        leaseUntil,
        account_id,
      ]);
    }
    return due.map((check) => ({ ...check, lease_owner: owner, lease_until: leaseUntil, due_at: leaseUntil }));
  }

  async complete(tx: Tx, accountRef: number, done: { now: number; nextDueAt: number | null }): Promise<void> {
    await tx.execute(
      `UPDATE source_checks SET due_at = CASE WHEN due_at < lease_until THEN due_at ELSE ? END,
         attempts = 0, lease_owner = NULL, lease_until = NULL, checked_at = ?, error_code = NULL
       WHERE account_id = ?`,
      [done.nextDueAt, done.now, accountRef],
    );
  }

  async defer(tx: Tx, accountRef: number, failure: { code: string; dueAt: number }): Promise<void> {
    await tx.execute(
      `UPDATE source_checks SET due_at = ?, attempts = attempts + 1, lease_owner = NULL, lease_until = NULL,
         error_code = ? WHERE account_id = ?`,
      [failure.dueAt, failure.code, accountRef],
    );
  }
}
