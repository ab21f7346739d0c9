import type { RoomDeclarations } from '../../storage/declarations/declarations.js';
import { byAccount, personalRows } from '../../storage/declarations/personal-data.js';
import { rowChanges } from '../../storage/declarations/row-changes.reader.js';
import { timelineSource, word } from '../../storage/declarations/timeline.js';
import { LabResultEntity } from './lab-result.entity.js';
import { labViews } from './lab-views.declarations.js';

/** The timeline shows that results arrived, not their content. */
export const labResultsDeclarations: RoomDeclarations = {
  views: labViews,
  changes: [
    rowChanges({
      kind: 'result',
      entity: LabResultEntity,
      key: ['scope', 'subject_id', 'form'],
      version: 'version',
      json: ['content'],
    }),
  ],
  entities: [LabResultEntity],
  personal: [personalRows(LabResultEntity, byAccount, { as: 'lab_result', json: ['content'] })],
  figures: {
    results_withdrawn_lately: 'SELECT COUNT(*) FROM lab_results WHERE withdrawn_at >= :lately',
  },
  timeline: [
    timelineSource(LabResultEntity, {
      kind: 'result',
      from: 'lab_results l',
      account: 'l.account_id',
      at: 'l.first_seen_at',
      keys: [
        { column: 'l.version', type: 'int' },
        { column: 'l.subject_id', type: 'text' },
      ],
      where: `l.form = 'json'`,
      columns: ['l.scope', 'l.subject_id', 'l.version', 'l.status'],
      show: ({ scope, subject_id, version, status }) => ({
        title: version === 1 ? 'A lab result arrived.' : 'A lab result changed.',
        ref: { type: scope === 'order' ? 'order' : 'order_transaction', id: subject_id },
        details: { version, status: word(status) },
      }),
    }),
  ],
};
