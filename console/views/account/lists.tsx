import { type ReactNode, useState } from 'react';
import { Link, useLocation } from 'wouter';
import type { OrderDto, TimelineEntryDto } from '../../lib/api.js';
import { useRows } from '../../lib/queries.js';
import { Age, Instant } from '../../parts/age.js';
import { Commands, Copy, Id } from '../../parts/copy.js';
import { Choice } from '../../parts/fields.js';
import { type Column, ListTable } from '../../parts/table.js';
import { originOf, statusWords } from '../orders/act.js';

type Kind = TimelineEntryDto['kind'];
const groupNames = ['data', 'sources', 'labs', 'account', 'operators'] as const;
type Group = (typeof groupNames)[number];
/** Groups of timeline entries. Without a choice, operators' actions are left out, because they would hide the rest. */
const groups: Readonly<Record<Kind, Group>> = {
  ...{ records_gone: 'data', pull_failed: 'data', pull_done: 'data', pull_requested: 'data', history_pull: 'data' },
  ...{ message_given_up: 'data', message: 'data' },
  ...{ connection: 'sources', link_outcome: 'sources', link_token: 'sources' },
  ...{ critical_result: 'labs', result: 'labs', unmatched_result: 'labs', parsing_job: 'labs' },
  ...{ appointment: 'labs', order_event: 'labs', order: 'labs' },
  ...{ sign_in_token: 'account', account_linked: 'account', user_replaced: 'account', account_created: 'account' },
  operator_act: 'operators',
};
const kindsOf = (isShown: (group: Group) => boolean): Kind[] =>
  (Object.keys(groups) as Kind[]).filter((kind) => isShown(groups[kind]));

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
  const kinds = kindsOf((name) => (group === undefined ? name !== 'operators' : name === group));
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
  { name: 'test', show: ({ lab_test_name, lab_name }) => [lab_test_name, lab_name].filter(Boolean).join(', ') || '–' },
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
