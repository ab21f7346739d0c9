import type { RoomDeclarations } from '../../storage/declarations/declarations.js';
import { byUser, leaseColumns, personalRows } from '../../storage/declarations/personal-data.js';
import { waitingByError } from '../../storage/work/leased-rows.js';
import { OwnerLookupEntity } from './owner-lookup.entity.js';

export const ownerLookupsDeclarations: RoomDeclarations = {
  entities: [OwnerLookupEntity],
  personal: [
    personalRows(
      OwnerLookupEntity,
      [
        ...byUser,
        { column: 'client_user_id', through: { table: 'accounts', key: 'account_id' } },
        { column: 'client_user_id', through: { table: 'accounts', key: 'pseudonym' } },
      ],
      { as: 'owner_lookup', without: ['id', 'awaited', ...leaseColumns] },
    ),
  ],
  figures: {
    owner_lookups_waiting: 'SELECT COUNT(*) FROM owner_lookups WHERE due_at IS NOT NULL',
    owner_lookups_refused: 'SELECT COUNT(*) FROM owner_lookups WHERE refused_until IS NOT NULL',
  },
  waiting: {
    owner_lookup: waitingByError('owner_lookups'),
  },
  gauges: [
    {
      name: 'owner_lookups',
      help: 'Event users without an account: waiting for a lookup, or refused by upstream recently',
      label: 'state',
      figures: { waiting: 'owner_lookups_waiting', refused: 'owner_lookups_refused' },
    },
  ],
};
