import { Injectable } from '@nestjs/common';
import { AccountsService } from '../accounts/accounts.service.js';
import { type Batcher, WriteLane } from '../database/write-lane.js';
import { Clock } from '../platform/clock.js';
import { AppError } from '../platform/errors.js';
import { decodeCursor } from '../platform/http/cursor.js';
import { type Page, pageOf } from '../platform/http/page.js';
import { AccessLogEvents } from './access-log.events.js';
import { type AccessFilter, AccessLogRepository, type AccessRow } from './access-log.repository.js';
import type { Entry } from './chain/chain.js';

/** What is to be recorded; when is the log's own to say. */
export type Access = Omit<Entry, 'at'>;

export interface AccessQuery extends Omit<AccessFilter, 'account'> {
  /** The customer's id. */
  readonly accountId?: string | undefined;
  readonly cursor?: string | undefined;
  readonly limit: number;
}

/**
 * Who did or read what about whom: append-only, each entry chained to the one before by its hash
 * (docs/decisions/0009-access-log.md).
 */
@Injectable()
export class AccessLog {
  private readonly waiting: Batcher<Entry, void>;

  constructor(
    lane: WriteLane,
    private readonly entries: AccessLogRepository,
    private readonly accounts: AccountsService,
    private readonly clock: Clock,
    private readonly events: AccessLogEvents,
  ) {
    this.waiting = lane.batcher(async (tx, batch) => {
      await entries.append(tx, batch);
      return batch.map(() => undefined);
    }, 'first');
  }

  /** Resolves once the entry is durable; those that wait together share a commit. Throws `storage_unavailable`. */
  async record(access: Access): Promise<void> {
    const entry = { ...access, at: this.clock.now() };
    try {
      await this.waiting.add(entry);
    } catch (cause) {
      this.events.notStored(cause);
      throw new AppError('storage_unavailable', 'The access cannot be recorded now.', { cause });
    }
    this.events.stored(entry);
  }

  /** Newest first. */
  async list({ accountId, cursor, limit, ...filter }: AccessQuery): Promise<Page<AccessRow>> {
    const [before] = cursor === undefined ? [null] : decodeCursor(cursor, ['number']);
    const account = accountId === undefined ? undefined : await this.accounts.find(accountId);
    if (account === null) return { data: [], next_cursor: null };
    const rows = await this.entries.page({ ...filter, account: account?.id }, before, limit + 1);
    return pageOf(rows, limit, ({ seq }) => [seq]);
  }
}
