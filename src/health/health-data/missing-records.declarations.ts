import type { RoomDeclarations } from '../../storage/declarations/declarations.js';
import { byAccount } from '../../storage/declarations/personal-data.js';
import { HeldDeletionEntity, MissingRecordEntity } from './missing-record.entity.js';

export const missingRecordsDeclarations: RoomDeclarations = {
  entities: [MissingRecordEntity, HeldDeletionEntity],
  personal: [
    {
      table: 'missing_records',
      key: ['account_id', 'resource', 'time', 'series_id', 'summary_id'],
      paths: byAccount,
      exported: {
        as: 'missing_record',
        json: ['records'],
        without: ['series_id', 'seen_by', 'look_due_at', 'looks', 'hold_id'],
      },
    },
    { table: 'held_deletions', key: ['id'], paths: byAccount, exported: { as: 'held_deletion' } },
  ],
  figures: {
    deletions_held: `SELECT COUNT(*) FROM held_deletions WHERE state = 'open'`,
    deletions_held_since: `SELECT MIN(created_at) FROM held_deletions WHERE state = 'open'`,
  },
  gauges: [{ name: 'deletions_held', help: 'Looks that wait for an operator', figure: 'deletions_held' }],
  auditSubjects: { deletion: 'SELECT account_id AS account FROM held_deletions WHERE id = ?' },
};
