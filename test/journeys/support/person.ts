import { AccountsService } from '../../../src/accounts/accounts/accounts.service.js';
import { type Resource, resourceByName } from '../../../src/health/catalogue/catalogue.js';
import { mapGroups, mapSummaries } from '../../../src/health/catalogue/map-records.js';
import type { Records } from '../../../src/health/catalogue/records.js';
import { HealthDataService } from '../../../src/health/records/health-data.service.js';
import type { LatestDto } from '../../../src/operations/app-api/latest.dto.js';
import type { DailyDto, DayDto, HourDto, HourlyDto } from '../../../src/operations/app-api/statistics.dto.js';
import type { TodayDto } from '../../../src/operations/app-api/today.dto.js';
import type { OwnExplanationDto } from '../../../src/operations/explain/explain.dto.js';
import { HOUR, MINUTE, newAccountId } from '../../support/environment.js';
import type { TestApp } from '../../support/test-app.js';

export interface Sent {
  /** Minutes after midnight UTC. */
  readonly at: number;
  readonly minutes?: number;
  readonly value: number;
  readonly unit?: string;
  readonly [attribute: string]: unknown;
}

let looks = 0;

/** One person, and what they ask about a day. */
export class Person {
  private constructor(
    private readonly app: TestApp,
    private readonly account: string,
    private readonly day: string,
  ) {}

  static async on(app: TestApp, day: string, zone?: string): Promise<Person> {
    const account = newAccountId();
    await app.admin('POST', '/accounts', { account_id: account, ...(zone && { fallback_time_zone: zone }) });
    return new Person(app, account, day);
  }

  async sends(name: string, source: object, points: readonly Sent[]): Promise<void> {
    const resource = resourceByName(name) as Resource;
    const data = points.map(({ at, minutes = 0, unit = resource.unit, ...point }) => {
      const time = Date.parse(this.day) + at * MINUTE;
      const [start, end] = [time, time + minutes * MINUTE].map((each) => new Date(each).toISOString());
      return { timestamp: start, start, end, unit, timezone_offset: 0, ...point };
    });
    await this.apply(mapGroups(resource, [{ source: { ...source }, data }]));
  }

  /** `from` and `to` in minutes after midnight UTC, `fields` beside them. */
  async sendsSummary(
    name: string,
    source: object,
    [from, to]: readonly [number, number],
    fields: object,
  ): Promise<void> {
    const resource = resourceByName(name) as Resource;
    const [start, end] = [from, to].map((at) => new Date(Date.parse(this.day) + at * MINUTE).toISOString());
    const times = { [String(resource.timeField)]: start, [String(resource.endField)]: end };
    const object = { id: `${name} of ${this.account}`, source, updated_at: end, ...times, ...fields };
    await this.apply(mapSummaries(resource, [object]));
  }

  private async apply(records: Records): Promise<void> {
    const { id: account } = await this.app.get(AccountsService).get(this.account);
    const provenance = { kind: 'message' as const, ref: ++looks, at: this.app.clock.now() + looks };
    await this.app.store.lane.run((tx) => this.app.get(HealthDataService).apply(tx, { account, records, provenance }));
  }

  /** What the person is told of a resource on their day. */
  async isToldOf(name: string, day = this.day): Promise<OwnExplanationDto> {
    const path = `/me/explain?resource=${name}&day=${day}`;
    return (await this.app.as<OwnExplanationDto>(this.account, 'GET', path)).body;
  }

  /** The value of the newest sample. */
  async latest(name: string): Promise<unknown> {
    const { body } = await this.app.as<{ data: readonly LatestDto[] }>(
      this.account,
      'GET',
      `/me/latest?resources=${name}`,
    );
    return (body.data[0]?.record as { value?: unknown } | null)?.value;
  }

  /** Every sample as it was received. */
  async values(name: string, query = ''): Promise<readonly unknown[]> {
    const { body } = await this.app.as<{ data: readonly object[] }>(this.account, 'GET', `/me/records/${name}${query}`);
    return body.data.map((one) => ('value' in one ? one.value : one));
  }

  /** Ids of the records that stand for the day. */
  async shown(name: string): Promise<readonly string[]> {
    const query = `?first_day=${this.day}&last_day=${this.day}&latest_per_day=true`;
    const { body } = await this.app.as<{ data: readonly { id: string }[] }>(
      this.account,
      'GET',
      `/me/records/${name}${query}`,
    );
    return body.data.map(({ id }) => id);
  }

  async today(): Promise<TodayDto> {
    return (await this.app.as<TodayDto>(this.account, 'GET', '/me/today')).body;
  }

  async daily(name: string): Promise<DayDto> {
    return (await this.ask<DailyDto>('daily', name)).days[0] as DayDto;
  }

  async hours(name: string): Promise<readonly HourDto[]> {
    return (await this.ask<HourlyDto>('hourly', name)).hours;
  }

  private async ask<T>(what: string, name: string): Promise<T> {
    const end = new Date(Date.parse(this.day) + 24 * HOUR).toISOString().slice(0, 10);
    const path = `/me/${what}?resources=${name}&start=${this.day}&end=${end}`;
    const { body } = await this.app.as<{ data: readonly T[] }>(this.account, 'GET', path);
    return body.data[0] as T;
  }
}
