import { Injectable } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { CallerLimitsConfig } from '../../platform/config/config.js';
import { Clock } from '../../platform/platform/clock.js';
import { AppError } from '../../platform/platform/errors.js';
import { leftSignal } from '../server/caller-left.js';
import { AdmissionTelemetry, type LimitReason } from './admission.telemetry.js';
import { Credentials } from './credentials.js';
import { type CallerKind, callerKindOf, type LimitName, limitNames, limitOf, places } from './limits.js';
import { Places } from './places.js';
import { Rate, WINDOW_SECONDS } from './rate.js';

interface Asked {
  readonly caller: string;
  readonly kind: CallerKind;
  readonly limit: LimitName;
}

/**
 * Lets a request in, judged by its head alone: who calls, how much of the caller's quota is left, and a place among the
 * requests of its kind. Nothing of a body is read before.
 *
 *   credentials -> quota of the caller -> share of the caller -> turn -> handled -> place given back
 *        401            429                    429      503
 */
@Injectable()
export class Admission {
  private readonly rates: Readonly<Record<LimitName, Rate>>;
  private readonly places = Object.fromEntries(limitNames.map((name) => [name, new Places(places[name])])) as Record<
    LimitName,
    Places
  >;

  constructor(
    private readonly credentials: Credentials,
    config: CallerLimitsConfig,
    clock: Clock,
    private readonly telemetry: AdmissionTelemetry,
  ) {
    this.rates = {
      sign_in: new Rate(clock, config.accountTokensPerMinute),
      link: new Rate(clock, config.accountTokensPerMinute),
      labs: new Rate(clock, config.accountLabCallsPerMinute),
      requests: new Rate(clock, config.accountRequestsPerMinute),
      keys: new Rate(clock, config.keyRequestsPerMinute),
    };
    telemetry.watch((name) => this.places[name].waiting);
  }

  /**
   * Returns once the request may go on; its place is given back when its answer has left or its caller has. Throws
   * `unauthorized`, `verification_unavailable`, `rate_limited`, `busy` or `caller_left`.
   */
  async admit(request: FastifyRequest, reply: FastifyReply): Promise<void> {
    const route = request.is404 ? '' : (request.routeOptions.url ?? '');
    const kind = callerKindOf(route);
    if (kind === null) return;
    const limit = limitOf(route, kind);
    const asked = { caller: await this.callerOf(request, kind), kind, limit };
    const left = leftSignal(reply.raw);
    try {
      this.spend(asked, reply);
      const release = await this.places[limit].enter(asked.caller, left);
      if (reply.raw.closed) release();
      else reply.raw.once('close', release);
    } catch (error) {
      this.count(asked, error);
      throw error;
    }
  }

  /**
   * One of the quota, whose state goes into the answer (draft-ietf-httpapi-ratelimit-headers-10). A key has one quota.
   */
  private spend({ caller, kind, limit }: Asked, reply: FastifyReply): void {
    const policy = kind === 'key' ? 'keys' : limit;
    const rate = this.rates[policy];
    const { remaining, resetSeconds, retryAfterSeconds } = rate.take(caller);
    void reply.header('ratelimit-policy', `"${policy}";q=${rate.quota};w=${WINDOW_SECONDS}`);
    void reply.header('ratelimit', `"${policy}";r=${remaining};t=${resetSeconds}`);
    if (retryAfterSeconds === null) return;
    throw new AppError('rate_limited', 'This caller has made too many requests.', {
      retryAfterSeconds,
      reason: 'quota',
    });
  }

  private count({ limit }: Asked, error: unknown): void {
    if (!(error instanceof AppError)) return;
    if (error.code === 'caller_left') this.telemetry.left(limit);
    else this.telemetry.limited(limit, error.code === 'busy' ? 'queue' : (error.reason as LimitReason));
  }

  private async callerOf(request: FastifyRequest, kind: CallerKind): Promise<string> {
    if (kind === 'account') return `account ${await this.credentials.accountOf(request)}`;
    return `key ${(await this.credentials.actorOf(request)).name}`;
  }
}
