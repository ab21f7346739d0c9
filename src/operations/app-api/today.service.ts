import { Injectable } from '@nestjs/common';
import type { Account } from '../../accounts/accounts/accounts.service.js';
import { catalogue, isPossible, isWhole, type Resource, resourceByName } from '../../health/catalogue/catalogue.js';
import { kindOfSleep } from '../../health/catalogue/map-records.js';
import { sleepClass, sleepOf } from '../../health/reads/records-of-day.js';
import { StoredDays } from '../../health/reads/stored-days.service.js';
import { earlierUntil, type SummaryRead } from '../../health/reads/stored-record.js';
import { HistoricalPulls } from '../../ingest/sources/historical-pulls.service.js';
import { type HistoryState, historyStates } from '../../ingest/sources/history-state.js';
import { Clock } from '../../platform/platform/clock.js';
import { numberOrNull } from '../../platform/platform/json-reader.js';
import { CLOCK_TOLERANCE_MS, dateAfter, HOUR_MS } from '../../platform/platform/time.js';
import { LatestService } from './latest.service.js';
import { MeService } from './me.service.js';
import { toSummaryDto } from './records.dto.js';
import { RecordsService } from './records.service.js';
import { StatisticsService } from './statistics.service.js';
import type { TodayDto } from './today.dto.js';

const sleep = resourceByName('sleep') as Resource;
const activity = resourceByName('activity') as Resource;
const [heartrate, hrv, breathing] = ['heartrate', 'hrv', 'respiratory_rate'].map(resourceByName) as [
  Resource,
  Resource,
  Resource,
];
type Resting = NonNullable<TodayDto['resting_heart_rate']>;
const readings = catalogue.filter((resource) => !isWhole(resource)).map(({ name }) => name);
/** More records than the sleeps of four days. */
const MAX_RECORDS = 50;
/** A night that ended longer ago is not the last one any more. */
const NIGHT_REACH_MS = 36 * HOUR_MS;

/** Content of the first screen of an app, in one call. */
@Injectable()
export class TodayService {
  constructor(
    private readonly stored: StoredDays,
    private readonly statistics: StatisticsService,
    private readonly latest: LatestService,
    private readonly historicalPulls: HistoricalPulls,
    private readonly me: MeService,
    private readonly records: RecordsService,
    private readonly clock: Clock,
  ) {}

  async today(account: Account): Promise<TodayDto> {
    const day = await this.stored.today(account);
    const [before, after] = [dateAfter(day, -1), dateAfter(day, 1)];
    const [nightsOfDays, days, [steps], latest, sources, histories] = await Promise.all([
      this.ofDays(account, sleep, dateAfter(day, -2), after),
      this.ofDays(account, activity, before, day),
      this.statistics.daily(account, { resources: ['steps'], first_day: day, last_day: day }),
      this.latest.latest(account, readings),
      this.me.sources(account),
      this.historicalPulls.states(account.id),
    ]);
    const night = nightOf(nightsOfDays.filter(({ calendarDate }) => calendarDate === day));
    const last = this.newestNight(nightsOfDays);
    return {
      day,
      sleep: night ? toSummaryDto('sleep', night) : null,
      last_night: last ? nightDto(last, day, nightsOfDays) : await this.noNight(account, day),
      steps: steps?.days[0] ?? null,
      resting_heart_rate: restingHeartRate([
        ...(last ? [{ resource: 'sleep' as const, record: last }] : []),
        ...days.map((record) => ({ resource: 'activity' as const, record })),
      ]),
      latest: latest.filter(({ state }) => state === 'stored'),
      sources,
      history: progressOf(histories.map(({ state }) => state)),
      not_synced: this.records.notSynced(),
    };
  }

  /** The newest night of the last 36 hours, else the newest sleep; `nights` stand for their days. */
  private newestNight(nights: readonly SummaryRead[]): SummaryRead | undefined {
    const now = this.clock.now();
    const recent = nights
      .filter((night) => endOf(night) >= now - NIGHT_REACH_MS && night.time <= now + CLOCK_TOLERANCE_MS)
      .sort((a, b) => endOf(b) - endOf(a));
    return nightOf(recent);
  }

