import { Injectable } from '@nestjs/common';
import type { Account } from '../../accounts/accounts/accounts.service.js';
import { type Resource, resourceByName } from '../../health/catalogue/catalogue.js';
import { type Days } from '../../health/clock/day-spans.js';
import { PersonClocks } from '../../health/clock/person-clocks.service.js';
import { SampleStatistics } from '../../health/statistics/statistics.service.js';
import { Clock } from '../../platform/platform/clock.js';
import { invalidFields } from '../../platform/platform/errors.js';
import { yieldToEventLoop } from '../../platform/platform/event-loop.js';
import { DAY_MS, dateAfter, startOfDate } from '../../platform/platform/time.js';
import { DayEvidence } from '../explain/day-evidence.service.js';
import type { DayReason } from '../explain/day-state.js';
import { RecordsService } from './records.service.js';
import { type Found, toDailyDto, toHourlyDto } from './resource-statistics.js';
import type { DailyDto, DailyQuery, HourlyDto, HourlyQuery, StatisticsQuery } from './statistics.dto.js';
import { Wholeness } from './wholeness.js';

const limits = { day: { usual: 30, most: 366 }, hour: { usual: 1, most: 7 } } as const;

type Per = keyof typeof limits;

/** Statistics per local day and hour of a person, computed from the stored samples. */
@Injectable()
export class StatisticsService {
  constructor(
    private readonly statistics: SampleStatistics,
    private readonly clocks: PersonClocks,
    private readonly evidence: DayEvidence,
    private readonly records: RecordsService,
    private readonly clock: Clock,
  ) {}

  /** Throws `invalid_request` for an empty or too long range. */
  daily(account: Account, query: DailyQuery): Promise<DailyDto[]> {
    return this.each(account, query, 'day', (found) => toDailyDto(found, query.per ?? 'day'));
  }

  /** As `daily`. */
  hourly(account: Account, query: HourlyQuery): Promise<HourlyDto[]> {
    return this.each(account, query, 'hour', toHourlyDto);
  }

  /** Why a day of a resource without records is empty. */
  async reasonOf(account: Account, resource: Resource, day: string): Promise<DayReason> {
    const range = { start: startOfDate(day) - DAY_MS, end: startOfDate(day) + 2 * DAY_MS };
    const [streams, { spans }] = await Promise.all([
      this.evidence.of(account.id, range),
      this.clocks.ofResource(account, resource, { from: day, to: day }),
    ]);
    const own = streams.filter((stream) => stream.resource.name === resource.name);
    const [span] = spans;
    const nothing = { sources: [], ranked: [], present: [] };
    return span ? new Wholeness(own, account, this.clock.now()).reason(nothing, span) : 'never_pulled';
  }

  private async each<T>(account: Account, query: HourlyQuery, per: Per, toDto: (found: Found) => T): Promise<T[]> {
    const days = await this.daysOf(account, query, per);
    const range = { start: startOfDate(days.from) - DAY_MS, end: startOfDate(days.to) + 2 * DAY_MS };
    const streams = await this.evidence.of(account.id, range);
    const all: T[] = [];
    for (const name of query.resources) {
      const resource = resourceByName(name) as Resource;
      const found = await this.statistics.of(account, resource, days, { per, mode: query.source_mode ?? 'merged' });
      const own = streams.filter((stream) => stream.resource.name === name);
      const wholeness = new Wholeness(own, account, this.clock.now());
      const isSynced = !this.records.notSynced().includes(name);
      all.push(toDto({ ...found, resource, wholeness, isSynced }));
      await yieldToEventLoop();
    }
    return all;
  }

  private async daysOf(
    account: Account,
    { start, end, first_day = start, last_day = end && dateAfter(end, -1) }: StatisticsQuery,
    per: Per,
  ): Promise<Days> {
    const to = last_day ?? (await this.clocks.today(account));
    const { usual, most } = limits[per];
    const from = first_day ?? dateAfter(to, 1 - usual);
    const refuse = (message: string): never => {
      throw invalidFields({ field: end === undefined ? 'last_day' : 'end', message });
    };
    if (from > to) {
      refuse(
        end === undefined
          ? 'last_day must not be before first_day'
          : 'end must be after start: it is the day after the last one',
      );
    }
    if (startOfDate(to) - startOfDate(from) >= most * DAY_MS) refuse(`at most ${most} days`);
    return { from, to };
  }
}
