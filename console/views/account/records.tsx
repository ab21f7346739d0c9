import { type ReactNode, Suspense, useState } from 'react';
import { Link } from 'wouter';
import type { Operations, TracedHealthRecord } from '../../lib/api.js';
import { later } from '../../lib/later.js';
import { useAnswer, useRows } from '../../lib/queries.js';
import { Age, Instant } from '../../parts/age.js';
import { Loading } from '../../parts/conditions.js';
import { Commands, Copy } from '../../parts/copy.js';
import { Choice, TextFilter } from '../../parts/fields.js';
import { OnRequest } from '../../parts/on-request.js';
import { type Column, ListTable } from '../../parts/table.js';
import { barsOfRecords, hasBars } from './bars.js';
import { dateAfter } from './calendar.js';
import {
  hoursAndMinutes,
  isSeconds,
  numbersIn,
  originWords,
  usualNumber,
  valuesOf,
  valueWords,
} from './record-values.js';

const Chart = later(() => import('./chart.js'));
const BarChart = later(() => import('../../parts/bar-chart.js'));

type Resource = Operations['listRecords']['path']['resource'];

interface RecordsProps {
  readonly accountId: string;
  readonly resource: string | undefined;
  readonly provider: string | undefined;
  readonly day: string | undefined;
  readonly onChange: (changes: {
    resource?: string | undefined;
    day?: string | undefined;
    provider?: string | undefined;
  }) => void;
}

/** Health values, read only on request; the access log records each read. */
export function Records(props: RecordsProps): ReactNode {
  const { accountId, resource, day, provider, onChange } = props;
  const names = useResources(accountId);
  return (
    <OnRequest
      choice={resource === undefined ? null : `${resource} ${day} ${provider}`}
      act={`Show values of ${resource?.replaceAll('_', ' ')}`}
      prompt="Choose a resource."
      filters={
        <>
          <Choice
            label="resource"
            value={resource}
            values={names}
            all="choose one"
            onChange={(chosen) => onChange({ resource: chosen })}
          />
          <TextFilter label="source" value={provider} onChange={(chosen) => onChange({ provider: chosen })} />
          <TextFilter label="up to" type="date" value={day} onChange={(chosen) => onChange({ day: chosen })} />
        </>
      }
    >
      <Values accountId={accountId} resource={resource as Resource} provider={provider} day={day} />
    </OnRequest>
  );
}

/** Resources for which the account has coverage. */
function useResources(accountId: string): readonly string[] {
  const { data } = useAnswer(
    'getCoverage',
    { path: { account_id: accountId }, query: { limit: 500 } },
    { every: false },
  );
  return [...new Set(data?.data.map(({ resource }) => resource))].sort();
}

const DAYS = 14;

const columns: readonly Column<TracedHealthRecord>[] = [
  { name: 'time', show: ({ time }) => <Instant at={time} /> },
  { name: 'local', show: ({ local_time }) => local_time?.slice(0, 16).replace('T', ' ') ?? 'unknown' },
  { name: 'source', show: ({ source }) => `${source.provider} ${source.type}` },
  { name: 'value', wide: true, show: (record) => <Value record={record} /> },
  { name: 'from', show: (record) => <Origin record={record} /> },
  { name: 'received', show: ({ provenance }) => <Age at={provenance.observed_at} /> },
];

function Values({
  accountId,
  resource,
  provider,
  day,
}: {
  readonly accountId: string;
  readonly resource: Resource;
  readonly provider: string | undefined;
  readonly day: string | undefined;
}): ReactNode {
  const last = day ?? new Date().toISOString().slice(0, 10);
  const end = `${dateAfter(last, 2)}T00:00:00Z`;
  // The night of the first day began on the day before.
  const before = dateAfter(last, -DAYS);
  const start = `${before}T00:00:00Z`;
  const options = {
    path: { account_id: accountId, resource },
    query: { start, end, provider, include: 'gone' as const, limit: 500 },
  };
  const list = useRows('listRecords', options, { isOnRequest: true });
  const [chosen, setChosen] = useState<string>();
  const numbers = numbersIn(list.rows);
  const number = numbers.includes(chosen ?? '') ? chosen : usualNumber(numbers);
  return (
    <>
      <div className="line">
        {numbers.length > 1 && (
          <Choice label="chart of" value={number} values={numbers} all="the usual" onChange={setChosen} />
        )}
        <Commands call="listRecords" options={options} />
        <span className="note">
          {DAYS} days up to {last}, {list.rows.length} records read
        </span>
      </div>
      {number !== undefined && (
        <div className="chart-place">
          <Suspense fallback={<Loading rows={6} of="the chart" />}>
            {hasBars(resource) ? (
              <Bars records={list.rows} number={number} after={before} />
            ) : (
              <Chart records={list.rows} number={number} />
            )}
          </Suspense>
        </div>
      )}
      <ListTable
        label={`Records of ${resource}`}
        columns={columns}
        list={list}
        keyOf={(record) => `${record.time} ${record.source.provider} ${JSON.stringify(record.source)} ${idOf(record)}`}
        empty={`No ${resource.replaceAll('_', ' ')} record is stored for these days. The calendar explains why.`}
      />
    </>
  );
}

/** A bar for each night or day after this one. */
function Bars({
  records,
  number,
  after,
}: {
  readonly records: readonly TracedHealthRecord[];
  readonly number: string;
  readonly after: string;
}) {
  const bars = barsOfRecords(records, number).filter(({ day }) => day > after);
  const isTime = records.some((record) => isSeconds(valuesOf(record), number));
  const sources = [...new Set(bars.map(({ group }) => group))];
  const name = number.replaceAll('_', ' ');
  return (
    <BarChart
      bars={bars}
      label={`${name} of ${bars.length} records by day; the table has each value`}
      valueWords={isTime ? hoursAndMinutes : undefined}
    >
      <span>{name}, on the day of each record</span>
      {bars.some(({ isHollow }) => isHollow) && <span>hollow: nap or short sleep</span>}
      {sources.length > 1 && <span>of each day from the left: {sources.join(', ')}</span>}
    </BarChart>
  );
}

function idOf(record: TracedHealthRecord): string {
  const { id, type } = record as { id?: string; type?: string | null };
  return id ?? type ?? '';
}

function Value({ record }: { readonly record: TracedHealthRecord }): ReactNode {
  return (
    <>
      {valueWords(record)}
      {record.gone && (
        <span className="note">
          {' '}
          {record.gone.reason === 'gone'
            ? 'gone: two complete pulls did not show it'
            : 'superseded by an overlapping record'}
        </span>
      )}
    </>
  );
}

function Origin({ record }: { readonly record: TracedHealthRecord }): ReactNode {
  const { kind, message_id } = record.provenance;
  if (kind === 'message' && message_id) {
    return (
      <>
        <Link href={`/messages/${encodeURIComponent(message_id)}`}>message</Link> <Copy text={message_id} />
      </>
    );
  }
  return originWords(record);
}