  /** Why there is none. */
  private async noNight(account: Account, day: string): Promise<TodayDto['last_night']> {
    const isSynced = !this.records.notSynced().includes(sleep.name);
    const reason = await this.statistics.reasonOf(account, sleep, day);
    const none = { resting_heart_rate: null, hrv: null, respiratory_rate: null };
    return { record: null, state: isSynced ? 'none' : 'not_synced', reason, other_nights: 0, ...none };
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
    const page = { firstDay, lastDay, after: null, limit: MAX_RECORDS };
    const rows = await this.stored.ofDays({ ...filter, ...present, ...page });
    return rows.filter((row) => row.kind === 'summary').sort((a, b) => dayOrder(b, a));
  }
}

function nightDto(night: SummaryRead, day: string, nights: readonly SummaryRead[]): TodayDto['last_night'] {
  const { calendarDate, raw } = night;
  const ofNight = calendarDate === day ? 'night_of_today' : 'earlier_night';
  return {
    record: toSummaryDto('sleep', night),
    state: 'stored',
    reason: isNight(night) ? ofNight : 'short_sleep_only',
    other_nights: nights.filter((one) => one !== night && one.calendarDate === calendarDate).length,
    resting_heart_rate: measured(raw['hr_resting'], heartrate),
    hrv: measured(raw['average_hrv'], hrv),
    respiratory_rate: measured(raw['respiratory_rate'], breathing),
  };
}

/** Null for what nobody can have, which sources send where they measured nothing (docs/meaning.md#no-reading). */
function measured(value: unknown, resource: Resource): number | null {
  const number = numberOrNull(value);
  return number !== null && isPossible(resource, number) ? number : null;
}

/** The main one of the long sleeps; without any, the newest. `nights` are sorted, newest first. */
function nightOf(nights: readonly SummaryRead[]): SummaryRead | undefined {
  return mainOf(nights.filter(isNight)) ?? nights[0];
}

/** The newest; if it is shorter than half of another one of its date, it is a siesta, and the longest is the night. */
function mainOf([newest, ...others]: readonly SummaryRead[]): SummaryRead | undefined {
  const ofDate = others.filter(({ calendarDate }) => calendarDate === newest?.calendarDate);
  const [longest] = ofDate.sort((a, b) => lengthOf(b) - lengthOf(a));
  return newest && longest && lengthOf(newest) < lengthOf(longest) / 2 ? longest : newest;
}

function lengthOf(sleep: SummaryRead): number {
  return endOf(sleep) - sleep.time;
}

function endOf({ time, endTime }: SummaryRead): number {
  return endTime ?? time;
}

/** By day, then by end. */
function dayOrder(a: SummaryRead, b: SummaryRead): number {
  const [of, other] = [a.calendarDate ?? '', b.calendarDate ?? ''];
  if (of !== other) return of < other ? -1 : 1;
  return endOf(a) - endOf(b);
}

/** True for a long sleep. */
function isNight({ raw, time, endTime }: SummaryRead): boolean {
  return sleepClass({ sleep: sleepOf(kindOfSleep(raw)), time, endTime }) === 1;
}

/** The resting heart rate of the first record that has one. */
function restingHeartRate(records: readonly { resource: 'sleep' | 'activity'; record: SummaryRead }[]): Resting | null {
  for (const { resource, record } of records) {
    const { hr_resting: ofNight, heart_rate: ofDay } = record.raw as { hr_resting?: unknown; heart_rate?: unknown };
    const ofActivity = (ofDay as { resting_bpm?: unknown } | null | undefined)?.resting_bpm;
    const value = measured(resource === 'sleep' ? ofNight : ofActivity, heartrate);
    if (value === null) continue;
    const { calendarDate, provider, sourceType: type } = record;
    return { value, resource, calendar_date: calendarDate ?? '', source: { provider, type } };
  }
  return null;
}

function progressOf(states: readonly HistoryState[]): Record<HistoryState, number> {
  const counts = historyStates.map((state) => [state, states.filter((one) => one === state).length] as const);
  return Object.fromEntries(counts) as Record<HistoryState, number>;
}
