import { type ReactNode, Suspense } from 'react';
import type { ActivityDto } from '../../lib/api.js';
import { later } from '../../lib/later.js';
import { useAnswer } from '../../lib/queries.js';
import { spanFilters } from '../../lib/span.js';
import { useFilters } from '../../lib/use-filters.js';
import { Instant } from '../../parts/age.js';
import { Loading, Partial, Shown } from '../../parts/conditions.js';
import { Commands } from '../../parts/copy.js';
import { Section } from '../../parts/page.js';
import { type State, StateMark } from '../../parts/state.js';
import { Table } from '../../parts/table.js';

const HoursChart = later(() => import('./hours-chart.js'));

/** Messages of the last 24 hours as a chart. */
export function Deliveries(): ReactNode {
  const query = useAnswer('getActivity');
  return (
    <Section
      title="Deliveries"
      note={
        <>
          last 24 hours, by hour of receipt <Commands call="getActivity" />
        </>
      }
    >
      <Shown query={query} of="the last 24 hours" rows={7}>
        {query.data && <Hours hours={query.data.messages} />}
      </Shown>
    </Section>
  );
}

/** Calls to upstream, among the other throughput figures. */
export function CallsInBrief(): ReactNode {
  const { data } = useAnswer('getActivity');
  if (!data) return '–';
  const { priorities, calls_per_second, circuit } = data.upstream;
  const calls = priorities.reduce((sum, { began }) => sum + began, 0) / 60;
  return (
    <>
      {rounded(calls)}
      <span className="unit"> of {rounded(calls_per_second)} calls/s</span>
      <span className="note">circuit {circuit.replaceAll('_', ' ')}</span>
    </>
  );
}

const rounded = (value: number): string => value.toLocaleString('en', { maximumFractionDigits: 1 });

/** Calls of the responding process to upstream. */
export function Upstream(): ReactNode {
  const query = useAnswer('getActivity');
  return (
    <Section title="Upstream">
      <Shown query={query} of="the calls to upstream" rows={6}>
        {query.data && <Calls upstream={query.data.upstream} />}
      </Shown>
    </Section>
  );
}

function Hours({ hours }: { readonly hours: ActivityDto['messages'] }): ReactNode {
  const [{ from, to }, change] = useFilters(spanFilters);
  const chosen = from && to ? { from: Date.parse(from) / 1_000, to: Date.parse(to) / 1_000 } : null;
  const choose = (stretch: { readonly from: number; readonly to: number }): void =>
    change({ from: isoOf(stretch.from), to: isoOf(stretch.to) });
  const isPartial = hours.some(({ waiting }) => waiting === null);
  const received = hours.reduce((sum, { processed, waiting }) => sum + processed + (waiting ?? 0), 0);
  return (
    <>
      {isPartial && (
        <Partial>
          More than 10,000 messages are waiting, so they are not counted by hour. The chart shows processed messages.
        </Partial>
      )}
      {received === 0 && !isPartial ? (
        <p className="empty">No message arrived in the last 24 hours.</p>
      ) : (
        <>
          <div className="hours-place">
            <Suspense fallback={<Loading rows={5} of="the chart" />}>
              <HoursChart hours={hours} chosen={chosen} onChoose={choose} />
            </Suspense>
          </div>
          <details>
            <summary>Chart data</summary>
            <Table
              label="Messages by hour"
              rows={[...hours].reverse()}
              keyOf={({ start }) => start}
              onOpen={({ start }) => choose({ from: Date.parse(start) / 1_000, to: Date.parse(start) / 1_000 + 3_600 })}
              columns={[
                { name: 'hour', show: ({ start }) => <Instant at={start} /> },
                { name: 'processed', number: true, show: ({ processed }) => processed.toLocaleString('en') },
                {
                  name: 'waiting',
                  number: true,
                  show: ({ waiting }) => waiting?.toLocaleString('en') ?? 'not counted',
                },
              ]}
            />
          </details>
        </>
      )}
    </>
  );
}

function isoOf(seconds: number): string {
  return new Date(seconds * 1_000).toISOString();
}

const circuits: Readonly<Record<ActivityDto['upstream']['circuit'], readonly [State, string]>> = {
  closed: ['received', 'closed: calls are allowed'],
  half_open: ['waiting', 'half open: one call tests whether upstream responds'],
  open: ['failed', 'open: upstream failed, so no calls are made'],
};

function Calls({ upstream }: { readonly upstream: ActivityDto['upstream'] }): ReactNode {
  const [state, words] = circuits[upstream.circuit];
  return (
    <>
      <p className="muted">{wordsOf(upstream)}.</p>
      <p>
        <StateMark state={state}>Circuit {words}.</StateMark>
      </p>
      <div className="narrow">
        <Table
          label="Calls to upstream by priority"
          rows={upstream.priorities}
          keyOf={({ priority }) => priority}
          columns={[
            { name: 'priority', show: ({ priority }) => priority.replaceAll('_', ' ') },
            { name: 'started in the last minute', number: true, show: ({ began }) => began.toLocaleString('en') },
            { name: 'waiting', number: true, show: ({ waiting }) => waiting.toLocaleString('en') },
          ]}
        />
      </div>
    </>
  );
}

/** Other instances may exist, but these figures are from one of them. */
function wordsOf({ role, instance, processes, calls_per_second, max_concurrency }: ActivityDto['upstream']): string {
  const share = `${rounded(calls_per_second)} calls per second, ${max_concurrency} at a time`;
  const other = processes - 1;
  const others =
    other === 0
      ? 'no other instance has reported'
      : `${other} other ${other === 1 ? 'instance shares' : 'instances share'} the budget (not shown)`;
  return `Instance ${instance} (role: ${role}): at most ${share}; ${others}`;
}
