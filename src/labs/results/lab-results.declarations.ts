import type { RoomDeclarations } from '../../storage/declarations/declarations.js';
import {
  byAccount,
  type ExportLine,
  type ExportSource,
  personalRows,
} from '../../storage/declarations/personal-data.js';
import { rowChanges } from '../../storage/declarations/row-changes.reader.js';
import { timelineSource, word } from '../../storage/declarations/timeline.js';
import { LabResultEntity } from './lab-result.entity.js';
import { labViews } from './lab-views.declarations.js';
import { ResultPdfEntity } from './result-pdf.entity.js';

/** Yields stored PDFs one at a time, because they may be large. */
async function* storedPdfs({ reader }: ExportSource, accountId: number): AsyncGenerator<readonly ExportLine[]> {
  const keys = await reader.rows<Pick<ResultPdfEntity, 'scope' | 'subject_id' | 'version'>>(
    'SELECT scope, subject_id, version FROM result_pdfs WHERE account_id = ? ORDER BY scope, subject_id, version',
    [accountId],
  );
  for (const { scope, subject_id, version } of keys) {
    const [row] = await reader.rows<Pick<ResultPdfEntity, 'content'>>(
      'SELECT content FROM result_pdfs WHERE scope = ? AND subject_id = ? AND version = ? AND account_id = ?',
      [scope, subject_id, version, accountId],
    );
    if (!row) continue;
    const content_base64 = Buffer.from(row.content).toString('base64');
    yield [{ type: 'result_pdf', data: { scope, subject_id, version, content_base64 } }];
  }
}

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
  entities: [LabResultEntity, ResultPdfEntity],
  exports: [storedPdfs],
  personal: [
    personalRows(ResultPdfEntity, byAccount, 'result_pdf'),
    personalRows(LabResultEntity, byAccount, { as: 'lab_result', json: ['content'] }),
  ],
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
