import { Injectable } from '@nestjs/common';
import type { AccountEntity } from '../accounts/account.entity.js';
import { AccountsService } from '../accounts/accounts.service.js';
import { type Resource, resourceByName } from '../catalogue/catalogue.js';
import { AlertConfig, SyncConfig } from '../config/config.js';
import { ConnectionsService } from '../connections/connections.service.js';
import { StreamDays } from '../day-evidence/day-facts.js';
import { dayVerdict } from '../day-evidence/day-state.js';
import { startOf } from '../day-evidence/days.js';
import { CoverageEvidence } from '../day-evidence/evidence.service.js';
import { MessagesService } from '../inbox/messages.service.js';
import { Clock } from '../platform/clock.js';
import { AppError } from '../platform/errors.js';
import { DAY_MS, HOUR_MS, toIso } from '../platform/time.js';
import { type Case, decidingSource, type SourceCase, type StoredOfDay } from './case.js';
import { evidenceOf } from './evidence.js';
import type { ExplainQuery, ExplanationDto } from './explain.dto.js';
import { ExplainReader } from './explain.reader.js';
import { conclude } from './explain-rules.js';

/** Deliveries about a day are looked for until so long after it. */
const AFTERMATH_MS = 3 * DAY_MS;

/** What is asked about, found. */
interface Question {
  readonly account: AccountEntity;
  readonly resource: Resource;
  readonly day: string;
  readonly provider: string | undefined;
}

/** The settings an answer depends on. */
@Injectable()
export class ExplainSettings {
  constructor(
    readonly sync: SyncConfig,
    readonly alert: AlertConfig,
    readonly clock: Clock,
  ) {}
}

/** Why a day of an account is empty or odd: what was looked at, and what it comes down to. */
@Injectable()
export class ExplainService {
  constructor(
    private readonly accounts: AccountsService,
    private readonly connections: ConnectionsService,
    private readonly evidence: CoverageEvidence,
    private readonly messages: MessagesService,
    private readonly reader: ExplainReader,
    private readonly settings: ExplainSettings,
  ) {}

  /** Throws `not_found` for an unknown account. */
  async explain(accountId: string, query: ExplainQuery): Promise<ExplanationDto> {
    const resource = resourceByName(query.resource);
    if (!resource) throw new AppError('invalid_request', 'There is no such resource.');
    const account = await this.accounts.get(accountId);
    const given = await this.look({ account, resource, day: query.day, provider: query.provider });
    const { code, sentence, decidedBy } = conclude(given);
    const source = decidingSource(given);
    const decides = (provider: string | null): boolean => provider === null || provider === source?.evidence.provider;
    return {
      account_id: account.account_id,
      resource: resource.name,
      day: query.day,
      state: source?.verdict.state ?? 'unknown',
      reason: code,
      conclusion: sentence,
      evidence: evidenceOf(given).map(({ at, kind, provider, finding, ref }) => ({
        at: at === null ? null : toIso(at),
        ...{ kind, provider, finding, ref },
        decisive: decidedBy.includes(kind) && (!source || decides(provider)),
      })),
    };
  }

  private async look(question: Question): Promise<Case> {
    const { account, resource, day, provider } = question;
    const start = startOf(day);
    const around = { start, end: start + DAY_MS + AFTERMATH_MS };
    const [connections, stored, messages, own, inbox] = await Promise.all([
      this.connections.list(account.id),
      this.reader.stored(account.id, resource, day),
      this.reader.messages(account.id, resource, around),
      this.reader.lastOfAccount(account.id),
      this.messages.figures(),
    ]);
    const now = this.settings.clock.now();
    const any = inbox.lastReceivedAt;
    return {
      ...{ account, resource, day, messages },
      phase: now < start ? 'ahead' : now < start + DAY_MS ? 'running' : 'over',
      synced: this.settings.sync.resources.includes(resource.name),
      connections: connections.filter((one) => provider === undefined || one.provider === provider),
      sources: await this.sources(question, stored),
      lastDelivery: { account: own, any },
      silent: any === null || now - any > this.settings.alert.silenceHours * HOUR_MS,
    };
  }

  private async sources(question: Question, stored: readonly StoredOfDay[]): Promise<SourceCase[]> {
    const { account, resource, day, provider } = question;
    const range = { start: startOf(day), end: startOf(day) + DAY_MS };
    const also = stored.map((row) => ({ provider: row.provider, resource: resource.name }));
    const streams = await this.evidence.of(account.id, range, also);
    return streams
      .filter((stream) => stream.resource.name === resource.name)
      .filter((stream) => provider === undefined || stream.provider === provider)
      .map((stream) => {
        const own = stored.find((row) => row.provider === stream.provider) ?? null;
        const days = new StreamDays(stream, account, this.settings.clock.now());
        const facts = days.facts(day, own?.records ?? 0);
        return { evidence: stream, facts, verdict: dayVerdict(facts), stored: own };
      });
  }
}
