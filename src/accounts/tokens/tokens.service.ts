import { Injectable } from '@nestjs/common';
import { LinkConfig } from '../../platform/config/config.js';
import { Clock } from '../../platform/platform/clock.js';
import { AppError } from '../../platform/platform/errors.js';
import { type AccountId, newId } from '../../platform/platform/ids.js';
import { decodeCursor, type Page, pageOf } from '../../platform/platform/paging.js';
import type { Tx } from '../../storage/database/tx.js';
import { WriteLane } from '../../storage/database/write-lane.js';
import { inputRefusal, refusesInput, sameNames } from '../../upstream/client/input-refusal.js';
import { UpstreamClient } from '../../upstream/client/upstream.client.js';
import type { WireLinkToken, WireLinkTokenInput, WireSignInToken } from '../../upstream/client/wire-users.js';
import { UpstreamError } from '../../upstream/transport/upstream-error.js';
import { AccountsService } from '../accounts/accounts.service.js';
import { LinkAttempts } from '../connections/link-attempts.service.js';
import { redirectProblem, withAttempt } from './redirect-url.js';
import { TokenIssuance } from './token-issuance.service.js';
import { frequentSignIns, issueLimit } from './token-limits.js';
import type { TokenKind } from './tokens.entity.js';
import { type FrequentInstallation, type TokenIssue, TokensRepository } from './tokens.repository.js';
import { TokensTelemetry } from './tokens.telemetry.js';

export type LinkRequest = Omit<WireLinkTokenInput, 'user_id'>;

export interface IssueRequest {
  readonly externalId: string;
  readonly kind: TokenKind;
  readonly installationId: string | null;
  /** Aborts if the caller disconnects. In that case nothing is recorded or requested; the account is still created. */
  readonly left?: AbortSignal | undefined;
  /** Runs in the transaction that records the issue. */
  readonly also?: (tx: Tx, accountId: AccountId) => Promise<void>;
}

/**
 * Issues sign-in and link tokens: a new one for each request, and none is stored. Ensures the account, checks the limit
 * and records the issue before it requests the token, so that racing calls cannot exceed the limit. If the call to
 * upstream then fails, the issue stays recorded, because upstream may have created a token.
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
   * Creates a token that signs a person in to upstream's mobile SDK; one per sign-in
   * (docs/upstream/linking-and-tokens.md#once-for-a-sign-in). Throws like `issue`.
   */
  signIn(externalId: string, installationId: string | null, left?: AbortSignal): Promise<WireSignInToken> {
    return this.issue({ externalId, kind: 'sign_in', installationId, left }, (userId) =>
      this.upstream.createSignInToken(userId, { priority: 'sign_in', ...(left ? { signal: left } : {}) }),
    );
  }

  /**
   * Begins an attempt to connect a source. Stores the attempt first and adds its id to the query of `redirect_url`.
   * Throws like `issue`, `invalid_request` if the redirect address is not allowed, and `upstream_invalid_request` with
   * the fields that upstream refuses, such as an unknown provider.
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
   * `AccountsService.ensure` throws, `tokens_closed`, `rate_limited`, `conflict` if upstream no longer has the user, or
   * `UpstreamError`.
   */
  async issue<T>(
    { externalId, also, left, ...request }: IssueRequest,
    create: (userId: string) => Promise<T>,
  ): Promise<T> {
    const { kind } = request;
    const account = await this.accounts.ensure(externalId, { priority: kind === 'sign_in' ? kind : 'interactive' });
    left?.throwIfAborted();
    const issue = { ...request, accountId: account.id, at: this.clock.now() };
    try {
      const frequency = await this.lane.run((tx) => this.record(tx, issue, also));
      if (frequency === frequentSignIns.max + 1) this.telemetry.frequent(account.id, frequency);
      const token = await this.accounts.callFor(account, create);
      await this.issuance.assertAdmitted(account.id);
      this.telemetry.issued(account.id, kind);
      return token;
    } catch (error) {
      if (error instanceof AppError) this.telemetry.refused(account.id, kind, error.code);
      throw error;
    }
  }

  /** Installations that received too many sign-in tokens in the last 24 hours, by account. */
  async frequent({ cursor, limit }: { cursor?: string; limit: number }): Promise<Page<FrequentInstallation>> {
    const after = cursor === undefined ? ([0, ''] as const) : decodeCursor(cursor, ['number', 'string']);
    const rows = await this.tokens.frequent(this.clock.now() - frequentSignIns.windowMs, after, limit + 1);
    return pageOf(rows, limit, ({ account_ref, installation }) => [account_ref, installation]);
  }

  /** Records the issue and returns its frequency. Throws if the issue is not allowed or exceeds the limit. */
  private async record(tx: Tx, issue: TokenIssue, also: IssueRequest['also']): Promise<number | null> {
    const { accountId, kind, at } = issue;
    await tx.lock('account', accountId);
    await this.issuance.assertAdmitted(accountId, tx);
    const retryAfterSeconds = secondsToWait(await this.tokens.issuedAt(tx, accountId, kind, issueLimit.issues), at);
    if (retryAfterSeconds !== null) {
      throw new AppError('rate_limited', 'Too many tokens were issued for this account.', { retryAfterSeconds });
    }
    const frequency = await this.frequency(tx, issue);
    await this.tokens.insertIssue(tx, issue, frequency);
    await also?.(tx, accountId);
    return frequency;
  }

  /** Sign-in tokens of the installation within a day, including this one; null if that is not too many. */
  private async frequency(tx: Tx, issue: TokenIssue): Promise<number | null> {
    if (issue.kind !== 'sign_in') return null;
    const count = 1 + (await this.tokens.countSince(tx, issue, issue.at - frequentSignIns.windowMs));
    return count > frequentSignIns.max ? count : null;
  }

  private assertRedirect(address: string | null | undefined): void {
    if (address === null || address === undefined) return;
    const problem = redirectProblem(address, this.config.redirectOrigins);
    if (problem === null) return;
    const fields = [{ field: 'redirect_url', message: `redirect_url ${problem}` }];
    throw new AppError('invalid_request', 'The redirect URL is not allowed.', { fields });
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

/** `limiting`: time of the issue at the position of the limit, counted back from the latest; null if there is none. */
function secondsToWait(limiting: number | null, now: number): number | null {
  const left = limiting === null ? 0 : limiting + issueLimit.windowMs - now;
  return left > 0 ? Math.ceil(left / 1000) : null;
}
