import { type ReactNode, useState } from 'react';
import { Link, useLocation } from 'wouter';
import type { OrderDto, TimelineEntryDto } from '../../lib/api.js';
import { useRows } from '../../lib/queries.js';
import { Age, Instant } from '../../parts/age.js';
import { Commands, Copy, Id } from '../../parts/copy.js';
import { Choice } from '../../parts/fields.js';
import { type Column, ListTable } from '../../parts/table.js';
import { originOf, statusWords } from '../orders/act.js';

/** Groups of timeline entries. Without a choice, operators' actions are left out, because they would hide the rest. */
const groups = {
  data: ['records_gone', 'pull_failed', 'pull_done', 'pull_requested', 'history_pull', 'message_given_up', 'message'],
  sources: ['connection', 'link_outcome', 'link_token'],
  labs: ['critical_result', 'result', 'unmatched_result', 'parsing_job', 'appointment', 'order_event', 'order'],
  account: ['sign_in_token', 'account_linked', 'user_replaced', 'account_created'],
  operators: ['operator_act'],
} as const satisfies Readonly<Record<string, readonly TimelineEntryDto['kind'][]>>;
type Group = keyof typeof groups;
const groupNames = Object.keys(groups) as Group[];
const withoutOperators = groupNames
  .filter((name) => name !== 'operators')
  .flatMap((name): TimelineEntryDto['kind'][] => [...groups[name]]);

const entries: readonly Column<TimelineEntryDto>[] = [
  { name: 'at', show: ({ at }) => <Instant at={at} /> },
  {
    name: 'what',
    wide: true,
    show: ({ title }) => title,
  },
  { name: 'object', show: ({ ref }) => <Reference reference={ref} /> },
  {
    name: 'details',
    show: ({ kind, details }) => (
      <details>
        <summary>{kind.replaceAll('_', ' ')}</summary>
        {detailsOf(details)}
      </details>
    ),
  },
];

const pages: Readonly<Record<string, string>> = { message: '/messages/', order: '/orders/' };

/** The id of what an entry is about, with a link if it has a page. */
function Reference({ reference: { type, id } }: { readonly reference: TimelineEntryDto['ref'] }): ReactNode {
  const path = pages[type];
  if (path === undefined) return <Id id={id} />;
  return (
    <span className="id">
      <Link href={`${path}${encodeURIComponent(id)}`}>Open {type}</Link>
      <Copy text={id} name={`Copy ${id}`} />
    </span>
  );
}

function detailsOf(details: TimelineEntryDto['details']): string {
  return Object.entries(details)
    .filter(([, value]) => value !== null)
    .map(([name, value]) => `${name.replaceAll('_', ' ')} ${wordsOf(String(value))}`)
    .join(', ');
}

/** Replaces underscores of a code by spaces; leaves an address or id unchanged. */
function wordsOf(value: string): string {
  return /^[a-z_]+$/.test(value) ? value.replaceAll('_', ' ') : value;
}

export function Timeline({ accountId }: { readonly accountId: string }): ReactNode {
  const [group, setGroup] = useState<Group | undefined>(undefined);
  const kinds = group === undefined ? withoutOperators : groups[group];
  const options = { path: { account_id: accountId }, query: { kind: kinds } };
  return (
    <>
      <search className="filters" aria-label="Filters">
        <Choice label="about" value={group} values={groupNames} all="all but operators" onChange={setGroup} />
        <Commands call="listTimeline" options={options} />
      </search>
      <ListTable
        label="Timeline"
        columns={entries}
        list={useRows('listTimeline', options)}
        keyOf={({ at, kind, ref }) => `${at} ${kind} ${ref.id}`}
        empty="Nothing of this kind has happened to this account yet."
      />
    </>
  );
}

const orders: readonly Column<OrderDto>[] = [
  { name: 'order', show: ({ order_id }) => <Id id={order_id} /> },
  { name: 'origin', show: ({ origin }) => originOf(origin, '–') },
  { name: 'status', show: ({ status }) => statusWords(status) },
  { name: 'since', show: ({ status_at }) => <Age at={status_at} /> },
  {
    name: 'critical',
    show: ({ critical, critical_untold }) => (critical_untold ? 'patient not notified' : critical ? 'yes' : '–'),
  },
  { name: 'created', show: ({ created_at }) => <Age at={created_at} /> },
];

export function AccountOrders({ accountId }: { readonly accountId: string }): ReactNode {
  const [, navigate] = useLocation();
  const query = { account_id: accountId };
  return (
    <>
      <Commands call="listOrders" options={{ query }} />
      <ListTable
        label="Orders"
        columns={orders}
        list={useRows('listOrders', { query })}
        keyOf={({ order_id }) => order_id}
        onOpen={({ order_id }) => navigate(`/orders/${order_id}`)}
        empty="No lab orders for this person. Orders placed elsewhere appear with their first event."
      />
    </>
  );
}
