import { Injectable } from '@nestjs/common';
import { newLogRef } from '../../platform/platform/ids.js';
import { shapeOf } from '../../storage/database/columns.js';
import { placeholders, type SqlValue } from '../../storage/database/dialect.js';
import { Reader } from '../../storage/database/reader.js';
import type { BulkShape, Tx } from '../../storage/database/tx.js';
import { SchemaService } from '../../storage/schema/schema.service.js';
import type { WireUser } from '../../upstream/client/wire-users.js';
import { AccountEntity, keptColumns, keptValues } from './account.entity.js';
import { noteAccounts } from './account-changes.js';
import { SourcePolls } from './source-polls.repository.js';
import { keptOf } from './upstream-users.js';

const mapping = ['account_id', 'upstream_user_id', 'status', 'updated_at', 'linked_at'] as const;

/** Maps a user to a new account, or to a pending one. */
const adopting: BulkShape = {
  ...shapeOf(AccountEntity, [...mapping, 'created_at', 'log_ref', ...keptColumns]),
  conflict: ['account_id'],
  update: [...mapping.slice(1), ...keptColumns],
  when: `accounts.upstream_user_id IS NULL AND accounts.status = 'pending'`,
  returning: ['id', 'upstream_user_id', 'log_ref'],
};

interface Adopted {
  readonly id: number;
  readonly upstream_user_id: string;
  readonly log_ref: string | null;
}

const idsOf = (rows: readonly Adopted[]): number[] => rows.map(({ id }) => id);

/** Reads and writes many accounts with one statement. */
@Injectable()
export class AccountBatchesRepository {
  constructor(
    private readonly reader: Reader,
    private readonly polls: SourcePolls,
    private readonly schema: SchemaService,
  ) {}

  /** Accounts with one of these upstream users or one of these customer's ids. */
  async listByEither(tx: Tx, userIds: readonly string[], externalIds: readonly string[]): Promise<AccountEntity[]> {
    const among = async (column: string, ids: readonly string[]): Promise<AccountEntity[]> =>
      ids.length === 0 ? [] : tx.rows(`SELECT * FROM accounts WHERE ${column} IN (${placeholders(ids.length)})`, ids);
    return [...(await among('upstream_user_id', userIds)), ...(await among('account_id', externalIds))];
  }

  /**
   * Maps users to the accounts named by their ids, creates missing accounts, and requests a poll of the sources of
   * those that it mapped. Binds the database to the users' team. Returns the mapped users.
   */
  async adopt(tx: Tx, users: readonly WireUser[], now: number): Promise<Set<string>> {
    if (users.length === 0) return new Set();
    const team = users.find(({ team_id }) => team_id !== null)?.team_id;
    if (team) await this.schema.bindTeam(tx, team);
    const newRefs = new Set<string>();
    const values = users.flatMap((user): SqlValue[] => {
      const mapped = [user.client_user_id, user.user_id.toLowerCase(), 'active', now, now];
      const logRef = newLogRef();
      newRefs.add(logRef);
      return [...mapped, now, logRef, ...keptValues(keptOf(user))];
    });
    const written = await tx.bulkRows<Adopted>(adopting, values);
    written.sort((a, b) => a.id - b.id);
    // A pending account keeps the reference that it was created with.
    const isNew = ({ log_ref }: Adopted): boolean => log_ref !== null && newRefs.has(log_ref);
    await noteAccounts(tx, idsOf(written.filter(isNew)), 'created', now);
    await noteAccounts(tx, idsOf(written.filter((row) => !isNew(row))), 'changed', now);
    await this.polls.requestAll(
      tx,
      written.map(({ id }) => ({ account: id, dueAt: now })),
    );
    return new Set(written.map((row) => row.upstream_user_id));
  }

  /** Accounts after `afterId`, in order of creation. */
  listAfter(afterId: number, limit: number): Promise<AccountEntity[]> {
    return this.reader.rows('SELECT * FROM accounts WHERE id > ? ORDER BY id LIMIT ?', [afterId, limit]);
  }

  /** The highest `accounts.id`; 0 without accounts. */
  async newestId(): Promise<number> {
    return (await this.reader.row<{ id: number | null }>('SELECT MAX(id) AS id FROM accounts'))?.id ?? 0;
  }
}
