import type { ReactNode } from 'react';
import { Link } from 'wouter';
import { length } from '../../lib/ages.js';
import type { TaskDto } from '../../lib/api.js';
import { oneOf, text } from '../../lib/filters.js';
import { stateOfTask, taskStatuses } from '../../lib/message-states.js';
import { useAnswer, useRows } from '../../lib/queries.js';
import { useFilters } from '../../lib/use-filters.js';
import { Age } from '../../parts/age.js';
import { Commands } from '../../parts/copy.js';
import { Choice, TextFilter } from '../../parts/fields.js';
import { Section } from '../../parts/page.js';
import { StateMark } from '../../parts/state.js';
import { type Column, ListTable } from '../../parts/table.js';

const filters = { status: oneOf(taskStatuses), account_id: text };

const columns: readonly Column<TaskDto>[] = [
  { name: 'pull', show: ({ id }) => id, number: true },
  { name: 'state', show: ({ status }) => <StateMark state={stateOfTask(status)}>{status}</StateMark> },
  {
    name: 'account',
    show: ({ account_id }) => <Link href={`/accounts/${encodeURIComponent(account_id)}`}>{account_id}</Link>,
  },
  {
    name: 'resource',
    show: ({ resource, provider }) => `${resource.replaceAll('_', ' ')}${provider ? ` · ${provider}` : ''}`,
  },
  { name: 'origin', show: ({ origin }) => origin },
  {
    name: 'why',
    wide: true,
    show: ({ last_error }) => last_error?.replaceAll('_', ' ') ?? <span className="muted">–</span>,
  },
  { name: 'pages', number: true, show: ({ pages }) => pages },
  { name: 'written', number: true, show: ({ written, records }) => `${written} of ${records}` },
  { name: 'tries', number: true, show: ({ attempts }) => attempts },
  { name: 'due', show: ({ due_at }) => <Age at={due_at} /> },
  { name: 'finished', show: ({ finished_at }) => <Age at={finished_at} /> },
];

export function Tasks(): ReactNode {
  const [query, change] = useFilters(filters);
  const list = useRows('listSyncTasks', { query });
  const progress = useAnswer('getSyncProgress');
  const done = progress.data?.tasks;
  return (
    <Section
      title="Pulls"
      note={
        done && progress.data
          ? `${done.pending} wait, ${done.running} run, ${done.failed} failed, lag ${length(progress.data.lag_seconds * 1_000)}`
          : ' '
      }
    >
      <search className="filters" aria-label="Filters">
        <Choice label="state" value={query.status} values={taskStatuses} onChange={(status) => change({ status })} />
        <TextFilter label="account" value={query.account_id} onChange={(account_id) => change({ account_id })} />
        <Commands call="listSyncTasks" options={{ query }} />
      </search>
      <ListTable
        label="Pulls"
        columns={columns}
        list={list}
        keyOf={({ id }) => String(id)}
        empty="No pull matches these filters. Every connected source is pulled once in SYNC_INTERVAL_SECONDS."
      />
    </Section>
  );
}
