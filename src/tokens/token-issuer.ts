import { Injectable } from '@nestjs/common';
import { AccountsService } from '../accounts/accounts.service.js';
import type { Tx } from '../database/tx.js';
import { WriteLane } from '../database/write-lane.js';
import { Clock } from '../platform/clock.js';
import { AppError } from '../platform/errors.js';
import { HOUR_MS } from '../platform/time.js';
import { TokenIssuance } from './token-issuance.service.js';
import type { TokenKind } from './token-issue.entity.js';
import { type TokenIssue, TokensRepository } from './tokens.repository.js';
import { type DenialReason, TokensTelemetry } from './tokens.telemetry.js';

/** How many tokens of one kind an account gets within how long. A sign-in or a linking attempt needs one. */
export const issueLimit = { issues: 60, windowMs: 10 * 60_000 } as const;

/** More sign-in tokens than this in a day mean that an installation asks at every launch: one signs in once. */
export const frequentSignIns = { most: 5, windowMs: 24 * HOUR_MS } as const;

export interface IssueRequest {
  accountId: string;
  kind: TokenKind;
  installationId: string | null;
  /** Written with the record of the issue, or not at all. */
  also?: (tx: Tx, accountRef: number) => Promise<void>;
}

interface Admission {
  readonly withheld: DenialReason | null;
  /** When the limit lets the next one through; null if it is this one. */
  readonly retryAfterSeconds: number | null;
  readonly frequency: number | null;
}

const withheldBecause: Readonly<Record<DenialReason, string>> = {
  tokens_closed: 'No tokens are issued at present.',
  account_blocked: 'The account is blocked.',
  account_erased: 'The account is being erased, or its person was erased.',
};

/**
 * The one place that hands out tokens: account, limit and record first, then the token, which is passed on and kept
 * nowhere. Recording before asking makes the limit hold however many calls race; an issue whose call then fails stays
 * recorded, for it may have minted a token.
 */
@Injectable()
export class TokenIssuer {
  constructor(
    private readonly accounts: AccountsService,
    private readonly tokenSwitch: TokenIssuance,
    private readonly lane: WriteLane,
    private readonly tokens: TokensRepository,
    private readonly clock: Clock,
    private readonly events: TokensTelemetry,
  ) {}

  /**
   * What `mint` answers for the account's upstream user; the account is made on first use. Throws what
   * `AccountsService.ensure` throws, `tokens_closed`, `rate_limited`, `conflict` when upstream no longer knows the user, `UpstreamError`.
   */
  async issue<T>(wish: IssueRequest, mint: (userId: string) => Promise<T>): Promise<T> {
    const { kind } = wish;
    const account = await this.accounts.ensure(wish.accountId, { priority: 'interactive' });
    await this.record({ ...wish, accountRef: account.id, at: this.clock.now() }, wish.also);
    const token = await this.accounts.callFor(account, mint);
    this.assertNotWithheld(account.id, kind, await this.tokenSwitch.refusal(account.id));
    this.events.issued(account.id, kind);
    return token;
  }

  private async record(issue: TokenIssue, also: IssueRequest['also']): Promise<void> {
    const { accountRef, kind } = issue;
    const admission = await this.lane.run((tx) => this.admit(tx, issue, also));
    this.assertNotWithheld(accountRef, kind, admission.withheld);
    if (admission.retryAfterSeconds !== null) {
      const { retryAfterSeconds } = admission;
      this.events.limited(accountRef, kind);
      throw new AppError('rate_limited', 'Too many tokens were issued for this account.', { retryAfterSeconds });
    }
    const { frequency } = admission;
    if (frequency === frequentSignIns.most + 1) this.events.frequent(accountRef, frequency);
  }

  /** Records the issue unless something speaks against it. */
  private async admit(tx: Tx, issue: TokenIssue, also: IssueRequest['also']): Promise<Admission> {
    const { accountRef, kind, at } = issue;
    await tx.lock('account', accountRef);
    const withheld = await this.tokenSwitch.refusal(accountRef, tx);
    if (withheld !== null) return { withheld, retryAfterSeconds: null, frequency: null };
    const decisive = await this.tokens.issuedAt(tx, accountRef, kind, issueLimit.issues);
    const retryAfterSeconds = secondsToWait(decisive, at);
    if (retryAfterSeconds !== null) return { withheld, retryAfterSeconds, frequency: null };
    const frequency = await this.frequency(tx, issue);
    await this.tokens.insertIssue(tx, issue, frequency);
    await also?.(tx, accountRef);
    return { withheld, retryAfterSeconds, frequency };
  }

  private assertNotWithheld(accountRef: number, kind: TokenKind, reason: DenialReason | null): void {
    if (reason === null) return;
    this.events.denied(accountRef, kind, reason);
    throw new AppError(reason, withheldBecause[reason]);
  }

  /** How many sign-in tokens the installation gets in a day with this one; null while that is not too many. */
  private async frequency(tx: Tx, issue: TokenIssue): Promise<number | null> {
    if (issue.kind !== 'sign_in') return null;
    const count = 1 + (await this.tokens.countSince(tx, issue, issue.at - frequentSignIns.windowMs));
    return count > frequentSignIns.most ? count : null;
  }
}

/** `decisive` is when the issue was made that is as many back as the limit allows, null if there are fewer. */
function secondsToWait(decisive: number | null, now: number): number | null {
  const left = decisive === null ? 0 : decisive + issueLimit.windowMs - now;
  return left > 0 ? Math.ceil(left / 1000) : null;
}
