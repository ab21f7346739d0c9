import { Injectable } from '@nestjs/common';
import { type Account, AccountsService } from '../../accounts/accounts/accounts.service.js';
import { coveredResources, type Resource, resourceByName, unknownResource } from '../../health/catalogue/catalogue.js';
import { type DaySpan, phaseOf } from '../../health/clock/day-spans.js';
import type { DaysOfResource, ResourceDays } from '../../health/clock/person-clocks.service.js';
import type { AllOfDay, StoredOfDay } from '../../health/reads/stored-day.js';
import { StoredDays } from '../../health/reads/stored-days.service.js';
import { Audits } from '../../ingest/audits/audits.service.js';
import { isAbout, type MessageGroup, MessagesService } from '../../ingest/inbox/messages.service.js';
import { SyncConfig } from '../../platform/config/config.js';
import { Clock } from '../../platform/platform/clock.js';
import { DAY_MS, isoOrNull, type TimeRange } from '../../platform/platform/time.js';
import { AlarmsService } from '../alarms/alarms.service.js';
import { type Case, decidingSource, type SourceCase } from './case.js';
import { DayEvidence, type KnownOfAccount } from './day-evidence.service.js';
import { type DayNote, sayNote, sayOwnNote } from './day-notes.js';
import { evidenceOf } from './evidence.js';
import type {
  ExplainAllQuery,
  ExplainQuery,
  ExplanationDto,
  NoteDto,
  OwnExplainQuery,
  OwnExplanationDto,
} from './explain.dto.js';
import { conclude } from './explain-rules.js';
import { ownConclusion } from './own-conclusions.js';
import { notesOf } from './rule.js';
import { spoken } from './words.js';

/** Deliveries about a day are searched for up to this long after it. */
const AFTERMATH_MS = 3 * DAY_MS;

/** The looked-up subject of a question. */
interface Question {
  readonly account: Account;
  readonly resource: Resource;
  readonly days: ResourceDays;
  readonly span: DaySpan;
  readonly provider: string | undefined;
}

/** What is known of the day of an account, and its messages from then on. */
interface KnownOfDay extends KnownOfAccount {
  readonly messages: readonly MessageGroup[];
}

const nothingOfDay: AllOfDay = { stored: [], gone: [], standing: [], measures: [] };

/** What does not depend on the resource that a question is about. */
interface Circumstances {
  readonly account: Account;
  readonly lastOfAccount: number | null;
  readonly inbox: { readonly lastReceivedAt: number | null; readonly unread: number };
  readonly alarms: Case['alarms'];
  readonly daysOf: DaysOfResource;
  /** `StoredDays.resourcesOf` the day; null if only one resource is asked about. */
  readonly stored: ReadonlySet<string> | null;
  /** By start and end of the day, which differ between resources. */
  readonly known: Map<string, Promise<KnownOfDay>>;
}

/** Explains why a day of an account is empty or odd: the evidence and a conclusion. Audits then prove the day soon. */
@Injectable()
export class ExplainService {
  constructor(
    private readonly accounts: AccountsService,
    private readonly evidence: DayEvidence,
    private readonly messages: MessagesService,
    private readonly storedDays: StoredDays,
    private readonly sync: SyncConfig,
    private readonly alarms: AlarmsService,
    private readonly audits: Audits,
    private readonly clock: Clock,
  ) {}

  /** Throws `not_found` for an unknown account. */
  async explain(accountId: string, query: ExplainQuery): Promise<ExplanationDto> {
    const given = await this.asked(await this.circumstances(accountId, query.day), query);
    await this.audits.ask(given.account, given.resource.name, given.span);
    return explanationOf(given);
  }

  /** The conclusion and the notes in words for the person, without evidence. */
  async explainToPerson(accountId: string, query: OwnExplainQuery): Promise<OwnExplanationDto> {
    const given = await this.asked(await this.circumstances(accountId, query.day), query);
    const { account, resource, day, span } = given;
    await this.audits.ask(account, resource.name, span);
    const { code: reason } = conclude(given);
    const state = decidingSource(given)?.verdict.state ?? 'unknown';
    const conclusion = ownConclusion(reason, { what: spoken(resource.name), day });
    const notes = notesOf(given).map((told) => noteDto(told, sayOwnNote(told)));
    return { resource: resource.name, day, day_in: span.by, day_zone: span.zone, state, reason, conclusion, notes };
  }

  /** Handles one resource after another, so that other callers get their turn. */
  async explainAll(accountId: string, query: ExplainAllQuery): Promise<ExplanationDto[]> {
    const circumstances = await this.circumstances(accountId, query.day, true);
    const all: ExplanationDto[] = [];
    for (const resource of coveredResources) {
      all.push(explanationOf(await this.asked(circumstances, { ...query, resource })));
    }
    return all;
  }

