import { Injectable } from '@nestjs/common';
import type { AccountEntity } from '../accounts/account.entity.js';
import { AccountsService } from '../accounts/accounts.service.js';
import { Clock } from '../platform/clock.js';
import { AppError } from '../platform/errors.js';
import { yieldToEventLoop } from '../platform/event-loop.js';
import { decodeCursor, type Page, pageOf } from '../platform/paging.js';
import { DAY_MS } from '../platform/time.js';
import type { CoverageQuery, CoverageStreamDto } from './coverage.dto.js';
import { StreamDays, type StreamEvidence } from './day-facts.js';
import { dayVerdict } from './day-state.js';
import { dateOf, startOf } from './days.js';
import { CoverageEvidence } from './evidence.service.js';
import { type Days, type RecordDay, RecordDaysReader } from './record-days.reader.js';
import { datesOf, runsOf, type ToldDay, wholeThrough } from './runs.js';

const USUAL_DAYS = 30;
const MOST_DAYS = 366;

/** What is known of an account, for each source and resource: received, empty, pending, failed, unknown, day by day. */
@Injectable()
export class CoverageService {
  constructor(
    private readonly accounts: AccountsService,
    private readonly evidence: CoverageEvidence,
    private readonly records: RecordDaysReader,
    private readonly clock: Clock,
  ) {}

  /** By source and resource. Throws `not_found`, and `invalid_request` for days that are none or too many. */
  async list(accountId: string, query: CoverageQuery): Promise<Page<CoverageStreamDto>> {
    const days = this.daysOf(query);
    const account = await this.accounts.get(accountId);
    const [sampled, summaries] = await Promise.all([
      this.records.sampled(account.id),
      this.records.summaries(account.id, days),
    ]);
    const range = { start: startOf(days.from), end: startOf(days.to) + DAY_MS };
    const streams = await this.evidence.of(account.id, range, [...sampled, ...summaries]);
    const page = pageOf(wanted(streams, query), query.limit, ({ provider, resource }) => [provider, resource.name]);
    const stored = [...summaries];
    for (const resource of new Set(page.data.map((stream) => stream.resource.name))) {
      stored.push(...(await this.records.samples(account.id, resource, days)));
      await yieldToEventLoop();
    }
    const data: CoverageStreamDto[] = [];
    for (const stream of page.data) {
      data.push(this.told(account, stream, days, stored));
      await yieldToEventLoop();
    }
    return { ...page, data };
  }

  private told(
    account: AccountEntity,
    stream: StreamEvidence,
    days: Days,
    stored: readonly RecordDay[],
  ): CoverageStreamDto {
    const { provider, resource } = stream;
    const own = stored.filter((row) => row.provider === provider && row.resource === resource.name);
    const byDate = new Map(own.map((row) => [row.date, row]));
    const facts = new StreamDays(stream, account, this.clock.now());
    const told = datesOf(days).map((date): ToldDay => {
      const { records, more } = byDate.get(date) ?? { records: 0, more: false };
      return { date, records, more, ...dayVerdict(facts.facts(date, records)) };
    });
    const complete = told.every(({ whole }) => whole);
    return { provider, resource: resource.name, complete, whole_through: wholeThrough(told), runs: runsOf(told) };
  }

  private daysOf({ start, end }: CoverageQuery): Days {
    const to = end ?? dateOf(this.clock.now());
    const from = start ?? dateOf(startOf(to) - (USUAL_DAYS - 1) * DAY_MS);
    if (from > to) throw refused('end', 'end must not be before start');
    if (startOf(to) - startOf(from) >= MOST_DAYS * DAY_MS) throw refused('start', `at most ${MOST_DAYS} days`);
    return { from, to };
  }
}

/** What the query asks for, behind its cursor, and one more than a page. */
function wanted(streams: readonly StreamEvidence[], query: CoverageQuery): StreamEvidence[] {
  const { resource, provider, cursor, limit } = query;
  const [afterProvider, afterResource] = cursor === undefined ? ['', ''] : decodeCursor(cursor, ['string', 'string']);
  return streams
    .filter((stream) => resource === undefined || stream.resource.name === resource)
    .filter((stream) => provider === undefined || stream.provider === provider)
    .filter((stream) => {
      if (stream.provider !== afterProvider) return stream.provider > afterProvider;
      return stream.resource.name > afterResource;
    })
    .slice(0, limit + 1);
}

function refused(field: string, message: string): AppError {
  return new AppError('invalid_request', 'The days cannot be told.', { fields: [{ field, message }] });
}
