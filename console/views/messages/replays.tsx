import type { UseQueryResult } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import type { Operations, ReplayDto } from '../../lib/api.js';
import { useAct, useAnswer } from '../../lib/queries.js';
import { useMay } from '../../lib/session.js';
import type { State } from '../../lib/states.js';
import { Age } from '../../parts/age.js';
import { Failure } from '../../parts/conditions.js';
import { Commands } from '../../parts/copy.js';
import { Section } from '../../parts/page.js';
import { StateMark } from '../../parts/state.js';
import { type Column, Table } from '../../parts/table.js';

const stateMarks: Readonly<Record<ReplayDto['state'], State>> = {
  running: 'waiting',
  cancelling: 'waiting',
  done: 'received',
  cancelled: 'gone',
};

const columns: readonly Column<ReplayDto>[] = [
  { name: 'replay', number: true, show: ({ replay_id }) => replay_id },
  { name: 'state', show: ({ state }) => <StateMark state={stateMarks[state]}>{state}</StateMark> },
  { name: 'messages', show: wordsOf },
  {
    name: 'progress',
    wide: true,
    show: ({ count, left, applied, ignored, retrying, failed }) => (
      <span className="line">
        <progress max={count || 1} value={count === 0 ? 1 : count - left} aria-label="Share attempted" />
        <span className="number">
          {applied.toLocaleString('en')} of {count.toLocaleString('en')} applied
          {ignored > 0 && `, ${ignored.toLocaleString('en')} ignored`}
          {retrying > 0 && `, ${retrying.toLocaleString('en')} retried automatically`}
          {failed > 0 && `, ${failed.toLocaleString('en')} dead`}
          {left > 0 && `, ${left.toLocaleString('en')} left`}
        </span>
      </span>
    ),
  },
  { name: 'started', show: ({ created_at }) => <Age at={created_at} /> },
  { name: 'ended', show: ({ finished_at }) => <Age at={finished_at} /> },
];

const options = { query: { limit: 5 } };

export function useReplays(): UseQueryResult<Operations['listMessageReplays']['answer']> {
  return useAnswer('listMessageReplays', options, { every: 2_000 });
}

/** The newest replays of many messages with their progress; not rendered if there are none. */
export function Replays(): ReactNode {
  const query = useReplays();
  const mayCancel = useMay('operator');
  const rows = query.data?.data ?? [];
  if (query.isError && query.data === undefined) {
    return <Failure error={query.error} retry={() => void query.refetch()} />;
  }
  if (rows.length === 0) return null;
  return (
    <Section
      title="Replays"
      note={
        <>
          the newest, with their first attempts <Commands call="listMessageReplays" options={options} />
        </>
      }
    >
      {query.isError && <Failure error={query.error} kept="The data below may be outdated." />}
      <Table
        label="Replays"
        columns={mayCancel ? [...columns, { name: 'action', show: (replay) => <Cancel replay={replay} /> }] : columns}
        rows={rows}
        keyOf={({ replay_id }) => String(replay_id)}
      />
    </Section>
  );
}

function Cancel({ replay: { replay_id, state } }: { readonly replay: ReplayDto }): ReactNode {
  const cancel = useAct('cancelMessageReplay');
  if (state !== 'running') return null;
  return (
    <>
      <button type="button" disabled={cancel.isPending} onClick={() => cancel.mutate({ path: { replay_id } })}>
        Cancel the rest
      </button>
      {cancel.isError && <Failure error={cancel.error} refused="The replay continues." />}
    </>
  );
}

function wordsOf({ filter }: ReplayDto): string {
  if (filter === null) return 'a selection';
  return Object.entries(filter)
    .map(([name, value]) => `${name.replaceAll('_', ' ')} ${value}`)
    .join(', ');
}
