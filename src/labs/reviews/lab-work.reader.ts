import { Injectable } from '@nestjs/common';
import { externalIdColumn, joinAccountIfAny } from '../../accounts/accounts/account-sql.js';
import { Clock } from '../../platform/platform/clock.js';
import { DAY_MS } from '../../platform/platform/time.js';
import { Conditions } from '../../storage/database/conditions.js';
import { Reader } from '../../storage/database/reader.js';
import { isUnnotified } from '../orders/lab-event.entity.js';
import { isWaiting } from './unmatched-result.entity.js';

/** Kinds of work for a clinic, most urgent first. */
export const labWorkKinds = ['notify', 'book', 'decide', 'replace', 'chase'] as const;
export type LabWorkKind = (typeof labWorkKinds)[number];

/** Reasons of work, as docs/meaning.md#what-a-clinic-has-to-do lists them. */
export const labWorkReasons = [
  ...['critical', 'critical_unmatched', 'redraw', 'draw', 'unmatched', 'replace', 'unblock', 'release'],
  ...['given_up', 'unread', 'withdrawn', 'inconsistent'],
] as const;

export interface LabWorkItem {
  /** Position of its kind and reason in the list. */
  readonly rank: number;
  readonly kind: LabWorkKind;
  readonly reason: string;
  /** Epoch milliseconds. */
  readonly since: number;
  /** The order, the transaction if only that is concerned, or the unmatched result. */
  readonly id: string;
  readonly order_id: string | null;
  readonly order_transaction_id: string | null;
  /** The customer's id of the account; null if none is known. */
  readonly external_id: string | null;
  readonly lab_test_name: string | null;
  readonly lab_name: string | null;
}

export interface LabWorkFilter {
  readonly kind?: LabWorkKind | undefined;
  /** The customer's id of the account. */
  readonly externalId?: string | undefined;
  readonly after: readonly [rank: number, since: number, id: string] | null;
  readonly limit: number;
}

/** The newest order of a transaction. */
const newestOrder = `(SELECT o.order_id FROM orders o WHERE o.order_transaction_id = t.order_transaction_id
  ORDER BY o.created_at DESC, o.order_id DESC LIMIT 1)`;
const ofTransaction = `${newestOrder} AS order_id, t.order_transaction_id, t.account_id FROM order_transactions t`;
const ended = `('cancelled', 'completed')`;
/** An appointment that passed without a draw is none, whatever its status says. */
const isBooked = (now: number): string => `EXISTS (SELECT 1 FROM appointments p JOIN orders o ON o.order_id = p.order_id
  WHERE o.order_transaction_id = t.order_transaction_id AND COALESCE(p.status, '') NOT IN ${ended}
    AND COALESCE(p.event_status, '') NOT IN ${ended} AND COALESCE(p.end_at, p.start_at, ${now}) > ${now - DAY_MS})`;
/** A kit needs no appointment. */
const isKit = `EXISTS (SELECT 1 FROM orders o WHERE o.order_id = ${newestOrder} AND o.collection_method = 'testkit')`;
const aboutOrder = (id: string): string => `${id} AS order_id, o.order_transaction_id, o.account_id`;
const isWithdrawn = (scope: 'order' | 'transaction', l = 'l'): string => `${l}.withdrawn_at IS NOT NULL
  AND ${l}.scope = '${scope}' AND ${l}.form = 'json' AND NOT EXISTS (SELECT 1 FROM lab_results n
    WHERE n.scope = ${l}.scope AND n.subject_id = ${l}.subject_id AND n.form = ${l}.form AND n.version > ${l}.version)`;
const isGivenUp = (scope: 'order' | 'transaction', f = 'f'): string =>
  `${f}.due_at IS NULL AND ${f}.kind = 'result' AND ${f}.scope = '${scope}'`;
/** True unless an order of the transaction is listed for the same reason. */
const isAlone = (table: string, isListed: (scope: 'order', alias: string) => string): string => `NOT EXISTS (SELECT 1
  FROM orders o JOIN ${table} x ON x.subject_id = o.order_id
  WHERE o.order_transaction_id = t.order_transaction_id AND ${isListed('order', 'x')})`;

const unmatched = `SELECT r.created_at AS since, r.id, r.order_id, r.order_transaction_id, r.account_id
  FROM unmatched_results r WHERE r.created_at >= 0 AND ${isWaiting}`;

/**
 * One statement for each kind and reason, through the small index of what is open. `since` is when we learned of it.
 * An item of a transaction names its newest order.
 */
