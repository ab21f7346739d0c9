import type { RoomDeclarations } from '../../storage/declarations/declarations.js';
import {
  byAccount,
  byUser,
  type LookupPath,
  leaseColumns,
  personalRows,
} from '../../storage/declarations/personal-data.js';
import { timelineSource, word } from '../../storage/declarations/timeline.js';
import { waitingByError } from '../../storage/work/leased-rows.js';
import { isWaiting, UnmatchedResultCandidateEntity, UnmatchedResultEntity } from './unmatched-result.entity.js';

/** `created_at >= 0` is always true; it lets the database seek in the index of waiting results. */
const waiting = `FROM unmatched_results WHERE created_at >= 0 AND ${isWaiting}`;

const throughResults = [{ column: 'unmatched_result_id', through: { table: 'unmatched_results', key: 'id' } }] as const;

/** Finds results that were attached to an order before the order's owner was known. */
const throughOrders: LookupPath = {
  column: 'order_id',
  through: { table: 'orders', key: 'order_id' },
  where: 'account_id IS NULL',
};

export const unmatchedResultsDeclarations: RoomDeclarations = {
  entities: [UnmatchedResultEntity, UnmatchedResultCandidateEntity],
  personal: [
    // Candidates with a user id may be other people; an erasure deletes them with the result (ON DELETE CASCADE).
    personalRows(
      UnmatchedResultCandidateEntity,
      [...byAccount, ...byUser, ...throughResults.map((path) => ({ ...path, where: 'user_id IS NULL' }))],
      { as: 'unmatched_result_candidate' },
    ),
    personalRows(UnmatchedResultEntity, [...byAccount, throughOrders], {
      as: 'unmatched_result',
      json: ['sub_reason_codes', 'allowed_actions'],
      without: leaseColumns,
    }),
  ],
  timeline: [
    timelineSource(UnmatchedResultEntity, {
      kind: 'unmatched_result',
      from: 'unmatched_results r',
      account: 'r.account_id',
      at: 'r.created_at',
      keys: [{ column: 'r.id', type: 'text' }],
      columns: ['r.id', 'r.status', 'r.decision_code', 'r.order_id'],
      show: ({ id, status, decision_code, order_id }) => ({
        title: 'A lab result could not be attached to an order.',
        ref: { type: 'unmatched_result', id },
        details: { status_now: word(status), decision_code: word(decision_code), order_id },
      }),
    }),
  ],
  figures: {
    results_to_review: `SELECT COUNT(*) ${waiting}`,
    results_to_review_since: `SELECT MIN(created_at) ${waiting}`,
    critical_to_review: `SELECT COUNT(*) ${waiting} AND is_critical = 1`,
    critical_to_review_since: `SELECT MIN(created_at) ${waiting} AND is_critical = 1`,
  },
  waiting: {
    unmatched_result: waitingByError('unmatched_results'),
  },
  gauges: [
    {
      name: 'unmatched_results_waiting',
      help: 'Lab results that wait for your decision, because upstream could not attach them to an order',
      figure: 'results_to_review',
    },
  ],
  auditSubjects: { 'unmatched-result': 'SELECT account_id AS account FROM unmatched_results WHERE id = LOWER(?)' },
};
