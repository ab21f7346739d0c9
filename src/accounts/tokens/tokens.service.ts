import { Injectable } from '@nestjs/common';
import { LinkConfig } from '../../platform/config/config.js';
import { Clock } from '../../platform/platform/clock.js';
import { AppError } from '../../platform/platform/errors.js';
import { type AccountId, newId } from '../../platform/platform/ids.js';
import type { Tx } from '../../storage/database/tx.js';
import { WriteLane } from '../../storage/database/write-lane.js';
import { inputRefusal, refusesInput, sameNames } from '../../upstream/client/input-refusal.js';
import { UpstreamClient } from '../../upstream/client/upstream.client.js';
import type { WireLinkToken, WireLinkTokenInput, WireSignInToken } from '../../upstream/client/wire-users.js';
import { UpstreamError } from '../../upstream/transport/upstream-error.js';
import { AccountsService } from '../accounts/accounts.service.js';
import { LinkAttempts } from '../link-attempts/link-attempts.service.js';
import { frequencyOf } from './frequent-sign-ins.service.js';
import { redirectProblem, withAttempt } from './redirect-url.js';
import { TokenIssuance } from './token-issuance.service.js';
import type { TokenKind } from './token-issue.entity.js';
import { frequentSignIns, issueLimit } from './token-limits.js';
import { type TokenIssue, TokensRepository } from './tokens.repository.js';
import { type DenialReason, TokensTelemetry } from './tokens.telemetry.js';

export type LinkRequest = Omit<WireLinkTokenInput, 'user_id'>;

export interface IssueRequest {
  readonly externalId: string;
  readonly kind: TokenKind;
  readonly installationId: string | null;
  /** Aborts if the caller disconnects: then nothing is recorded or requested. The account is still created. */
  readonly left?: AbortSignal | undefined;
  /** Written with the record of the issue, or not at all. */
  readonly also?: (tx: Tx, accountId: AccountId) => Promise<void>;
}

interface Admission {
  readonly denied: DenialReason | null;
  /** When the limit lets the next one through; null if it is this one. */
  readonly retryAfterSeconds: number | null;
  readonly frequency: number | null;
}

const denialTexts: Readonly<Record<DenialReason, string>> = {
  tokens_closed: 'Token issuance is disabled.',
  account_blocked: 'The account is blocked.',
  account_erased: 'The account is being erased, or its person was erased.',
};

/**
 * Issues sign-in and link tokens, fresh for each request and never kept: account, limit and record first, then the
 * token. Recording before asking makes the limit hold however many calls race; an issue whose call then fails stays
 * recorded, since upstream may have created a token.
 */
@Injectable()
export class TokensService {
  constructor(
    private readonly accounts: AccountsService,
    private readonly issuance: TokenIssuance,
    private readonly lane: WriteLane,
    private readonly tokens: TokensRepository,
    private readonly attempts: LinkAttempts,
    private readonly upstream: UpstreamClient,
    private readonly config: LinkConfig,
    private readonly clock: Clock,
    private readonly telemetry: TokensTelemetry,
  ) {}

  /**
   * Signs one person in to upstream's mobile SDK, once per sign-in
   * (docs/upstream/linking-and-tokens.md#once-for-a-sign-in). Throws as `issue` does.
   */
  signIn(externalId: string, installationId: string | null, left?: AbortSignal): Promise<WireSignInToken> {
    return this.issue({ externalId, kind: 'sign_in', installationId, left }, (userId) =>
      this.upstream.createSignInToken(userId, { priority: 'sign_in', ...(left ? { signal: left } : {}) }),
    );
  }

  /**
   * Begins one attempt to connect a source. The attempt is stored first and named in the query of `redirect_url`.
   * Throws as `issue` does, `invalid_request` for a redirect address that is not allowed, and
   * `upstream_invalid_request` with the fields that upstream refuses, such as a provider it does not know.
   */
  async link(
    externalId: string,
    request: LinkRequest,
    left?: AbortSignal,
  ): Promise<WireLinkToken & { link_attempt_id: string }> {
    this.assertRedirect(request.redirect_url);
    const id = newId();
    const provider = request.provider ?? null;
    const also = (tx: Tx, accountId: AccountId): Promise<void> => this.attempts.begin(tx, { id, accountId, provider });
    const token = await this.issue({ externalId, kind: 'link', installationId: null, also, left }, (userId) =>
      this.upstream
        .createLinkToken(linkInput(userId, id, request), { priority: 'interactive', ...(left ? { signal: left } : {}) })
        .catch(rejectInput),
    );
    return { ...token, link_attempt_id: id };
  }