  /** `ofAll`: for questions about all resources. */
  private async circumstances(accountId: string, day: string, ofAll = false): Promise<Circumstances> {
    const account = await this.accounts.get(accountId);
    const [lastOfAccount, inbox, alarms, daysOf, stored] = await Promise.all([
      this.messages.lastOfAccount(account.id),
      this.messages.figures(),
      this.alarms.current(this.clock.now()),
      this.storedDays.daysOfResources(account, { from: day, to: day }),
      ofAll ? this.storedDays.resourcesOf(account.id, day) : null,
    ]);
    return { account, lastOfAccount, inbox, alarms, daysOf, stored, known: new Map() };
  }

  private async asked(circumstances: Circumstances, { resource: name, provider }: ExplainQuery): Promise<Case> {
    const resource = resourceByName(name);
    if (!resource) throw unknownResource('invalid_request', name);
    const { account } = circumstances;
    const days = await circumstances.daysOf(resource);
    const [span] = days.spans;
    if (!span) throw new Error('no day without a span');
    return this.caseOf({ account, resource, days, span, provider }, circumstances);
  }

  private async caseOf(question: Question, circumstances: Circumstances): Promise<Case> {
    const { account, resource, days, span, provider } = question;
    const now = this.clock.now();
    const { lastOfAccount: own, inbox, alarms } = circumstances;
    const known = await this.knownIn(circumstances, span);
    const mayHave = days.series.length > 0 || (circumstances.stored?.has(resource.name) ?? true);
    const { stored, gone, standing, measures } = mayHave
      ? await this.storedDays.allOfDay(account, resource, days)
      : nothingOfDay;
    return {
      account,
      resource,
      day: span.date,
      span,
      standing: standing.filter((one) => provider === undefined || one.provider === provider),
      measures,
      messages: known.messages.filter((group) => resource.eventName !== null && isAbout(group, resource.eventName)),
      phase: phaseOf(span, now),
      synced: this.sync.resources.includes(resource.name),
      connections: known.connections.filter((one) => provider === undefined || one.provider === provider),
      sources: this.sources(question, known, stored),
      gone: gone.filter((one) => provider === undefined || one.provider === provider),
      asked: provider ?? null,
      lastDelivery: { account: own, any: inbox.lastReceivedAt },
      unread: inbox.unread,
      alarms,
    };
  }

  private knownIn({ account, known }: Circumstances, { start, end }: DaySpan): Promise<KnownOfDay> {
    const key = `${start} ${end}`;
    const read = known.get(key) ?? this.known(account.id, { start, end });
    known.set(key, read);
    return read;
  }

  private async known(account: number, day: TimeRange): Promise<KnownOfDay> {
    const [evidence, messages] = await Promise.all([
      this.evidence.known(account, day),
      this.messages.groupsOfAccount(account, { start: day.start, end: day.end + AFTERMATH_MS }),
    ]);
    return { ...evidence, messages };
  }

  private sources(question: Question, known: KnownOfAccount, stored: readonly StoredOfDay[]): SourceCase[] {
    const { account, resource, span, provider } = question;
    const also = stored.map((row) => ({ provider: row.provider, resource: resource.name }));
    return this.evidence
      .among(known, also)
      .filter((stream) => stream.resource.name === resource.name)
      .filter((stream) => provider === undefined || stream.provider === provider)
      .map((stream) => {
        const own = stored.find((row) => row.provider === stream.provider) ?? null;
        const judged = this.evidence.judge(stream, account, { span, records: own?.records ?? 0 });
        return { evidence: stream, ...judged, stored: own };
      });
  }
}

function explanationOf(given: Case): ExplanationDto {
  const { account, resource, day, span } = given;
  const { code, sentence, decidedBy } = conclude(given);
  const source = decidingSource(given);
  const decides = (provider: string | null): boolean => provider === null || provider === source?.evidence.provider;
  return {
    account_id: account.account_id,
    resource: resource.name,
    day,
    day_in: span.by,
    day_zone: span.zone,
    state: source?.verdict.state ?? 'unknown',
    reason: code,
    conclusion: span.by === 'utc' ? `${sentence} ${utcDay(day)}` : sentence,
    notes: notesOf(given).map((told) => noteDto(told, sayNote(told))),
    evidence: evidenceOf(given).map(({ at, kind, provider, finding, ref }) => ({
      at: isoOrNull(at),
      kind,
      provider,
      finding,
      ref,
      decisive: decidedBy.includes(kind) && (!source || decides(provider)),
    })),
  };
}

function noteDto({ code, provider, records, until }: DayNote, text: string): NoteDto {
  return { code, provider, records, until: isoOrNull(until), text };
}

/** Neither samples near the day nor the account show the person's offset from UTC. */
function utcDay(day: string): string {
  return `Here ${day} is the UTC day, because the time zone of the person is not known.`;
}
