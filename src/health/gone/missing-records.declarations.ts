import type { RoomDeclarations } from '../../storage/declarations/declarations.js';
import { byAccount, personalRows } from '../../storage/declarations/personal-data.js';
import { subjectOf, type TimelineSource, word } from '../../storage/declarations/timeline.js';
import { HeldDeletionEntity, type HiddenState, MissingRecordEntity } from '../records/missing-record.entity.js';
import { RejectedRecordEntity } from '../records/rejected-record.entity.js';

type HiddenRow = {
  readonly resource: string;
  readonly provider: string;
  readonly state: HiddenState;
  readonly confirmed_by: number;
  readonly missed_by: number;
  readonly records: number;
};

const hiddenTitles: Readonly<Record<HiddenState, string>> = {
  gone: 'hidden because two complete pulls no longer returned them',
  superseded: 'hidden because a complete pull returned overlapping ones instead',
};

/** SQL condition: the same look hid records `o` and `h` for the same reason. */
const together =
  'o.account_id = h.account_id AND o.gone_at = h.gone_at AND o.confirmed_by = h.confirmed_by AND o.state = h.state';

const hiddenRecords: TimelineSource<HiddenRow> = {
  kind: 'records_gone',
  from: 'missing_records h',
  // One entry for all records hidden together: that of the first.
  where: `h.gone_at IS NOT NULL AND NOT EXISTS (SELECT 1 FROM missing_records o WHERE ${together}
    AND (o.time, o.series_id, o.summary_id) < (h.time, h.series_id, h.summary_id))`,
  account: 'h.account_id',
  at: 'h.gone_at',
  keys: [
    { column: 'h.confirmed_by', type: 'int' },
    { column: 'h.state', type: 'text' },
  ],
  columns: [
    ...['h.resource', 'h.provider', 'h.state', 'h.confirmed_by', 'h.missed_by'],
    `(SELECT COUNT(*) FROM missing_records o WHERE ${together}) AS records`,
  ],
  show: ({ resource, provider, state, confirmed_by, missed_by, records }) => ({
    title: `${subjectOf(provider, resource)}: ${records} ${records === 1 ? 'record' : 'records'} ${hiddenTitles[state]}.`,
    ref: { type: 'sync_task', id: String(confirmed_by) },
    details: {
      resource: word(resource),
      provider: word(provider),
      reason: state,
      records,
      first_missed_by: String(missed_by),
    },
  }),
};

export const missingRecordsDeclarations: RoomDeclarations = {
  entities: [MissingRecordEntity, HeldDeletionEntity, RejectedRecordEntity],
  // Deletes the content but not the row, so that a replayed message does not bring the record back.
  ended: [
    {
      table: 'missing_records',
      key: 'gone_at',
      madeAt: 'gone_at',
      ended: 'r.gone_at < :before AND r.records IS NOT NULL',
      emptied: 'records',
    },
  ],
  personal: [
    personalRows(MissingRecordEntity, byAccount, {
      as: 'missing_record',
      json: ['records'],
      without: ['series_id', 'seen_by', 'look_due_at', 'looks', 'hold_id'],
    }),
    personalRows(HeldDeletionEntity, byAccount, { as: 'held_deletion' }),
    personalRows(RejectedRecordEntity, byAccount, { as: 'rejected_record', without: ['digest'] }),
  ],
  timeline: [hiddenRecords],
  figures: {
    deletions_held: `SELECT COUNT(*) FROM held_deletions WHERE state = 'open'`,
    deletions_held_since: `SELECT MIN(created_at) FROM held_deletions WHERE state = 'open'`,
  },
  gauges: [{ name: 'deletions_held', help: 'Held deletions that wait for an operator', figure: 'deletions_held' }],
  // As text, because what a path names may be no number, and PostgreSQL would refuse it.
  auditNumbers: { deletion: 'SELECT account_id AS account FROM held_deletions WHERE id = ?' },
};
