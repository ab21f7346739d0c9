import type { RoomDeclarations } from '../../storage/declarations/declarations.js';
import { byAccount } from '../../storage/declarations/personal-data.js';
import type { ObservationKind } from './record.entity.js';

/** A condition: no observation is left of the message or pull task `ref`, a column or number. */
export function withoutObservations(kind: ObservationKind, ref: string): string {
  return `NOT EXISTS (SELECT 1 FROM observations o WHERE o.kind = '${kind}' AND o.ref = ${ref})`;
}

export const healthDataDeclarations: RoomDeclarations = {
  kept: { provider_deliveries: 'when data of each provider last came; nobody is named' },
  personal: [
    {
      table: 'samples',
      key: ['series_id', 'time', 'sibling'],
      paths: [{ column: 'series_id', through: { table: 'series', key: 'id' } }],
      exported: 'as records, with their series and attributes',
    },
    {
      table: 'sample_groups',
      key: ['id'],
      paths: [{ column: 'observation_id', through: { table: 'observations', key: 'id' } }],
      exported: 'with every record of theirs',
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
