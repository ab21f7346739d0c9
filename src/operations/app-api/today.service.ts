import { Injectable } from '@nestjs/common';
import type { Account } from '../../accounts/accounts/accounts.service.js';
import { catalogue, isWhole, type Resource, resourceByName } from '../../health/catalogue/catalogue.js';
import {
  earlierUntil,
  StoredRecords,
  type SummaryRead,
  sleepClass,
} from '../../health/reads/stored-records.service.js';
import { HistoricalPulls, type HistoryState, historyStates } from '../../ingest/sources/historical-pulls.service.js';
import { Clock } from '../../platform/platform/clock.js';
import { DAY_MS, dateOf, HOUR_MS, startOfDate } from '../../platform/platform/time.js';
import { LatestService } from './latest.service.js';
import { MeService } from './me.service.js';
import { toSummaryDto } from './records.dto.js';
import { RecordsService } from './records.service.js';
import { StatisticsService } from './statistics.service.js';
import type { TodayDto } from './today.dto.js';

const sleep = resourceByName('sleep') as Resource;
const activity = resourceByName('activity') as Resource;
type Resting = NonNullable<TodayDto['resting_heart_rate']>;
const readings = catalogue.filter((resource) => !isWhole(resource)).map(({ name }) => name);
/** More records than the sleeps of four days. */
const MOST_RECORDS = 50;
/** A night that ended longer ago is not the last one any more. */
const NIGHT_REACH_MS = 36 * HOUR_MS;

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
    private readonly clock: Clock,
  ) {}

  async today(account: Account): Promise<TodayDto> {
    const day = await this.stored.today(account);
    const [before, after] = [-DAY_MS, DAY_MS].map((ms) => dateOf(startOfDate(day) + ms)) as [string, string];
    const [nightsOfDays, days, [steps], latest, sources, histories] = await Promise.all([
      this.ofDays(account, sleep, dateOf(startOfDate(day) - 2 * DAY_MS), after),
      this.ofDays(account, activity, before, day),
      this.statistics.daily(account, { resources: ['steps'], start: day, end: after }),
      this.newest.latest(account, readings),
      this.own.sources(account),
      this.history.states(account.id),
    ]);
    const nights = nightsOfDays.filter(({ calendarDate }) => calendarDate === day);
    const [night] = nights;
    return {
      day,
      sleep: night ? toSummaryDto('sleep', night) : null,
      last_night: await this.lastNight(account, day, nightsOfDays),
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

  /** The newest night of the last 36 hours; `nights` stand for their days. */
  private async lastNight(
    account: Account,
    day: string,
    nights: readonly SummaryRead[],
  ): Promise<TodayDto['last_night']> {
    const since = this.clock.now() - NIGHT_REACH_MS;
    const recent = nights.filter(({ time, endTime }) => (endTime ?? time) >= since);
    const night = recent.find(isNight) ?? recent[0];
    if (night) {
      const { calendarDate } = night;
      const ofNight = calendarDate === day ? 'night_of_today' : 'earlier_night';
      const others = nights.filter((one) => one !== night && one.calendarDate === calendarDate);
      return {
        record: toSummaryDto('sleep', night),
        state: 'stored',
        reason: isNight(night) ? ofNight : 'short_sleep_only',
        other_nights: others.length,
      };
    }
    const isSynced = !this.records.notSynced().includes(sleep.name);
    const [reason, none] = [await this.statistics.reasonOf(account, sleep, day), { record: null, other_nights: 0 }];
    return { ...none, state: isSynced ? 'none' : 'not_synced', reason };
  }

  /** The records that represent these days, newest first. */
  private async ofDays(
    account: Account,
    resource: Resource,
    firstDay: string,
    lastDay: string,
  ): Promise<SummaryRead[]> {
    const filter = { account: account.id, resource, start: null, end: null, provider: null, sourceType: null };
    const present = { earlierUntil: earlierUntil(account.relinked_at) };
    const page = { firstDay, lastDay, after: null, limit: MOST_RECORDS };
    const rows = await this.stored.ofDays({ ...filter, ...present, ...page });
    return rows.filter((row) => row.kind === 'summary').sort((a, b) => dayOrder(b, a));
  }
}

/** By day, then by end. */
function dayOrder(a: SummaryRead, b: SummaryRead): number {
  const [of, other] = [a.calendarDate ?? '', b.calendarDate ?? ''];
  if (of !== other) return of < other ? -1 : 1;
  return (a.endTime ?? a.time) - (b.endTime ?? b.time);
}

/** True for a long sleep. */
function isNight({ raw, time, endTime }: SummaryRead): boolean {
  const sleep = { long_sleep: 1, short_sleep: 0, acknowledged_nap: -1 }[String(raw['type'])] ?? null;
  return sleepClass({ sleep, time, endTime }) === 1;
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
