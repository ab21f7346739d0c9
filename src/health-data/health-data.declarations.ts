import type { RoomDeclarations } from '../declarations/declarations.js';
import { byAccount } from '../declarations/personal-data.js';

export const healthDataDeclarations: RoomDeclarations = {
  personal: [
    {
      table: 'samples',
      key: ['series_id', 'time', 'sibling'],
      paths: [{ column: 'series_id', through: { table: 'series', key: 'id' } }],
      exported: 'as records, with their series and attributes',
    },
    { table: 'series', key: ['id'], paths: byAccount, exported: 'with every record of theirs' },
    { table: 'sample_attributes', key: ['id'], paths: byAccount, exported: 'with every record that has them' },
    { table: 'summaries', key: ['account_id', 'resource', 'summary_id'], paths: byAccount, exported: 'as records' },
    {
      table: 'observations',
      key: ['id'],
      paths: [
        { column: 'ref', through: { table: 'messages', key: 'seq' }, where: `kind = 'message'` },
        { column: 'ref', through: { table: 'sync_tasks', key: 'id' }, where: `kind = 'sync'` },
      ],
      exported: 'as the provenance of records',
    },
  ],
};
