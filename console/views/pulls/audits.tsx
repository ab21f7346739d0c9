import type { ReactNode } from 'react';
import { Link } from 'wouter';
import type { AuditDto } from '../../lib/api.js';
import { everyOf } from '../../lib/every.js';
import { text } from '../../lib/filters.js';
import { useAct, useRows } from '../../lib/queries.js';
import { useMay } from '../../lib/session.js';
import { useFilters } from '../../lib/use-filters.js';
import { counted, nothingIn, plain } from '../../lib/words.js';
import { Age, Nothing } from '../../parts/age.js';
import { Failure } from '../../parts/conditions.js';
import { Commands } from '../../parts/copy.js';
import { TextFilter } from '../../parts/fields.js';
import { Section } from '../../parts/page.js';
import { type State, StateMark } from '../../parts/state.js';
import { type Column, ListTable } from '../../parts/table.js';

const filters = { account_id: text };

const states: Readonly<Record<AuditDto['state'], State>> = {
  waiting: 'waiting',
  comparing: 'waiting',
  repairing: 'waiting',
  done: 'received',
  cancelled: 'gone',
  failed: 'failed',
};
const unfinished = everyOf<Exclude<AuditDto['state'], 'done' | 'cancelled' | 'failed'>>()([
  'waiting',
  'comparing',
  'repairing',
]);

const origins: Readonly<Record<AuditDto['origin'], string>> = {
  request: 'an operator',
  sample: 'the regular check',
  question: 'a day that was explained',
};

const columns: readonly Column<AuditDto>[] = [
  { name: 'audit', number: true, show: ({ audit_id }) => audit_id },
  {
    name: 'state',
    show: ({ state, error }) => (
      <StateMark state={states[state]}>
        {state}
        {error !== null && `: ${plain(error)}`}
      </StateMark>
    ),
  },
  {
    name: 'account',
    show: ({ account_id, first_day, last_day, resource }) => (
      <Link href={proofsHref({ account_id, first_day, last_day, resource })}>{account_id}</Link>
    ),
  },
  { name: 'data', show: ({ resource }) => (resource === null ? 'all resources' : plain(resource)) },
  { name: 'days', show: ({ first_day, last_day }) => daysOf(first_day, last_day) },
  { name: 'started by', show: ({ origin }) => origins[origin] },
  { name: 'outcome', wide: true, show: (audit) => outcomeOf(audit) },
  { name: 'calls', number: true, show: ({ calls }) => calls.toLocaleString('en') },
  { name: 'started', show: ({ created_at }) => <Age at={created_at} /> },
  { name: 'ended', show: ({ cancelled_at, finished_at }) => <Age at={finished_at ?? cancelled_at} /> },
];

/** Address of the compared days of an account, with the days of an audit. */
function proofsHref(audit: Pick<AuditDto, 'account_id' | 'first_day' | 'last_day' | 'resource'>): string {
  const { account_id, first_day, last_day, resource } = audit;
  const kept = new URLSearchParams({ tab: 'proofs', first_day, last_day, ...(resource !== null && { resource }) });
  return `/accounts/${encodeURIComponent(account_id)}?${kept}`;
}

const daysOf = (first: string, last: string): string => (first === last ? first : `${first} to ${last}`);

/** "12 of 14 days proven, 1 repaired, 2 held". */
function outcomeOf(audit: AuditDto): string {
  const { days_compared, days_total, proven, repaired, repairing, held, different, report_only } = audit;
  const more = [
    [repaired, 'of them repaired'],
    [repairing, 'being repaired'],
    [held, 'held for a decision'],
    [different, report_only ? 'different (report only)' : 'still different'],
    [days_total - days_compared, 'not compared'],
  ] as const;
  return [
    `${proven.toLocaleString('en')} of ${counted(days_total, 'day')} proven`,
    ...more.filter(([count]) => count > 0).map(([count, words]) => `${count.toLocaleString('en')} ${words}`),
  ].join(', ');
}

/** Comparisons of stored days with upstream's data, newest first. */
export function Audits(): ReactNode {
  const [query, change] = useFilters(filters);
  const list = useRows('listAudits', { query }, { every: 5_000 });
  const cancel = useAct('cancelAudit');
  const mayAct = useMay('operator');
  const action: Column<AuditDto> = {
    name: 'action',
    show: ({ audit_id, state }) =>
      unfinished.some((one) => one === state) ? (
        <button
          type="button"
          className="plain"
          disabled={cancel.isPending}
          onClick={() => cancel.mutate({ path: { audit_id } })}
        >
          Cancel<span className="hidden"> audit {audit_id}</span>
        </button>
      ) : (
        <Nothing />
      ),
  };
  return (
    <Section title="Audits" note="compare stored days with upstream, and repair what differs">
      <search className="filters" aria-label="Filters">
        <TextFilter label="account" value={query.account_id} onChange={(account_id) => change({ account_id })} />
        <Commands call="listAudits" options={{ query }} />
      </search>
      {cancel.isError && <Failure error={cancel.error} refused="The audit was not cancelled." />}
      <ListTable
        label="Audits"
        columns={mayAct ? [...columns, action] : columns}
        list={list}
        keyOf={({ audit_id }) => String(audit_id)}
        empty={nothingIn(
          'audit',
          query,
          'An operator starts one in the tab Proofs of an account; with AUDIT_CALLS_PER_DAY, the service also compares days regularly.',
        )}
      />
    </Section>
  );
}
