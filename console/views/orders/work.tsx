import type { ReactNode } from 'react';
import { Link, useLocation } from 'wouter';
import type { LabWorkDto } from '../../lib/api.js';
import { everyOf } from '../../lib/every.js';
import { oneOf, text } from '../../lib/filters.js';
import { useRows } from '../../lib/queries.js';
import { useFilters } from '../../lib/use-filters.js';
import { Age } from '../../parts/age.js';
import { Commands, Id } from '../../parts/copy.js';
import { Choice, TextFilter } from '../../parts/fields.js';
import { type Column, ListTable } from '../../parts/table.js';
import { AccountLink } from './parts.js';
import { placeOf, workplaceOf, workWords } from './work-words.js';

const kinds = everyOf<LabWorkDto['kind']>()(['notify', 'book', 'decide', 'replace', 'chase']);
const filters = { kind: oneOf(kinds), account_id: text };

const columns: readonly Column<LabWorkDto>[] = [
  { name: 'action', show: (item) => <Link href={workplaceOf(item)}>{workWords[item.reason].act}</Link> },
  { name: 'why', wide: true, show: ({ reason }) => workWords[reason].why },
  { name: 'test', show: ({ lab_test_name, lab_name }) => [lab_test_name, lab_name].filter(Boolean).join(', ') || '–' },
  { name: 'account', show: ({ account_id }) => <AccountLink accountId={account_id} /> },
  { name: 'order', show: ({ order_id }) => (order_id === null ? '–' : <Id id={order_id} />) },
  { name: 'since', show: ({ since }) => <Age at={since} /> },
];

/** Everything about lab orders that waits for a person, most urgent first, each with where it is worked on. */
export function Work(): ReactNode {
  const [{ kind, account_id }, change] = useFilters(filters);
  const [, navigate] = useLocation();
  const query = { ...(kind && { kind }), ...(account_id && { account_id }) };
  return (
    <>
      <search className="filters" aria-label="Filters">
        <Choice label="kind" value={kind} values={kinds} onChange={(next) => change({ kind: next })} />
        <TextFilter label="account" value={account_id} onChange={(next) => change({ account_id: next })} />
      </search>
      <Commands call="listLabWork" options={{ query }} />
      <ListTable
        label="What to do"
        columns={columns}
        list={useRows('listLabWork', { query })}
        keyOf={({ reason, action }) => `${reason} ${action}`}
        onOpen={(item) => navigate(placeOf(item))}
        empty="Nothing about lab orders waits for a person."
      />
    </>
  );
}
