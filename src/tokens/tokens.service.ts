import { Injectable } from '@nestjs/common';
import { LinkConfig } from '../config/config.js';
import { LinkAttemptsRepository } from '../link-attempts/link-attempts.repository.js';
import { tokenLifeMs } from '../link-attempts/link-state.js';
import { Clock } from '../platform/clock.js';
import { AppError } from '../platform/errors.js';
import { newId } from '../platform/ids.js';
import { UpstreamClient } from '../upstream/upstream.client.js';
import type { WireLinkToken, WireLinkTokenInput, WireSignInToken } from '../upstream/wire-users.js';
import { redirectProblem, withAttempt } from './redirect-url.js';
import { TokenIssuer } from './token-issuer.js';

const interactive = { priority: 'interactive' } as const;

export type LinkRequest = Omit<WireLinkTokenInput, 'user_id'>;

/** Sign-in and link tokens, fresh for each request and never kept. Errors are those of {@link TokenIssuer.issue}. */
@Injectable()
export class TokensService {
  constructor(
    private readonly desk: TokenIssuer,
    private readonly attempts: LinkAttemptsRepository,
    private readonly upstream: UpstreamClient,
    private readonly config: LinkConfig,
    private readonly clock: Clock,
  ) {}

  /** Signs one person in to upstream's mobile SDK, once per sign-in (supplement 4). */
  async signIn(accountId: string, installationId: string | null): Promise<WireSignInToken> {
    return this.desk.issue({ accountId, kind: 'sign_in', installationId }, (userId) =>
      this.upstream.createSignInToken(userId, interactive),
    );
  }

  /**
   * Opens one attempt to connect a source. The attempt is stored first and named in the query of `redirect_url`. Throws
   * `invalid_request` for a redirect address that is not allowed.
   */
  async link(accountId: string, request: LinkRequest): Promise<WireLinkToken & { link_attempt_id: string }> {
    this.assertRedirect(request.redirect_url);
    const id = newId();
    const at = this.clock.now();
    const attempt = { id, provider: request.provider ?? null, at, expiresAt: at + tokenLifeMs };
    const token = await this.desk.issue(
      {
        accountId,
        kind: 'link',
        installationId: null,
        also: (tx, accountRef) => this.attempts.insert(tx, { ...attempt, accountRef }),
      },
      (userId) => this.upstream.createLinkToken(linkInput(userId, id, request), interactive),
    );
    return { ...token, link_attempt_id: id };
  }

  private assertRedirect(address: string | null | undefined): void {
    if (address === null || address === undefined) return;
    const problem = redirectProblem(address, this.config.redirectOrigins);
    if (problem === null) return;
    const fields = [{ field: 'redirect_url', message: `redirect_url ${problem}` }];
    throw new AppError('invalid_request', 'The redirect address is not allowed.', { fields });
  }
}

function linkInput(userId: string, attemptId: string, request: LinkRequest): WireLinkTokenInput {
  const { redirect_url: address } = request;
  return { ...request, user_id: userId, redirect_url: address && withAttempt(address, attemptId) };
}