const sources = (now: number): readonly (readonly [kind: LabWorkKind, reason: string, select: string])[] => [
  [
    'notify',
    'critical',
    `SELECT c.since, c.order_id AS id, ${aboutOrder('c.order_id')}
     FROM (SELECT order_id, MIN(observed_at) AS since FROM critical_results WHERE ${isUnnotified} GROUP BY order_id) c
     JOIN orders o ON o.order_id = c.order_id`,
  ],
  ['decide', 'critical_unmatched', `${unmatched} AND r.is_critical = 1`],
  [
    'notify',
    'redraw',
    `SELECT COALESCE(t.needs_since, t.created_at) AS since, t.order_transaction_id AS id, ${ofTransaction}
     WHERE t.needs = 'redraw' AND t.notified_at IS NULL`,
  ],
  [
    'book',
    'draw',
    `SELECT t.notified_at AS since, t.order_transaction_id AS id, ${ofTransaction}
     WHERE t.needs = 'redraw' AND t.notified_at IS NOT NULL AND NOT ${isBooked(now)} AND NOT ${isKit}`,
  ],
  ['decide', 'unmatched', `${unmatched} AND r.is_critical = 0`],
  ...(['unblock', 'replace', 'release'] as const).map(
    (reason) =>
      [
        'replace',
        reason,
        `SELECT COALESCE(t.needs_since, t.created_at) AS since, t.order_transaction_id AS id, ${ofTransaction}
         WHERE t.needs = '${reason}'`,
      ] as const,
  ),
  [
    'chase',
    'given_up',
    `SELECT f.requested_at AS since, f.subject_id AS id, ${aboutOrder('f.subject_id')} FROM due_reads f
     JOIN orders o ON o.order_id = f.subject_id WHERE ${isGivenUp('order')}
     UNION ALL SELECT f.requested_at AS since, f.subject_id AS id, ${ofTransaction}
     JOIN due_reads f ON f.subject_id = t.order_transaction_id
     WHERE ${isGivenUp('transaction')} AND ${isAlone('due_reads', isGivenUp)}`,
  ],
  [
    'chase',
    'unread',
    `SELECT f.requested_at AS since, f.subject_id AS id, ${aboutOrder('f.subject_id')} FROM due_reads f
     JOIN orders o ON o.order_id = f.subject_id
     WHERE f.due_at IS NULL AND f.kind = 'order' AND f.requested_at >= 0 AND (o.version = 0 OR f.error_code <> 'not_found')`,
  ],
  [
    'chase',
    'withdrawn',
    `SELECT l.withdrawn_at AS since, l.subject_id AS id, ${aboutOrder('l.subject_id')} FROM lab_results l
     JOIN orders o ON o.order_id = l.subject_id
     WHERE ${isWithdrawn('order')}
     UNION ALL SELECT l.withdrawn_at AS since, l.subject_id AS id, ${ofTransaction}
     JOIN lab_results l ON l.subject_id = t.order_transaction_id
     WHERE ${isWithdrawn('transaction')} AND ${isAlone('lab_results', isWithdrawn)}`,
  ],
  [
    'chase',
    'inconsistent',
    `SELECT t.inconsistent_since AS since, t.order_transaction_id AS id, ${ofTransaction}
     WHERE t.inconsistent_since IS NOT NULL AND t.needs IS NULL`,
  ],
];

/**
 * The list of what a clinic must do, from the tables of orders, results and reviews. All critical items have rank 0.
 */
@Injectable()
export class LabWorkReader {
  constructor(
    private readonly reader: Reader,
    private readonly clock: Clock,
  ) {}

  /** Most urgent first, then oldest first. */
  page({ kind, externalId, after, limit }: LabWorkFilter): Promise<LabWorkItem[]> {
    const conditions = new Conditions()
      .add(`${externalIdColumn} = ?`, externalId)
      .add('(w.rank, w.since, w.id) > (?, ?, ?)', after?.[0], after?.[1], after?.[2]);
    return this.reader.rows(
      `SELECT w.*, ${externalIdColumn} AS external_id, named.lab_test_name, named.lab_name
       FROM (${workOf(kind, this.clock.now())}) w LEFT JOIN orders named ON named.order_id = w.order_id
       ${joinAccountIfAny('w.account_id')} ${conditions.where} ORDER BY w.rank, w.since, w.id LIMIT ?`,
      [...conditions.values, limit],
    );
  }
}

function workOf(wanted: LabWorkKind | undefined, now: number): string {
  const selects = sources(now).map(([kind, reason, select], place) => ({
    kind,
    sql: `SELECT ${reason === 'critical_unmatched' ? 0 : place} AS rank, '${kind}' AS kind, '${reason}' AS reason, s.* FROM (${select}) s`,
  }));
  return selects
    .filter(({ kind }) => wanted === undefined || kind === wanted)
    .map(({ sql }) => sql)
    .join(' UNION ALL ');
}
