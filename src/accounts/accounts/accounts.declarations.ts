import { filledUp, placeholders } from '../../storage/database/dialect.js';
import type { AccountNames } from '../../storage/declarations/change-source.js';
import type { RoomDeclarations } from '../../storage/declarations/declarations.js';
import { byAccount, leaseColumns, personalRows } from '../../storage/declarations/personal-data.js';
import { rowChanges } from '../../storage/declarations/row-changes.reader.js';
import { timelineSource } from '../../storage/declarations/timeline.js';
import { accountRef, column, type View } from '../../storage/declarations/views.js';
import { waitingByError } from '../../storage/work/leased-rows.js';
import { AccountEntity, FormerTimeZoneEntity, FormerUserEntity, SourcePollEntity } from './account.entity.js';

const accountKey = [{ column: 'a.id', type: 'int' }] as const;

/** An account that is being erased has no name, so that consumers of changes receive none of its data from then on. */
const accountNames: AccountNames = {
  async namesOf(queryable, accounts) {
    if (accounts.length === 0) return new Map();
    const ids = filledUp(accounts);
    const sql = `SELECT id, account_id FROM accounts WHERE id IN (${placeholders(ids.length)}) AND status <> 'erasing'`;
    const rows = await queryable.few<{ id: number; account_id: string }>(sql, ids);
    return new Map(rows.map(({ id, account_id }) => [id, account_id]));
  },
  async accountOf(queryable, name) {
    const sql = `SELECT id FROM accounts WHERE account_id = ? AND status <> 'erasing'`;
    const [row] = await queryable.few<{ id: number }>(sql, [name]);
    return row?.id ?? null;
  },
};

const accountsView: View = {
  name: 'accounts',
  namesPeople: true,
  about: 'An account: the only view with the ids of the customer.',
  columns: [
    accountRef('a.id'),
    column('account_id', 'text', 'a.account_id', 'The id that the customer gave the person.'),
    column('status', 'text', 'a.status', '`pending`, `active` or `blocked`.'),
    column('created_at', 'time', 'a.created_at', 'When it was created here.'),
  ],
  from: () => 'FROM accounts a',
  where: `a.status <> 'erasing'`,
  order: 'a.id',
};

export const accountsDeclarations: RoomDeclarations = {
  views: [accountsView],
  accountNames,
  changes: [
    // The state omits `account_id`, as in an export: every change has the customer's id anyway.
    rowChanges({ kind: 'account', entity: AccountEntity, account: 'id', without: ['id', 'log_ref'] }),
  ],
  entities: [AccountEntity, FormerTimeZoneEntity, FormerUserEntity, SourcePollEntity],
  personal: [
    personalRows(SourcePollEntity, byAccount, { as: 'source_check', without: leaseColumns }),
    personalRows(FormerTimeZoneEntity, byAccount, { as: 'former_time_zone' }),
    personalRows(FormerUserEntity, byAccount, { as: 'former_upstream_user' }),
    personalRows(AccountEntity, [{ column: 'id' }], { as: 'account', without: ['id', 'log_ref'] }),
  ],
  timeline: [
    timelineSource(AccountEntity, {
      kind: 'account_created',
      from: 'accounts a',
      account: 'a.id',
      at: 'a.created_at',
      keys: accountKey,
      columns: ['a.account_id', 'a.status'],
      show: ({ account_id, status }) => ({
        title: 'The account was created.',
        ref: { type: 'account', id: account_id },
        details: { status_now: status },
      }),
    }),
    timelineSource(AccountEntity, {
      kind: 'account_linked',
      from: 'accounts a',
      account: 'a.id',
      at: 'a.linked_at',
      keys: accountKey,
      where: 'a.linked_at IS NOT NULL',
      columns: ['a.account_id'],
      show: ({ account_id }) => ({
        title: 'The account was linked to an upstream user.',
        ref: { type: 'account', id: account_id },
        details: {},
      }),
    }),
    timelineSource(FormerUserEntity, {
      kind: 'user_replaced',
      from: 'former_upstream_users f',
      account: 'f.account_id',
      at: 'f.replaced_at',
      keys: [{ column: 'f.user_id', type: 'text' }],
      columns: ['f.user_id'],
      show: ({ user_id }) => ({
        title: 'The account was relinked to a new upstream user.',
        ref: { type: 'upstream_user', id: user_id },
        details: {},
      }),
    }),
  ],
  waiting: {
    source_poll: waitingByError('source_polls'),
  },
  groups: {
    // Reads two indexes and no row.
    accounts: `SELECT shown AS status, CAST(SUM(count) AS bigint) AS count FROM (
        SELECT status AS shown, COUNT(*) AS count FROM accounts GROUP BY status
        UNION ALL SELECT 'active', -COUNT(*) FROM accounts WHERE status = 'active' AND user_gone_at IS NOT NULL
        UNION ALL SELECT 'user_gone', COUNT(*) FROM accounts WHERE status = 'active' AND user_gone_at IS NOT NULL
      ) counted GROUP BY shown HAVING SUM(count) > 0 ORDER BY shown`,
  },
  gauges: [{ name: 'accounts', help: 'Accounts by status', group: 'accounts', labels: ['status'] }],
};
