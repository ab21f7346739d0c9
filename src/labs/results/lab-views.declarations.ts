import { joinShownAccount } from '../../accounts/accounts/account-sql.js';
import { accountRef, column, type View, type ViewColumn, type ViewSql } from '../../storage/declarations/views.js';
import type { ResultScope } from '../orders/result-subject.js';

/*
 * Orders and results for analysts, without patient data: the metadata of a result, with the patient's name and birth
 * date, is not in the views. Only the newest version of a result is shown, and none while upstream has withdrawn it.
 */

/** The newest version of the result `l`. */
const newest = `NOT EXISTS (SELECT 1 FROM lab_results newer WHERE newer.scope = l.scope
   AND newer.subject_id = l.subject_id AND newer.form = 'json' AND newer.version > l.version)`;

/** Facts about the result of an order or transaction. */
function resultColumns(scope: ResultScope, id: string): ViewColumn[] {
  const of = `FROM lab_results l WHERE l.scope = '${scope}' AND l.subject_id = ${id} AND l.form = 'json'`;
  return [
    column(
      'result_status',
      'text',
      `(SELECT CASE WHEN l.withdrawn_at IS NULL THEN l.status ELSE 'withdrawn' END ${of} AND ${newest})`,
      '`partial`, `final` or `withdrawn`, of the newest version; null if there is no result.',
    ),
    column(
      'first_final_at',
      'time',
      `(SELECT MIN(l.first_seen_at) ${of} AND l.status = 'final')`,
      'When its first final result was read.',
    ),
  ];
}

const orders: View = {
  name: 'orders',
  about: 'A lab order of a person.',
  columns: [
    column('order_id', 'text', 'r.order_id', 'Id from upstream.'),
    accountRef('r.account_id'),
    column('order_transaction_id', 'text', 'r.order_transaction_id', 'The testing journey it belongs to.'),
    column('origin', 'text', 'r.origin', '`initial`, `redraw`, `recreation`, or another word of upstream.'),
    column('parent_id', 'text', 'r.parent_id', 'The order that it replaces.'),
    column('lab_test_name', 'text', 'r.lab_test_name', 'Name of the test.'),
    column('lab_name', 'text', 'r.lab_name', 'Name of the lab.'),
    column('collection_method', 'text', 'r.collection_method', 'Such as `walk_in_test` or `testkit`.'),
    column('sample_id', 'text', 'r.sample_id', "The lab's id of the sample."),
    column('expected_result_by_date', 'date', 'r.expected_result_by_date', 'Day by which a result is expected.'),
    column('worst_case_result_by_date', 'date', 'r.worst_case_result_by_date', 'The latest such day.'),
    column('activate_by', 'date', 'r.activate_by', 'Day from which the lab works on it.'),
    column('status', 'text', 'r.status', 'Newest status, such as `completed.walk_in_test.completed`.'),
    column('status_detail', 'text', 'r.status_detail', 'Detail of the status.'),
    column('status_at', 'time', 'r.status_at', 'When it came to this status.'),
    column('created_at', 'time', 'r.created_at', 'When it was placed.'),
    column(
      'updated_at',
      'time',
      'NULLIF(r.version, 0)',
      'When upstream last changed it; null while only its id is known.',
    ),
    ...resultColumns('order', 'r.order_id'),
  ],
  from: () => `FROM orders r ${joinShownAccount('r.account_id')}`,
  order: 'r.order_id',
};

const orderTransactions: View = {
  name: 'order_transactions',
  about: 'A testing journey: an order and those that replaced it.',
  columns: [
    column('order_transaction_id', 'text', 't.order_transaction_id', 'Id from upstream.'),
    accountRef('t.account_id'),
    column('status', 'text', 't.status', '`active`, `completed` or `cancelled`; null while only its id is known.'),
    column(
      'needs',
      'text',
      't.needs',
      'What somebody must do: `redraw`, `replace`, `unblock` or `release`; else null.',
    ),
    column('created_at', 'time', 't.created_at', 'When its oldest order was placed.'),
    column('notified_at', 'time', 't.notified_at', 'When the patient was informed of a redraw.'),
    ...resultColumns('transaction', 't.order_transaction_id'),
  ],
  from: () => `FROM order_transactions t ${joinShownAccount('t.account_id')}`,
  order: 't.order_transaction_id',
};

interface Joined {
  readonly join: string;
  readonly content: string;
  readonly marker: string;
  readonly place: string;
}

