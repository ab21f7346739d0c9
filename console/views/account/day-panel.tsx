import { type ReactNode, useMemo } from 'react';
import { Link } from 'wouter';
import type { EvidenceDto, ExplanationDto, Operations } from '../../lib/api.js';
import { withFilters } from '../../lib/filters.js';
import { useAct, useAnswer } from '../../lib/queries.js';
import { useMay } from '../../lib/session.js';
import { Instant, useToday } from '../../parts/age.js';
import { WholeDates } from '../../parts/breaking.js';
import { Empty, Failure, Shown } from '../../parts/conditions.js';
import { Commands } from '../../parts/copy.js';
import { StateShape } from '../../parts/state.js';
import { type CalendarRow, calendarRows, dateAfter, monthAfter, monthOf, spanAt, stateOfDay } from './calendar.js';
import { longDay, weeksOfMonth } from './days.js';

type Query = Operations['explainDay']['query'];

/** Explains a day: one sentence and its evidence. */
export function DayPanel({
  accountId,
  open: { day, resource, provider },
}: {
  readonly accountId: string;
  readonly open: { readonly day?: string; readonly resource?: string; readonly provider?: string };
}): ReactNode {
  if (day === undefined || resource === undefined) {
    return <Empty>Choose a day in the calendar to see its explanation and evidence.</Empty>;
  }
  return (
    <Explained key={`${resource}/${provider}`} accountId={accountId} query={{ day, resource, provider } as Query} />
  );
}

function Explained({ accountId, query }: { readonly accountId: string; readonly query: Query }): ReactNode {
  const options = { path: { account_id: accountId }, query };
  const answer = useAnswer('explainDay', options, { every: false });
  const { day, resource, provider } = query;
  return (
    <div className="day">
      <div className="explained">
        <h2>
          {longDay(day)} · {provider} {resource.replaceAll('_', ' ')}
          <Commands call="explainDay" options={options} />
        </h2>
        <Shown query={answer} of="the day" rows={4}>
          {answer.data && <Explanation explanation={answer.data} />}
        </Shown>
        <PullAgain accountId={accountId} day={day} resource={resource} />
      </div>
      {provider !== undefined && <Month accountId={accountId} day={day} resource={resource} provider={provider} />}
    </div>
  );
}

function Explanation({
  explanation: { account_id, conclusion, state, evidence },
}: {
  readonly explanation: ExplanationDto;
}) {
  const newest = useMemo(() => newestFirst(evidence), [evidence]);
  return (
    <>
      <p className="conclusion">
        <StateShape state={stateOfDay[state]} /> <WholeDates text={conclusion} />
      </p>
      <ol className="evidence" aria-label="Evidence">
        {newest.map((one, index) => (
          <li key={index} className={one.decisive ? 'decisive' : undefined}>
            <span className="when">{one.at === null ? <span className="muted">–</span> : <Instant at={one.at} />}</span>
            <span className="what">
              <WholeDates text={one.finding} />
              {one.decisive && <span className="note"> deciding evidence</span>}
            </span>
            <Reference evidence={one} accountId={account_id} />
          </li>
        ))}
      </ol>
    </>
  );
}

/** Evidence without a time comes last, in chain order. */
function newestFirst(evidence: readonly EvidenceDto[]): EvidenceDto[] {
  const timeOf = ({ at }: EvidenceDto): number => (at === null ? Number.NEGATIVE_INFINITY : Date.parse(at));
  return evidence.toSorted((one, other) => {
    const [early, late] = [timeOf(one), timeOf(other)];
    return early === late ? 0 : late > early ? 1 : -1;
  });
}

const pullsOf = (accountId: string): string => `/pulls?account_id=${encodeURIComponent(accountId)}`;

function Reference({
  evidence: { ref },
  accountId,
}: {
  readonly evidence: EvidenceDto;
  readonly accountId: string;
}): ReactNode {
  if (ref?.type === 'message') return <Link href={`/messages/${encodeURIComponent(ref.id)}`}>Open message</Link>;
  if (ref?.type === 'task') return <Link href={pullsOf(accountId)}>pull {ref.id}</Link>;
  return <span />;
}

const HOUR_MS = 3_600_000;

