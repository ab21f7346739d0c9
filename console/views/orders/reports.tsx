import type { ReactNode } from 'react';
import type { ParsingJobDto } from '../../lib/api.js';
import { oneOf, text } from '../../lib/filters.js';
import { useRows } from '../../lib/queries.js';
import { useFilters } from '../../lib/use-filters.js';
import { nothingIn } from '../../lib/words.js';
import { Age } from '../../parts/age.js';
import { Commands, Id } from '../../parts/copy.js';
import { Choice, TextFilter } from '../../parts/fields.js';
import { StateMark } from '../../parts/state.js';
import { type Column, ListTable } from '../../parts/table.js';
import { AccountLink } from './parts.js';
import { reportWords } from './report-words.js';

const ends = ['given up'] as const;
const filters = { end: oneOf(ends), account_id: text };

const columns: readonly Column<ParsingJobDto>[] = [
  { name: 'report', show: ({ id }) => <Id id={id} /> },
  {
    name: 'state',
    show: (job) => {
      const { state, words } = reportWords(job);
      return <StateMark state={state}>{words}</StateMark>;
    },
  },
  {
    name: 'action',
    wide: true,
    show: (job) => {
      const { act } = reportWords(job);
      return act === null ? <span className="muted">none</span> : <span className="act-word">{act}</span>;
    },
  },
  { name: 'account', show: ({ account_id }) => <AccountLink accountId={account_id} /> },
  { name: 'order', show: ({ order_id }) => (order_id === null ? '–' : <Id id={order_id} />) },
  { name: 'since', show: ({ observed_at }) => <Age at={observed_at} /> },
  { name: 'received', show: ({ first_seen_at }) => <Age at={first_seen_at} /> },
];

/** Lab reports that were uploaded to be parsed, newest first. */
export function Reports(): ReactNode {
  const [{ end, account_id }, change] = useFilters(filters);
  const query = { ...(end && { given_up: true }), ...(account_id && { account_id }) };
  return (
    <>
      <search className="filters" aria-label="Filters">
        <Choice label="end" value={end} values={ends} onChange={(next) => change({ end: next })} />
        <TextFilter label="account" value={account_id} onChange={(next) => change({ account_id: next })} />
      </search>
      <Commands call="listParsingJobs" options={{ query }} />
      <ListTable
        label="Lab reports"
        columns={columns}
        list={useRows('listParsingJobs', { query })}
        keyOf={({ id }) => id}
        empty={nothingIn('lab report', query, 'Reports appear when they are uploaded to be parsed.')}
      />
    </>
  );
}
