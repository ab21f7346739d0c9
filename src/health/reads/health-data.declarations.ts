import type { RoomDeclarations } from '../../storage/declarations/declarations.js';
import type { EndedRows } from '../../storage/declarations/ended-rows.js';
import { byAccount, personalRows } from '../../storage/declarations/personal-data.js';
import type { ObservationKind } from '../catalogue/records.js';
import { PER_MILLISECOND } from '../records/observation-ids.js';
import {
  ObservationEntity,
  ProviderDeliveryEntity,
  SampleAttributesEntity,
  SampleEntity,
  SampleGroupEntity,
  SampleHourEntity,
  SeriesEntity,
  SummaryEntity,
} from '../records/record.entity.js';
import { sampleChanges, summaryChanges } from './record-changes.reader.js';
import { recordViews } from './record-views.declarations.js';

/** SQL condition: the message or pull task `ref`, a column or number, has no observations left. */
export function withoutObservations(kind: ObservationKind, ref: string): string {
  return `NOT EXISTS (SELECT 1 FROM observations o WHERE o.kind = '${kind}' AND o.ref = ${ref})`;
}

/**
 * Observations of messages or pull tasks that no record references any more. `account`: an SQL expression for their
 * account. `isOver`: an SQL condition that is true once they cannot be observed again.
 */
export function unusedObservations(kind: ObservationKind, account: string, isOver: string): EndedRows {
  return {
    table: 'observations',
    key: 'id',
    madeAt: `id / ${PER_MILLISECOND}`,
    ended: `r.kind = '${kind}' AND ${isOver}
      AND NOT EXISTS (SELECT 1 FROM summaries s WHERE s.observation_id = r.id)
      AND NOT EXISTS (SELECT 1 FROM sample_groups g CROSS JOIN series s CROSS JOIN samples p
        WHERE g.observation_id = r.id AND s.account_id = ${account} AND p.series_id = s.id
          AND p.time >= r.first_time AND p.time <= r.last_time AND p.group_id = g.id)`,
  };
}

export const healthDataDeclarations: RoomDeclarations = {
  views: recordViews,
  changes: [sampleChanges, summaryChanges],
  entities: [
    ObservationEntity,
    ProviderDeliveryEntity,
    SeriesEntity,
    SampleAttributesEntity,
    SampleEntity,
    SampleGroupEntity,
    SampleHourEntity,
    SummaryEntity,
  ],
  kept: { provider_deliveries: 'when data of each provider last arrived; no personal data' },
  personal: [
    personalRows(
      SampleEntity,
      [{ column: 'series_id', through: { table: 'series', key: 'id' } }],
      'as records, with their series and attributes',
    ),
    personalRows(
      SampleHourEntity,
      [{ column: 'series_id', through: { table: 'series', key: 'id' } }],
      'as hours of samples, with their series and attributes',
    ),
    personalRows(
      SampleGroupEntity,
      [{ column: 'observation_id', through: { table: 'observations', key: 'id' } }],
      'with each of their records',
    ),
    personalRows(SeriesEntity, byAccount, 'with each of their records'),
    personalRows(
      SampleAttributesEntity,
      // As its index says it: SQLite does not use one whose condition it cannot see.
      [{ column: 'account_id', where: 'account_id <> 0' }],
      'with each record that has them',
    ),
    personalRows(SummaryEntity, byAccount, 'as records'),
    personalRows(
      ObservationEntity,
      [
        { column: 'ref', through: { table: 'messages', key: 'seq' }, where: `kind = 'message'` },
        { column: 'ref', through: { table: 'sync_tasks', key: 'id' }, where: `kind = 'sync'` },
      ],
      'as the provenance of records',
    ),
  ],
};
