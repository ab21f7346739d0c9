import type { ReactNode } from 'react';
import { Link } from 'wouter';
import type { PullDto } from '../../lib/api.js';
import { oneOf, text } from '../../lib/filters.js';
import { useRows } from '../../lib/queries.js';
import { useFilters } from '../../lib/use-filters.js';
import { nothingIn } from '../../lib/words.js';
import { Age, Nothing } from '../../parts/age.js';
import { Commands, Id } from '../../parts/copy.js';
import { Choice, TextFilter } from '../../parts/fields.js';
import { Section } from '../../parts/page.js';
import { type State, StateMark } from '../../parts/state.js';
import { type Column, ListTable } from '../../parts/table.js';

const durations = ['more_than_a_day'] as const;
const filters = { status: text, running: oneOf(durations), provider: text, account_id: text };

/** Words from upstream, which may add others. */
const states: Readonly<Record<string, State>> = {
  success: 'received',
  failure: 'failed',
  retrying: 'waiting',
  in_progress: 'waiting',
  scheduled: 'waiting',
};

const columns: readonly Column<PullDto>[] = [
  {
    name: 'account',
    show: ({ account_id }) => <Link href={`/accounts/${encodeURIComponent(account_id)}`}>{account_id}</Link>,
  },
  { name: 'source', show: ({ provider, resource }) => `${provider} · ${resource.replaceAll('_', ' ')}` },
  {
    name: 'state',
    show: ({ status }) => <StateMark state={states[status] ?? 'unknown'}>{status.replaceAll('_', ' ')}</StateMark>,
  },
  { name: 'last error', wide: true, show: ({ error_details }) => error_details ?? <Nothing /> },
  { name: 'days', number: true, show: ({ days_with_data }) => days_with_data ?? '–' },
  { name: 'scheduled', show: ({ scheduled_at }) => <Age at={scheduled_at} /> },
  { name: 'ended', show: ({ ended_at }) => <Age at={ended_at} /> },
  {
    name: 'trace',
    show: ({ trace_id }) => (trace_id === null ? <Nothing /> : <Id id={trace_id} />),
  },
];

export function HistoricalPulls(): ReactNode {
  const [query, change] = useFilters(filters);
  const { running, ...rest } = query;
  const options = { query: { ...rest, ...(running && { stuck: true }) } };
  const list = useRows('listHistoricalPulls', options);
  return (
    <Section
      title="Upstream's historical pulls"
      note="upstream fetches history from providers; quote the trace to upstream's support"
    >
      <search className="filters" aria-label="Filters">
        <TextFilter label="state" value={query.status} onChange={(status) => change({ status })} />
        <Choice
          label="running for"
          value={running}
          values={durations}
          all="any"
          onChange={(chosen) => change({ running: chosen })}
        />
        <TextFilter label="provider" value={query.provider} onChange={(provider) => change({ provider })} />
        <TextFilter label="account" value={query.account_id} onChange={(account_id) => change({ account_id })} />
        <Commands call="listHistoricalPulls" options={options} />
      </search>
      <ListTable
        label="Historical pulls"
        columns={columns}
        list={list}
        keyOf={({ account_id, provider, resource }) => `${account_id} ${provider} ${resource}`}
        empty={nothingIn('historical pull', query, 'Upstream announces one after a source is connected.')}
      />
    </Section>
  );
}
