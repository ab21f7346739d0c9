import { Injectable } from '@nestjs/common';
import type { Account } from '../../accounts/accounts/accounts.service.js';
import { catalogue, isWhole, type Resource, resourceByName } from '../../health/catalogue/catalogue.js';
import { StoredRecords, type SummaryRead } from '../../health/reads/stored-records.service.js';
import { HistoricalPulls, type HistoryState, historyStates } from '../../ingest/sources/historical-pulls.service.js';
import { DAY_MS, dateOf, startOfDate } from '../../platform/platform/time.js';
import { LatestService } from './latest.service.js';
import { MeService } from './me.service.js';
import { toRecordDto } from './records.dto.js';
import { RecordsService } from './records.service.js';
import { StatisticsService } from './statistics.service.js';
import type { TodayDto } from './today.dto.js';

const sleep = resourceByName('sleep') as Resource;
const activity = resourceByName('activity') as Resource;
type Resting = NonNullable<TodayDto['resting_heart_rate']>;
const readings = catalogue.filter((resource) => !isWhole(resource)).map(({ name }) => name);
const MOST_DAYS = 2;

/** Content of the first screen of an app, in one call. */
@Injectable()
export class TodayService {
  constructor(
    private readonly stored: StoredRecords,
    private readonly statistics: StatisticsService,
    private readonly newest: LatestService,
    private readonly history: HistoricalPulls,
    private readonly own: MeService,
    private readonly records: RecordsService,
  ) {}

  async today(account: Account): Promise<TodayDto> {
    const day = await this.stored.today(account);
    const [before, after] = [-DAY_MS, DAY_MS].map((ms) => dateOf(startOfDate(day) + ms)) as [string, string];
    const [nights, days, [steps], latest, sources, histories] = await Promise.all([
      this.ofDays(account, sleep, day, day),
      this.ofDays(account, activity, before, day),
      this.statistics.daily(account, { resources: ['steps'], start: day, end: after }),
      this.newest.latest(account, readings),
      this.own.sources(account),
      this.history.states(account.id),
    ]);
    const [night] = nights;
    return {
      day,
      sleep: night ? toRecordDto('sleep', night) : null,
      steps: steps?.days[0] ?? null,
      resting_heart_rate: restingHeartRate([
        ...nights.map((record) => ({ resource: 'sleep' as const, record })),
        ...days.map((record) => ({ resource: 'activity' as const, record })),
      ]),
      latest: latest.filter(({ state }) => state === 'stored'),
      sources,
      history: progressOf(histories.map(({ state }) => state)),
      not_synced: this.records.notSynced(),
    };
  }

  /** The records that represent these days, newest first. */
  private async ofDays(
    account: Account,
    resource: Resource,
    firstDay: string,
    lastDay: string,
  ): Promise<SummaryRead[]> {
    const filter = { account: account.id, resource, start: null, end: null, provider: null, sourceType: null };
    const rows = await this.stored.ofDays({ ...filter, firstDay, lastDay, after: null, limit: MOST_DAYS });
    return rows.filter((row) => row.kind === 'summary').reverse();
  }
}

/** The resting heart rate of the first record that has one. */
function restingHeartRate(records: readonly { resource: 'sleep' | 'activity'; record: SummaryRead }[]): Resting | null {
  for (const { resource, record } of records) {
    const { hr_resting: ofNight, heart_rate: ofDay } = record.raw as { hr_resting?: unknown; heart_rate?: unknown };
    const value = resource === 'sleep' ? ofNight : (ofDay as { resting_bpm?: unknown } | null | undefined)?.resting_bpm;
    if (typeof value !== 'number') continue;
    const { calendarDate, provider, sourceType: type } = record;
    return { value, resource, calendar_date: calendarDate ?? '', source: { provider, type } };
  }
  return null;
}

function progressOf(states: readonly HistoryState[]): Record<HistoryState, number> {
  const counts = historyStates.map((state) => [state, states.filter((one) => one === state).length] as const);
  return Object.fromEntries(counts) as Record<HistoryState, number>;
}
