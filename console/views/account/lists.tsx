import type { ReactNode } from 'react';
import { useLocation } from 'wouter';
import type { OrderDto, TimelineEntryDto } from '../../lib/api.js';
import { useRows } from '../../lib/queries.js';
import { Age, Instant } from '../../parts/age.js';
import { Commands, Id } from '../../parts/copy.js';
import { type Column, ListTable } from '../../parts/table.js';
import { statusWords } from '../orders/act.js';

const entries: readonly Column<TimelineEntryDto>[] = [
  { name: 'at', show: ({ at }) => <Instant at={at} /> },
  { name: 'kind', show: ({ kind }) => kind.replaceAll('_', ' ') },
  { name: 'what', wide: true, show: ({ title }) => title },
  { name: 'object', show: ({ ref }) => <Id id={ref.id} /> },
  { name: 'details', wide: true, show: ({ details }) => detailsOf(details) },
];

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
  const options = { path: { account_id: accountId } };
  return (
    <>
      <Commands call="listTimeline" options={options} />
      <ListTable
        label="Timeline"
        columns={entries}
        list={useRows('listTimeline', options)}
        keyOf={({ at, kind, ref }) => `${at} ${kind} ${ref.id}`}
        empty="Nothing has happened to this account yet."
      />
    </>
  );
}

const orders: readonly Column<OrderDto>[] = [
  { name: 'order', show: ({ order_id }) => <Id id={order_id} /> },
  { name: 'origin', show: ({ origin }) => origin ?? '–' },
  { name: 'status', show: ({ status }) => statusWords(status) },
  { name: 'since', show: ({ status_at }) => <Age at={status_at} /> },
  {
    name: 'critical',
    show: ({ critical, critical_untold }) => (critical_untold ? 'patient not informed' : critical ? 'yes' : '–'),
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
