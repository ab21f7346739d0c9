import type { RoomDeclarations } from '../../storage/declarations/declarations.js';
import { byAccount, leaseColumns, personalRows } from '../../storage/declarations/personal-data.js';
import { timelineSource, word } from '../../storage/declarations/timeline.js';
import { waitingByError } from '../../storage/work/leased-rows.js';
import { ParsingJobEntity } from './parsing-job.entity.js';
import { wasGivenUp } from './parsing-jobs.repository.js';

export const labReportsDeclarations: RoomDeclarations = {
  entities: [ParsingJobEntity],
  personal: [
    personalRows(ParsingJobEntity, byAccount, { as: 'parsing_job', json: ['content'], without: leaseColumns }),
  ],
  timeline: [
    timelineSource(ParsingJobEntity, {
      kind: 'parsing_job',
      from: 'parsing_jobs j',
      account: 'j.account_id',
      at: 'j.first_seen_at',
      keys: [{ column: 'j.job_id', type: 'text' }],
      columns: ['j.job_id', 'j.order_id', 'j.status'],
      show: ({ job_id, order_id, status }) => ({
        title: 'Upstream is parsing a lab report.',
        ref: { type: 'parsing_job', id: job_id },
        details: { order_id, status_now: word(status) },
      }),
    }),
  ],
  waiting: {
    parsing_job: waitingByError('parsing_jobs'),
  },
  figures: {
    jobs_given_up: `SELECT COUNT(*) FROM parsing_jobs WHERE ${wasGivenUp}`,
  },
  auditSubjects: {
    'parsing-job': 'SELECT account_id AS account FROM parsing_jobs WHERE job_id = LOWER(?)',
  },
};
