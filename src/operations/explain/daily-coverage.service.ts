import { Injectable } from '@nestjs/common';
import { type Account, AccountsService } from '../../accounts/accounts/accounts.service.js';
import { isWhole, workouts } from '../../health/catalogue/catalogue.js';
import { type DaySpan, type Days } from '../../health/clock/day-spans.js';
import type { DayMeasure, RecordDay, StandingOfDay } from '../../health/reads/stored-day.js';
import { StoredDays } from '../../health/reads/stored-days.service.js';
import { Clock } from '../../platform/platform/clock.js';
import { invalidFields } from '../../platform/platform/errors.js';
import { yieldToEventLoop } from '../../platform/platform/event-loop.js';
import { groupedBy } from '../../platform/platform/grouped-by.js';
import { decodeCursor, type Page, pageOf } from '../../platform/platform/paging.js';
import { DAY_MS, dateAfter, isoOrNull, startOfDate } from '../../platform/platform/time.js';
import type { CoverageQuery, CoverageStreamDto } from './coverage.dto.js';
import { DayEvidence } from './day-evidence.service.js';
import { StreamDays, type StreamEvidence } from './day-facts.js';
import { codesOf, notesOfClock, notesOfSource } from './day-notes.js';
import { dayVerdict } from './day-state.js';
import { auditedOf } from './equal-days.js';
import { type JudgedDate, runsOf, wholeThrough } from './runs.js';

const DEFAULT_DAYS = 30;
const MAX_DAYS = 366;

/** Stored records of the requested days. */
interface Known {
  readonly stored: readonly RecordDay[];
  readonly gone: readonly RecordDay[];
  /** Of the resource of one stream. */
  readonly standing: readonly StandingOfDay[];
  readonly measures: readonly DayMeasure[];
}

const dateOfRow = ({ date }: { readonly date: string }): string => date;

/** State of every day of an account by source and resource: received, empty, pending, failed or unknown. */
@Injectable()
export class DailyCoverage {
  constructor(
    private readonly accounts: AccountsService,
    private readonly evidence: DayEvidence,
    private readonly storedDays: StoredDays,
    private readonly clock: Clock,
  ) {}

  /** Sorted by source and resource. Throws `not_found`, and `invalid_request` for an empty or too long range. */
  async list(accountId: string, query: CoverageQuery): Promise<Page<CoverageStreamDto>> {
    const account = await this.accounts.get(accountId);
    const days = await this.daysOf(account, query);
    const daysOf = await this.storedDays.daysOfResources(account, days);
    const { spans: dated } = await daysOf(workouts);
    const [sampled, summaries] = await Promise.all([
      this.storedDays.sampledStreams(account.id),
      this.storedDays.summaryDays(account.id, dated),
    ]);
    const range = { start: startOfDate(days.from) - DAY_MS, end: startOfDate(days.to) + 2 * DAY_MS };
    const streams = await this.evidence.of(account.id, range, [...sampled, ...summaries]);
    const page = pageOf(wanted(streams, query), query.limit, ({ provider, resource }) => [provider, resource.name]);
    const stored = [...summaries];
    const gone: RecordDay[] = [];
    const standing = new Map<string, readonly StandingOfDay[]>();
    const measures = new Map<string, readonly DayMeasure[]>();
    const spans = new Map<string, readonly DaySpan[]>();
    for (const resource of new Set(page.data.map((stream) => stream.resource))) {
      const own = await daysOf(resource);
      spans.set(resource.name, own.spans);
      gone.push(...(await this.storedDays.goneDays(account.id, resource, own)));
      standing.set(
        resource.name,
        resource.hasDay || !isWhole(resource) ? await this.storedDays.standingOf(account, resource, own) : [],
      );
      measures.set(resource.name, isWhole(resource) ? [] : await this.storedDays.measuresOf(resource, own));
      if (!isWhole(resource)) stored.push(...(await this.storedDays.sampleDays(resource.name, own)));
      await yieldToEventLoop();
    }
    const data: CoverageStreamDto[] = [];
    for (const stream of page.data) {
      const of = stream.resource.name;
      const noted = { standing: standing.get(of) ?? [], measures: measures.get(of) ?? [] };
      data.push(this.coverageOf(account, stream, spans.get(of) ?? [], { stored, gone, ...noted }));
      await yieldToEventLoop();
    }
    return { ...page, data };
  }

  private coverageOf(
    account: Account,
    stream: StreamEvidence,
    days: readonly DaySpan[],
    { stored, gone, standing, measures }: Known,
  ): CoverageStreamDto {
    const { provider, resource } = stream;
    const byDate = (rows: readonly RecordDay[]): Map<string, RecordDay> =>
      new Map(
        rows.filter((row) => row.provider === provider && row.resource === resource.name).map((row) => [row.date, row]),
      );
    const [storedOn, goneOn] = [byDate(stored), byDate(gone)];
    const [standingOn, measuresOn] = [groupedBy(standing, dateOfRow), groupedBy(measures, dateOfRow)];
    const facts = new StreamDays(stream, account, this.clock.now());
    const judged = days.map((span): JudgedDate => {
      const { date } = span;
      const { records, more } = storedOn.get(date) ?? { records: 0, more: false };
      const of = facts.facts(span, records);
      const beside = { standing: standingOn.get(date) ?? [], measures: measuresOn.get(date) ?? [] };
      const all = [...notesOfClock(span), ...notesOfSource({ ...stream, ...beside, span, due: of.due })];
      const askedUntil = all.find(({ until }) => until !== null)?.until ?? null;
      const noted = { notes: codesOf(all), askedUntil, equalAt: auditedOf(stream, span).equalAt };
      return { date, records, more, gone: goneOn.get(date)?.records ?? 0, ...noted, ...dayVerdict(of) };
    });
    const complete = judged.every(({ whole }) => whole);
    return {
      provider,
      resource: resource.name,
      complete,
      whole_through: wholeThrough(judged),
      days_in: [...new Set(days.map(({ by }) => by))].sort(),
      runs: runsOf(judged).map(({ askedUntil, equalAt, notes, ...run }) => {
        const times = { asked_again_until: isoOrNull(askedUntil), proven_equal_at: isoOrNull(equalAt) };
        return { ...run, notes: [...notes], ...times };
      }),
    };
  }

  private async daysOf(
    account: Account,
    { start, end, first_day = start, last_day = end }: CoverageQuery,
  ): Promise<Days> {
    const to = last_day ?? (await this.storedDays.today(account));
    const from = first_day ?? dateAfter(to, 1 - DEFAULT_DAYS);
    if (from > to) throw invalidFields({ field: 'last_day', message: 'last_day must not be before first_day' });
    if (startOfDate(to) - startOfDate(from) >= MAX_DAYS * DAY_MS)
      throw invalidFields({ field: 'first_day', message: `at most ${MAX_DAYS} days` });
    return { from, to };
  }
}

/** The matching streams after the cursor: one page plus one. */
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