  /**
   * Returns the result of `create` for the account's upstream user; creates the account on first use. Throws what
   * `AccountsService.ensure` throws, `tokens_closed`, `rate_limited`, `conflict` when upstream no longer knows the
   * user, `UpstreamError`.
   */
  async issue<T>(
    { externalId, also, left, ...request }: IssueRequest,
    create: (userId: string) => Promise<T>,
  ): Promise<T> {
    const priority = request.kind === 'sign_in' ? 'sign_in' : 'interactive';
    const account = await this.accounts.ensure(externalId, { priority });
    left?.throwIfAborted();
    await this.record({ ...request, accountId: account.id, at: this.clock.now() }, also);
    const token = await this.accounts.callFor(account, create);
    this.assertNotDenied(account.id, request.kind, await this.issuance.denial(account.id));
    this.telemetry.issued(account.id, request.kind);
    return token;
  }

  private async record(issue: TokenIssue, also: IssueRequest['also']): Promise<void> {
    const { accountId, kind } = issue;
    const { denied, retryAfterSeconds, frequency } = await this.lane.run((tx) => this.admit(tx, issue, also));
    this.assertNotDenied(accountId, kind, denied);
    if (retryAfterSeconds !== null) {
      this.telemetry.limited(accountId, kind);
      throw new AppError('rate_limited', 'Too many tokens were issued for this account.', { retryAfterSeconds });
    }
    if (frequency === frequentSignIns.max + 1) this.telemetry.frequent(accountId, frequency);
  }

  /** Records the issue unless it is denied or beyond the limit. */
  private async admit(tx: Tx, issue: TokenIssue, also: IssueRequest['also']): Promise<Admission> {
    const { accountId, kind, at } = issue;
    await tx.lock('account', accountId);
    const denied = await this.issuance.denial(accountId, tx);
    if (denied !== null) return { denied, retryAfterSeconds: null, frequency: null };
    const retryAfterSeconds = secondsToWait(await this.tokens.issuedAt(tx, accountId, kind, issueLimit.issues), at);
    if (retryAfterSeconds !== null) return { denied, retryAfterSeconds, frequency: null };
    const frequency = await this.frequency(tx, issue);
    await this.tokens.insertIssue(tx, issue, frequency);
    await also?.(tx, accountId);
    return { denied, retryAfterSeconds, frequency };
  }

  private assertNotDenied(accountId: AccountId, kind: TokenKind, reason: DenialReason | null): void {
    if (reason === null) return;
    this.telemetry.denied(accountId, kind, reason);
    throw new AppError(reason, denialTexts[reason]);
  }

  private async frequency(tx: Tx, issue: TokenIssue): Promise<number | null> {
    if (issue.kind !== 'sign_in') return null;
    return frequencyOf(await this.tokens.countSince(tx, issue, issue.at - frequentSignIns.windowMs));
  }

  private assertRedirect(address: string | null | undefined): void {
    if (address === null || address === undefined) return;
    const problem = redirectProblem(address, this.config.redirectOrigins);
    if (problem === null) return;
    const fields = [{ field: 'redirect_url', message: `redirect_url ${problem}` }];
    throw new AppError('invalid_request', 'The redirect address is not allowed.', { fields });
  }
}

const sent = sameNames('provider redirect_url filter_on_providers on_error on_close');

function rejectInput(error: unknown): never {
  if (!(error instanceof UpstreamError && refusesInput(error))) throw error;
  throw inputRefusal(error, sent, 'Upstream does not accept this configuration of a link token.');
}

function linkInput(userId: string, attemptId: string, request: LinkRequest): WireLinkTokenInput {
  const { redirect_url: address } = request;
  return { ...request, user_id: userId, redirect_url: address && withAttempt(address, attemptId) };
}

/** `limiting` is when the issue was made that is as many back as the limit allows, null if there are fewer. */
function secondsToWait(limiting: number | null, now: number): number | null {
  const left = limiting === null ? 0 : limiting + issueLimit.windowMs - now;
  return left > 0 ? Math.ceil(left / 1000) : null;
}
