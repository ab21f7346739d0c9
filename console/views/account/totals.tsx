import { type ReactNode, Suspense } from 'react';
import type { DailyDto, StatisticsSourceDto } from '../../lib/api.js';
import { later } from '../../lib/later.js';
import { useAnswer } from '../../lib/queries.js';
import { Loading, Shown } from '../../parts/conditions.js';
import { Commands } from '../../parts/copy.js';
import { Choice } from '../../parts/fields.js';
import { OnRequest } from '../../parts/on-request.js';
import { type Column, Table } from '../../parts/table.js';
import { barsOfDays } from './bars.js';
import { type DailyResource, dailyResources, numbersOfDay, shownUnit } from './day-numbers.js';

const BarChart = later(() => import('../../parts/bar-chart.js'));

type Day = DailyDto['days'][number];

/** Daily statistics, each day with the sources it is from; read on request. */
export function Totals({
  accountId,
  resource,
  onChange,
}: {
  readonly accountId: string;
  readonly resource: string | undefined;
  readonly onChange: (changes: { resource?: string | undefined }) => void;
}): ReactNode {
  const chosen = dailyResources.find((name) => name === resource);
  return (
    <OnRequest
      choice={chosen ?? null}
      act={`Show days of ${chosen?.replaceAll('_', ' ')}`}
      prompt="Choose a sample resource; summaries are already totals."
      filters={
        <Choice
          label="resource"
          value={chosen}
          values={dailyResources}
          all="choose one"
          onChange={(name) => onChange({ resource: name })}
        />
      }
    >
      {chosen && <Days accountId={accountId} resource={chosen} />}
    </OnRequest>
  );
}

function Days({ accountId, resource }: { readonly accountId: string; readonly resource: DailyResource }): ReactNode {
  const options = { path: { account_id: accountId }, query: { resources: [resource] } };
  const answer = useAnswer('readDays', options, { isOnRequest: true });
  return (
    <>
      <Commands call="readDays" options={options} />
      <Shown query={answer} of="the days" rows={8}>
        {answer.data?.data.map(({ resource: name, days }) => (
          <div key={name}>
            <div className="chart-place">
              <Suspense fallback={<Loading rows={6} of="the chart" />}>
                <DaysChart resource={name} days={days} />
              </Suspense>
            </div>
            <Table label={`Days of ${name}`} columns={columns} rows={[...days].reverse()} keyOf={({ day }) => day} />
          </div>
        ))}
      </Shown>
    </>
  );
}

/** Totals from zero, or the range of each day with its mean. */
function DaysChart({ resource, days }: { readonly resource: string; readonly days: readonly Day[] }): ReactNode {
  const bars = barsOfDays(days);
  const unit = shownUnit(days.find((day) => day.unit)?.unit);
  return (
    <BarChart bars={bars} label={`${resource.replaceAll('_', ' ')} of ${days.length} days; the table has each value`}>
      <span>
        {resource.replaceAll('_', ' ')}
        {unit !== '' && `, ${unit}`}
      </span>
      {bars.some(({ mark }) => mark !== undefined) && <span>from the lowest to the highest value; line: mean</span>}
      {bars.some(({ isHollow }) => isHollow) && <span>filled: systolic, hollow: diastolic</span>}
    </BarChart>
  );
}

const columns: readonly Column<Day>[] = [
  { name: 'day', show: ({ day }) => day },
  { name: 'numbers', number: true, show: (day) => numbersOfDay(day) },
  { name: 'samples', number: true, show: ({ count }) => count },
  { name: 'source', show: ({ source }) => (source ? nameOf(source) : '–') },
  { name: 'other sources', show: ({ other_sources }) => other_sources.map(nameOf).join(', ') || 'none' },
  {
    name: 'complete',
    wide: true,
    show: ({ partial, reason }) => (partial ? `no: ${reason.replaceAll('_', ' ')}` : 'yes'),
  },
];

function nameOf({ provider, type }: StatisticsSourceDto): string {
  return `${provider} ${type}`;
}
