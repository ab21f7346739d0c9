import { Injectable } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { AppError } from '../../platform/platform/errors.js';
import type { ExternalAccountId } from '../../platform/platform/ids.js';
import { OnceFor } from '../../platform/platform/once-for.js';
import { AdminKeys } from './admin-keys.js';
import { AppTokenVerifier } from './app-token.verifier.js';
import { type Actor, bearerOf } from './caller.js';
import { Cookies } from './cookies.js';
import { PersonTokenVerifier } from './person-token.verifier.js';
import { Refusals } from './refusals.js';
import { Sessions } from './sessions.service.js';

/**
 * Verifies the credentials of a request once, before its body is read; the route's guard gets the same result. Throws
 * `unauthorized` or `verification_unavailable`, and counts each refusal once.
 */
@Injectable()
export class Credentials {
  private readonly accounts = new OnceFor<FastifyRequest, Promise<ExternalAccountId>>();
  private readonly actors = new OnceFor<FastifyRequest, Promise<Actor>>();

  constructor(
    private readonly verifier: AppTokenVerifier,
    private readonly keys: AdminKeys,
    private readonly personTokens: PersonTokenVerifier,
    private readonly sessions: Sessions,
    private readonly cookies: Cookies,
    private readonly refusals: Refusals,
  ) {}

  accountOf(request: FastifyRequest): Promise<ExternalAccountId> {
    return this.accounts.get(request, () =>
      this.refusals.counted('app', () => this.verifier.verify(bearerOf(request, 'the access token of a person'))),
    );
  }

  /** Name and role of the admin key, of the person with an access token, or of the console session. */
  actorOf(request: FastifyRequest): Promise<Actor> {
    return this.actors.get(request, () => this.refusals.counted('admin', () => this.actor(request)));
  }

  /** Like `actorOf`, but verifies again, because the key may be revoked during a long response. */
  presentActorOf(request: FastifyRequest): Promise<Actor> {
    return this.refusals.counted('admin', () => this.actor(request));
  }

  /**
   * For a response that goes on for long: throws `unauthorized` once its key is revoked, and `forbidden` once it has
   * another role.
   */
  async assertUnchanged(request: FastifyRequest): Promise<void> {
    const [then, now] = [await this.actorOf(request), await this.presentActorOf(request)];
    if (now.role !== then.role) throw new AppError('forbidden', 'The role of this key has changed.');
  }

  private async actor(request: FastifyRequest): Promise<Actor> {
    const token = this.cookies.calling(request);
    if (token === undefined) {
      const bearer = bearerOf(request, 'a key of ADMIN_API_KEYS');
      // A key may have the form of a token.
      const isToken = this.personTokens.isCandidate(bearer) && this.keys.find(bearer) === undefined;
      return isToken ? this.personTokens.verify(bearer) : this.keys.identify(bearer);
    }
    const session = await this.sessions.find(token);
    return { name: session.name, role: session.role, kind: session.kind, session };
  }
}
