import type { RoomDeclarations } from '../declarations/declarations.js';
import { byAccount, leaseColumns } from '../declarations/personal-data.js';
import { timelineSource } from '../declarations/timeline.js';

interface AccountRow {
  readonly account_id: string;
  readonly status: string;
}

const accountKey = [{ column: 'a.id', type: 'int' }] as const;

export const accountsDeclarations: RoomDeclarations = {
  personal: [
    {
      table: 'source_polls',
      key: ['account_id'],
      paths: byAccount,
      exported: { as: 'source_check', without: leaseColumns },
    },
    { table: 'accounts', key: ['id'], paths: [{ column: 'id' }], exported: { as: 'account', without: ['id'] } },
  ],
  timeline: [
    timelineSource<AccountRow>({
      kind: 'account_created',
      from: 'accounts a',
      account: 'a.id',
      at: 'a.created_at',
      keys: accountKey,
      columns: ['a.account_id', 'a.status'],
      show: ({ account_id, status }) => ({
        title: 'The account was made.',
        ref: { type: 'account', id: account_id },
        details: { status_now: status },
      }),
    }),
    timelineSource<AccountRow>({
      kind: 'account_linked',
      from: 'accounts a',
      account: 'a.id',
      at: 'a.linked_at',
      keys: accountKey,
      where: 'a.linked_at IS NOT NULL',
      columns: ['a.account_id'],
      show: ({ account_id }) => ({
        title: 'The account got its upstream user.',
        ref: { type: 'account', id: account_id },
        details: {},
      }),
    }),
  ],
  groups: { accounts: 'SELECT status, COUNT(*) AS count FROM accounts GROUP BY status ORDER BY status' },
  gauges: [{ name: 'accounts', help: 'Accounts by status', group: 'accounts', labels: ['status'] }],
};