function joined(by: ViewSql): Joined {
  const content = by.json('d', 'l.content');
  const markers = by.elements('m', content.object, 'results');
  const { object: marker, place } = markers;
  return { join: `${content.join} ${markers.join}`, content: content.object, marker, place };
}

function marker(name: string, field: string, type: 'number' | 'text' | 'boolean', meaning: string): ViewColumn {
  return { name, type, meaning, sql: (by) => by.field(joined(by).marker, [field], type) };
}

function words(name: string, meaning: string, from: 'marker' | 'content', path: readonly string[]): ViewColumn {
  return { name, type: 'text', meaning, sql: (by) => by.words(joined(by)[from], path) };
}

/** The text of a result that may be a number: what is coded or a comment is none, even if it looks like one. */
function resultText(by: ViewSql): string {
  const { marker: object } = joined(by);
  const type = `COALESCE(${by.field(object, ['type'], 'text')}, 'numeric')`;
  return `(CASE WHEN ${type} IN ('numeric', 'range') THEN ${by.words(object, ['result'])} END)`;
}

const results: View = {
  name: 'results',
  about:
    'A marker of the newest version of a result. The result of a transaction repeats those of its orders: choose one `scope`.',
  columns: [
    accountRef('l.account_id'),
    column('scope', 'text', 'l.scope', '`order` or `transaction`: of what it is the result.'),
    column('order_id', 'text', `CASE l.scope WHEN 'order' THEN l.subject_id END`, 'Set for the result of an order.'),
    column(
      'order_transaction_id',
      'text',
      `CASE l.scope WHEN 'transaction' THEN l.subject_id END`,
      'Set for the result of a transaction.',
    ),
    column('version', 'integer', 'l.version', 'Version of the result, from 1.'),
    column('status', 'text', 'l.status', '`partial`, which must never be taken for final, or `final`.'),
    { name: 'place', type: 'integer', meaning: 'Place in the list of markers, from 0.', sql: (by) => joined(by).place },
    marker('name', 'name', 'text', 'Name of the marker.'),
    marker('slug', 'slug', 'text', "Upstream's name of the marker."),
    marker('loinc', 'loinc', 'text', 'LOINC code, if the lab gave one.'),
    words('result', 'The result as it was sent.', 'marker', ['result']),
    {
      ...{ name: 'value', type: 'number' },
      meaning: 'The number in `result`; null if it is a word, a code or a comment.',
      sql: (by) => by.measured(resultText(by)),
    },
    {
      ...{ name: 'comparator', type: 'text' },
      meaning: '`<`, `<=`, `>` or `>=` if `value` is a bound; else null.',
      sql: (by) => by.comparator(resultText(by)),
    },
    marker('type', 'type', 'text', '`numeric`, `range`, `comment`, `coded_value`, or another word of upstream.'),
    marker('unit', 'unit', 'text', 'Unit as it was sent.'),
    marker('reference', 'reference_range', 'text', 'Reference range as it was sent.'),
    marker('reference_low', 'min_range_value', 'number', 'Low end of the reference range.'),
    marker('reference_high', 'max_range_value', 'number', 'High end of the reference range.'),
    marker('flag', 'interpretation', 'text', "The lab's interpretation, such as `normal`, `abnormal` or `critical`."),
    marker('above_reference', 'is_above_max_range', 'boolean', 'True if it is above the reference range.'),
    marker('below_reference', 'is_below_min_range', 'boolean', 'True if it is below the reference range.'),
    marker('sample_id', 'source_sample_id', 'text', 'Sample that it was measured in.'),
    words('laboratory', 'Laboratory, as it was sent.', 'content', ['metadata', 'laboratory']),
    words('collected', 'When the sample was taken, as it was sent.', 'content', ['metadata', 'date_collected']),
    words('received', 'When the lab received it, as it was sent.', 'content', ['metadata', 'date_received']),
    words('reported', 'When the lab reported it, as it was sent.', 'content', ['metadata', 'date_reported']),
    column('first_seen_at', 'time', 'l.first_seen_at', 'When this version was first read.'),
    column('last_confirmed_at', 'time', 'l.last_confirmed_at', 'When upstream last returned it.'),
  ],
  from: (by) => `FROM lab_results l ${joinShownAccount('l.account_id')} ${joined(by).join}`,
  where: `l.form = 'json' AND l.withdrawn_at IS NULL AND ${newest}`,
  order: 'l.scope, l.subject_id, place',
};

export const labViews: readonly View[] = [orders, orderTransactions, results];