/** Pulls the day again, extended by the hours by which days differ around the world. */
function PullAgain({
  accountId,
  day,
  resource,
}: {
  readonly accountId: string;
  readonly day: string;
  readonly resource: Query['resource'];
}): ReactNode {
  const sync = useAct('requestSync');
  const mayAct = useMay('operator');
  const start = Date.parse(`${day}T00:00:00Z`);
  if (!mayAct) return null;
  const body = {
    resources: [resource],
    start: new Date(start - 14 * HOUR_MS).toISOString(),
    end: new Date(start + 36 * HOUR_MS).toISOString(),
  };
  return (
    <div className="line">
      <button
        type="button"
        disabled={sync.isPending}
        onClick={() => sync.mutate({ path: { account_id: accountId }, body })}
      >
        {sync.isPending ? 'Requesting the pull' : `Pull ${resource.replaceAll('_', ' ')} of this day again`}
      </button>
      {sync.data && (
        <span role="status">
          Requested: <Link href={pullsOf(accountId)}>pull {sync.data.task_ids.join(', ')}</Link>. The day is updated
          when it is done.
        </span>
      )}
      {sync.isError && <Failure error={sync.error} refused="No pull was requested." />}
    </div>
  );
}

/** The month of the day, with the shape of each day's state. */
function Month({
  accountId,
  day,
  resource,
  provider,
}: {
  readonly accountId: string;
  readonly day: string;
  readonly resource: Query['resource'];
  readonly provider: string;
}): ReactNode {
  const weeks = useMemo(() => weeksOfMonth(day), [day]);
  const dates = weeks.flat().filter((date) => date !== null);
  const [first = day] = dates;
  const { data } = useAnswer(
    'getCoverage',
    { path: { account_id: accountId }, query: { first_day: first, last_day: dates.at(-1) ?? day, resource, provider } },
    { every: 20_000 },
  );
  const [row] = useMemo(() => calendarRows(data?.data ?? [], first, dates.length), [data, first, dates.length]);
  const title = new Date(`${first}T00:00:00Z`).toLocaleDateString('en-GB', {
    ...{ month: 'long', year: 'numeric', timeZone: 'UTC' },
  });
  return (
    <table className="month" aria-label={title}>
      <caption>
        <span className="line between">
          <MonthLink month={monthAfter(day.slice(0, 7), -1)} arrow="←" />
          {title}
          <MonthLink month={monthAfter(day.slice(0, 7), 1)} arrow="→" />
        </span>
      </caption>
      <thead>
        <tr>
          {['Mo', 'Tu', 'We', 'Th', 'Fr', 'Sa', 'Su'].map((name) => (
            <th key={name} scope="col">
              {name}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {weeks.map((week) => (
          <tr key={week.find((date) => date !== null)}>
            {week.map((date, index) => (
              <td key={date ?? index}>
                {date !== null && <DayLink date={date} isOpen={date === day} row={row} index={dates.indexOf(date)} />}
              </td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  );
}

/** Opens the last day of another month that has begun; nothing for months to come. */
function MonthLink({ month, arrow }: { readonly month: string; readonly arrow: string }): ReactNode {
  const today = useToday();
  const { first, days } = monthOf(month);
  const last = dateAfter(first, days - 1);
  if (first > today) return <span />;
  const name = new Date(`${first}T00:00:00Z`).toLocaleDateString('en-GB', { month: 'long', timeZone: 'UTC' });
  return (
    <Link
      href={withFilters(window.location.search, { day: last < today ? last : today, month: undefined })}
      aria-label={name}
      replace
    >
      {arrow}
    </Link>
  );
}

function DayLink({
  date,
  isOpen,
  row,
  index,
}: {
  readonly date: string;
  readonly isOpen: boolean;
  readonly row: CalendarRow | undefined;
  readonly index: number;
}): ReactNode {
  const state = spanAt(row, index)?.state ?? 'unknown';
  return (
    <Link href={withFilters(window.location.search, { day: date })} aria-current={isOpen ? 'date' : undefined} replace>
      <StateShape state={state} />
      <span>{Number(date.slice(8))}</span>
      <span className="hidden"> {state}</span>
    </Link>
  );
}
