import { Injectable } from '@nestjs/common';
import { AccountsService } from '../../accounts/accounts/accounts.service.js';
import { SampleStatistics } from '../../health/statistics/statistics.service.js';
import type { Cell, DayRows, DayTable, Row, TableColumn } from '../../storage/declarations/views.js';
import type { DailyDto, DayDto } from './statistics.dto.js';
import { StatisticsService } from './statistics.service.js';

type Numbers = Pick<DayDto, 'min' | 'max' | 'mean' | 'first' | 'last'>;

/** A column, and what it shows of a day. */
interface DailyColumn extends TableColumn {
  readonly cell: (day: DayDto, of: { account: number; daily: DailyDto }) => Cell | undefined;
}

function shown(name: string, type: TableColumn['type'], meaning: string, cell: DailyColumn['cell']): DailyColumn {
  return { name, type, meaning, cell };
}

const numbersOf = (day: DayDto): Numbers => day.systolic ?? day;
const listed = (list: readonly object[] | undefined): string | null => (list ? JSON.stringify(list) : null);

const columns: readonly DailyColumn[] = [
  shown('account_ref', 'integer', 'The person; `accounts` has the id.', (_, { account }) => account),
  shown('resource', 'text', 'Kind of data; see the resources below.', (_, { daily }) => daily.resource),
  shown('day', 'date', 'Local day of the person.', ({ day }) => day),
  shown(
    'statistics',
    'text',
    '`total`: `sum` is that of the day. `measure`: `mean`, `min` and `max` are.',
    (_, { daily }) => daily.statistics,
  ),
  shown('sum', 'number', 'Total; null for a measure.', ({ sum }) => sum),
  shown('min', 'number', 'Least; null for a total; of a blood pressure, the systolic.', (day) => numbersOf(day).min),
  shown('max', 'number', 'Largest; likewise.', (day) => numbersOf(day).max),
  shown('mean', 'number', 'Mean of the samples; likewise.', (day) => numbersOf(day).mean),
  shown('first', 'number', 'First value; of a blood pressure, the systolic.', (day) => numbersOf(day).first),
  shown('last', 'number', 'Last value; likewise.', (day) => numbersOf(day).last),
  shown('min2', 'number', 'Least diastolic pressure; null for anything else.', ({ diastolic }) => diastolic?.min),
  shown('max2', 'number', 'Largest diastolic pressure.', ({ diastolic }) => diastolic?.max),
  shown('mean2', 'number', 'Mean diastolic pressure.', ({ diastolic }) => diastolic?.mean),
  shown('first2', 'number', 'First diastolic pressure.', ({ diastolic }) => diastolic?.first),
  shown('last2', 'number', 'Last diastolic pressure.', ({ diastolic }) => diastolic?.last),
  shown('count', 'integer', 'Samples that count.', ({ count }) => count),
  shown('unit', 'text', 'Unit of the numbers; null if unknown.', ({ unit }) => unit),
  shown(
    'incomparable',
    'text',
    'Why there are samples but no numbers: `units` or `kinds`; null if there are.',
    ({ incomparable }) => incomparable,
  ),
  shown('first_at', 'time', 'Time of the first sample.', ({ first_at }) => first_at),
  shown('last_at', 'time', 'Time of the last sample.', ({ last_at }) => last_at),
  shown(
    'provider',
    'text',
    'Source of the numbers; of a total, the one that contributed most.',
    ({ source }) => source?.provider,
  ),
  shown('source_type', 'text', 'Type of that source, such as `watch`.', ({ source }) => source?.type || null),
  shown('other_sources', 'json', 'List of the other sources with samples on this day.', (day) =>
    listed(day.other_sources),
  ),
  shown('sources', 'json', 'Of a total: what each source contributed, in `minutes`, `samples` and `sum`.', (day) =>
    listed(day.sources),
  ),
  shown('left_out', 'json', 'Of a total: what was not added, because a better source counted then.', (day) =>
    listed(day.left_out),
  ),
  shown(
    'thinned',
    'boolean',
    'True if hourly sums of old samples took part, which are kept in place of the samples.',
    ({ thinned }) => thinned,
  ),
  shown('partial', 'boolean', 'False only if it is proven that nothing is missing.', ({ partial }) => partial),
  shown('reason', 'text', 'Why it is partial; `whole` if it is not.', ({ reason }) => reason),
];

/** The days with samples, as the API answers them. */
export const dailyTable: DayTable = {
  name: 'daily',
  about:
    'A resource of a person on a local day with samples, with the numbers of the API: several sources are merged, and ' +
    'nothing counts twice.',
  columns,
};

/** Computes the rows of {@link dailyTable} by the service that answers `daily`. */
@Injectable()
export class DailyRows implements DayRows {
  constructor(
    private readonly accounts: AccountsService,
    private readonly samples: SampleStatistics,
    private readonly statistics: StatisticsService,
  ) {}

  people(): Promise<number[]> {
    return this.samples.people();
  }

  nextDay(account: number, day: string): Promise<string | null> {
    return this.samples.nextDay(account, day);
  }

  async of(id: number, from: string, to: string): Promise<Row[]> {
    const account = await this.accounts.findById(id);
    if (account === null || account.status === 'erasing') return [];
    const resources = await this.samples.resourcesOf(id);
    const all = await this.statistics.daily(account, { resources, first_day: from, last_day: to });
    return all.flatMap((daily) => {
      const days = daily.days.filter(({ source, other_sources }) => source !== null || other_sources.length > 0);
      return days.map((day) => columns.map(({ cell }) => cell(day, { account: id, daily }) ?? null));
    });
  }
}
