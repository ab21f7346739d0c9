import { type ReactNode, useState } from 'react';
import { length } from '../../lib/ages.js';
import type { RecoveryDto, RecoveryForecastDto, RecoveryRequest } from '../../lib/api.js';
import { useAct, useRows } from '../../lib/queries.js';
import { useMay } from '../../lib/session.js';
import { fromLocalInput, spanFilters, toLocalInput } from '../../lib/span.js';
import { useFilters } from '../../lib/use-filters.js';
import { Age, Instant } from '../../parts/age.js';
import { Failure } from '../../parts/conditions.js';
import { Commands } from '../../parts/copy.js';
import { Confirm } from '../../parts/dialog.js';
import { Facts, Section } from '../../parts/page.js';
import { StateMark } from '../../parts/state.js';
import { type Column, ListTable } from '../../parts/table.js';

const columns: readonly Column<RecoveryDto>[] = [
  { name: 'recovery', number: true, show: ({ recovery_id }) => recovery_id },
  {
    name: 'state',
    show: ({ state }) => <StateMark state={state === 'done' ? 'received' : 'waiting'}>{state}</StateMark>,
  },
  { name: 'from', show: ({ window }) => <Instant at={window.from} /> },
  { name: 'to', show: ({ window }) => <Instant at={window.to} /> },
  {
    name: 'progress',
    wide: true,
    show: ({ share_done, planned, done, failed }) => (
      <span className="line">
        <progress max={1} value={share_done} aria-label="Share done" />
        <span className="number">
          {done} of {planned} done{failed > 0 ? `, ${failed} failed` : ''}
        </span>
      </span>
    ),
  },
  { name: 'calls', number: true, show: ({ calls }) => calls.toLocaleString('en') },
  { name: 'end', show: ({ estimated_end, finished_at }) => <Age at={finished_at ?? estimated_end} /> },
];

/** Pulls the window of an outage again, after showing the cost. */
export function Recoveries(): ReactNode {
  const list = useRows('listRecoveries', { query: {} }, { every: 3_000 });
  const mayStart = useMay('operator');
  return (
    <>
      {mayStart && <Start />}
      <Section title="Recoveries">
        <ListTable
          label="Recoveries"
          columns={columns}
          list={list}
          keyOf={({ recovery_id }) => String(recovery_id)}
          empty="No recoveries yet. Upstream gives up deliveries after about a day; a recovery pulls the missed data."
        />
      </Section>
    </>
  );
}

function Start(): ReactNode {
  const [chosen] = useFilters(spanFilters);
  const [from, setFrom] = useState(toLocalInput(chosen.from));
  const [to, setTo] = useState(toLocalInput(chosen.to));
  const forecast = useAct('startRecovery');
  const start = useAct('startRecovery');
  const [isOpen, setOpen] = useState(false);
  const isReady = from !== '' && to !== '' && from < to;
  const body: RecoveryRequest = { from: fromLocalInput(from) ?? '', to: fromLocalInput(to) ?? '' };
  const found = forecast.data as RecoveryForecastDto | undefined;
  const counted = forecast.variables?.body;
  return (
    <Section title="Recover an outage" note="window in which deliveries were lost, in your local time">
      <form
        className="filters"
        onSubmit={(event) => {
          event.preventDefault();
          forecast.mutate({ body: { ...body, dry_run: true } }, { onSuccess: () => setOpen(true) });
        }}
      >
        <label className="filter">
          <span>from</span>
          <input type="datetime-local" value={from} required onChange={(event) => setFrom(event.target.value)} />
        </label>
        <label className="filter">
          <span>to</span>
          <input type="datetime-local" value={to} required onChange={(event) => setTo(event.target.value)} />
        </label>
        <button type="submit" disabled={!isReady || forecast.isPending}>
          {forecast.isPending ? 'Estimating' : 'Estimate the cost'}
        </button>
        {isReady && <Commands call="startRecovery" options={{ body }} />}
      </form>
      {forecast.isError && <Failure error={forecast.error} />}
      {isOpen && found && counted && (
        <Confirm
          title="Recover an outage"
          act={`Start ${found.pulls.toLocaleString('en')} ${found.pulls === 1 ? 'pull' : 'pulls'}`}
          isReady={found.pulls > 0}
          run={() => start.mutateAsync({ body: { from: counted.from, to: counted.to } })}
          onClose={() => setOpen(false)}
        >
          <Facts
            facts={[
              ['accounts', found.accounts.toLocaleString('en')],
              ['sources', found.sources.toLocaleString('en')],
              ['pulls', found.pulls.toLocaleString('en')],
              ['calls to upstream, at least', found.estimated_calls.toLocaleString('en')],
              ['time with the full budget', length(found.estimated_seconds * 1_000)],
            ]}
          />
          <p className="muted">The pulls run at the lowest priority. Stored records stay.</p>
        </Confirm>
      )}
    </Section>
  );
}
