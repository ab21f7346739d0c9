import type { ReactNode } from 'react';
import { Link } from 'wouter';
import { length } from '../../lib/ages.js';
import type { SyncRequest, TaskDto } from '../../lib/api.js';
import { oneOf, text } from '../../lib/filters.js';
import { stateOfTask, taskStatuses } from '../../lib/message-states.js';
import { useAct, useAnswer, useRows } from '../../lib/queries.js';
import { useMay } from '../../lib/session.js';
import { useFilters } from '../../lib/use-filters.js';
import { nothingIn } from '../../lib/words.js';
import { Age, Nothing } from '../../parts/age.js';
import { Failure } from '../../parts/conditions.js';
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
    name: 'last error',
    wide: true,
    show: ({ last_error }) => last_error?.replaceAll('_', ' ') ?? <Nothing />,
  },
  { name: 'pages', number: true, show: ({ pages }) => pages },
  {
    name: 'written',
    number: true,
    show: ({ written, records }) => `${written.toLocaleString('en')} of ${records.toLocaleString('en')}`,
  },
  { name: 'attempts', number: true, show: ({ attempts }) => attempts },
  { name: 'due', show: ({ due_at }) => <Age at={due_at} /> },
  { name: 'finished', show: ({ finished_at }) => <Age at={finished_at} /> },
];

/** Requests a failed pull again. */
function PullAgain({ task: { account_id, resource } }: { readonly task: TaskDto }): ReactNode {
  const sync = useAct('requestSync');
  if (sync.data) return <span role="status">requested: pull {sync.data.task_ids.join(', ')}</span>;
  return (
    <>
      <button
        type="button"
        className="plain"
        disabled={sync.isPending}
        onClick={() =>
          sync.mutate({ path: { account_id }, body: { resources: [resource] as SyncRequest['resources'] } })
        }
      >
        Pull again
      </button>
      {sync.isError && <Failure error={sync.error} refused="No pull was requested." />}
    </>
  );
}

const failedColumns: readonly Column<TaskDto>[] = [
  ...columns,
  { name: 'action', show: (task) => <PullAgain task={task} /> },
];

export function Tasks(): ReactNode {
  const [query, change] = useFilters(filters);
  const mayAct = useMay('operator');
  const list = useRows('listSyncTasks', { query });
  const progress = useAnswer('getSyncProgress');
  const done = progress.data?.tasks;
  return (
    <Section
      title="Pulls"
      note={
        done && progress.data
          ? `${done.pending} waiting, ${done.running} running, ${done.failed} failed, lag ${length(progress.data.lag_seconds * 1_000)}`
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
        columns={mayAct && query.status === 'failed' ? failedColumns : columns}
        list={list}
        keyOf={({ id }) => String(id)}
        empty={nothingIn('pull', query, 'Every connected source is pulled every SYNC_INTERVAL_SECONDS.')}
      />
    </Section>
  );
}
