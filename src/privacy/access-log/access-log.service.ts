import { Injectable } from '@nestjs/common';
import { AccountsService } from '../../accounts/accounts/accounts.service.js';
import { AdminConfig } from '../../platform/config/config.js';
import { reservedNames } from '../../platform/config/parsers.js';
import { Clock } from '../../platform/platform/clock.js';
import { AppError, invalidFields, orNotFound } from '../../platform/platform/errors.js';
import { newId } from '../../platform/platform/ids.js';
import { decodeCursor, type Page, pageOf } from '../../platform/platform/paging.js';
import { HOUR_MS } from '../../platform/platform/time.js';
import type { Tx } from '../../storage/database/tx.js';
import { type Batcher, WriteLane } from '../../storage/database/write-lane.js';
import { type AccessFilter, AccessLogRepository, type AccessRow } from './access-log.repository.js';
import { AccessLogTelemetry } from './access-log.telemetry.js';
import { type Entry, marked, noHash, type PendingEntry, type Writer } from './chain.js';
import { ChainWorker } from './chain.worker.js';

/** An access to record; the log adds the time. */
export type Access = Omit<Entry, 'at'>;

/** The last entry of a writer. */
type LastEntry = Writer & Pick<PendingEntry, 'at'>;

/** A writer without an entry for this long is not used again, so that its last mark can be deleted. */
export const writerMs = HOUR_MS;

/** A filter from a caller: an account is given by its id, or by its number if it is erased. */
interface AccessQuestion extends AccessFilter {
  readonly account_id?: string | undefined;
}

/**
 * The append-only access log: each entry contains the hash of the previous one (docs/decisions/0009-access-log.md).
 */
@Injectable()
export class AccessLog {
  /** Method and path template of every route of this service. */
  readonly actions = new Set<string>();
  private readonly waiting: Batcher<Entry, void>;
  /**
   * The writers without an open transaction. After a failure, which may have been committed, a writer never returns.
   */
  private readonly free: LastEntry[] = [];

  constructor(
    lane: WriteLane,
    private readonly entries: AccessLogRepository,
    private readonly accounts: AccountsService,
    private readonly admin: AdminConfig,
    private readonly clock: Clock,
    private readonly telemetry: AccessLogTelemetry,
    private readonly chain: ChainWorker,
  ) {
    const write = async (tx: Tx, batch: readonly Entry[]): Promise<void[]> => {
      const entries = marked(batch, this.writer());
      await this.entries.insert(tx, entries);
      tx.afterCommit(() => {
        this.free.push(...entries.slice(-1));
        this.chain.recorded();
      });
      return batch.map(() => undefined);
    };
    this.waiting = lane.batcher(write, { priority: 'first', calls: 'one' });
  }

  /** Resolves once the access is durable; concurrent accesses share a commit. Throws `storage_unavailable`. */
  async record(access: Access): Promise<void> {
    const entry: Entry = { ...access, at: this.clock.now() };
    try {
      await this.waiting.add(entry);
    } catch (cause) {
      this.telemetry.notStored(cause);
      throw new AppError('storage_unavailable', 'The access cannot be recorded now.', { cause });
    }
    this.telemetry.stored(entry);
  }

  /**
   * Checks and converts a filter, and chains what was recorded before, because only chained entries are listed. An
   * empty result must mean that there was no access, so unknown names are refused: throws `not_found` for an unknown
   * account, and `invalid_request` for an unknown action or actor.
   */
  async filterOf(question: AccessQuestion): Promise<AccessFilter> {
    await this.chain.settle();
    const { account_id, ...filter } = question;
    const { account_ref, action, actor } = filter;
    if (account_id !== undefined && account_ref !== undefined)
      throw unknown('account_ref', 'cannot be combined with account_id');
    if (action !== undefined && !this.actions.has(action) && !(await this.entries.has({ action })))
      throw unknown('action', 'must be a method and route of this service');
    if (actor !== undefined && !this.isCaller(actor) && !(await this.entries.has({ actor })))
      throw unknown('actor', 'must be the name of an admin key that exists or has log entries');
    if (account_ref !== undefined && !(await this.entries.has({ account_ref })))
      throw new AppError('not_found', 'The access log has no entry about an account with this number.');
    return account_id === undefined ? filter : { ...filter, account_ref: await this.refOf(account_id) };
  }

  /** Newest first. */
  async list(filter: AccessFilter, cursor: string | undefined, limit: number): Promise<Page<AccessRow>> {
    const [before] = cursor === undefined ? [null] : decodeCursor(cursor, ['number']);
    const rows = await this.entries.page(filter, before, limit + 1);
    return pageOf(rows, limit, ({ seq }) => [seq]);
  }

  /** Time of the last entry of an actor; null if there is none. */
  lastOf(actor: string): Promise<number | null> {
    return this.entries.lastOf(actor);
  }

  private async refOf(accountId: string): Promise<number> {
    const sentence = 'No account has this id. Use account_ref for an erased account.';
    return orNotFound(await this.accounts.find(accountId), sentence).id;
  }

  private writer(): Writer {
    const last = this.free.pop();
    const isKnown = last !== undefined && this.clock.now() - last.at < writerMs;
    return isKnown ? last : { writer: newId(), mark: noHash };
  }

  private isCaller(actor: string): boolean {
    return reservedNames.includes(actor) || this.admin.keys.current.some(({ name }) => name === actor);
  }
}

function unknown(field: string, problem: string): AppError {
  return invalidFields({ field, message: `${field} ${problem}` });
}
