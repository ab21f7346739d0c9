import { setTimeout as delay } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { CallerLimitsConfig } from '../../platform/config/config.js';
import { Clock } from '../../platform/platform/clock.js';
import { AppError } from '../../platform/platform/errors.js';
import { Metrics } from '../../platform/platform/metrics.js';
import { withinRequest } from '../../platform/platform/request-context.js';
import { ThisProcess } from '../../platform/platform/this-process.js';
import { callerAddress } from '../server/caller-address.js';
import { leftSignal } from '../server/caller-left.js';
import { whenClosed } from '../server/one-at-a-time.js';
import { Rate, WINDOW_SECONDS } from '../server/rate.js';
import { factsOf, type LimitName, limitNames, type RouteFacts } from '../server/route-facts.js';
import { MAX_KEY_REQUESTS_PER_MINUTE } from '../server/tuning.js';
import { callerOf, identify } from './caller.js';
import { Credentials } from './credentials.js';
import { isEventStream } from './event-stream.js';
import { limitOf, places, turns } from './limits.js';
import { Places } from './places.js';

/** If a request waits longer than this for a slot, an alarm is raised for ALARM_MS. */
const LONG_WAIT_MS = 2_000;
const ALARM_MS = 60_000;

/**
 * Refusals per minute that are sent immediately: of one caller, and of an address without valid credentials. Each
 * further one waits, so that a caller who ignores refusals takes hardly any time from others.
 */
export const MAX_REFUSALS = { caller: 300, address: 1_000 } as const;
export const REFUSAL_WAIT_MS = 1_000;

/** A key has one quota for all kinds of requests. */
type PolicyName = Exclude<LimitName, 'keys_upstream' | 'feed' | 'streams' | 'snapshots'>;

/**
 * Admits a request: first by its headers alone, before any of its body is read, then to a place while its handler runs.
 *
 *   headers: credentials -> quota of the caller -> share of the caller    body    place -> handler -> place given back
 *               401               429                  429                         503
 *
 * A caller who ignores its refusals gets the next ones later (`MAX_REFUSALS`).
 *
 * A share is held from the headers to the end of the response. A place is not: a caller who sends or reads slowly has
 * none, and one caller gets at most a quarter of the places of a kind.
 */
@Injectable()
export class Admission {
  private readonly rates: Readonly<Record<PolicyName, Rate>>;
  private readonly places = Object.fromEntries(limitNames.map((name) => [name, new Places(places[name])])) as Record<
    LimitName,
    Places
  >;
  private readonly turns = new Places(turns);
  private readonly refusedCallers;
  private readonly refusedAddresses;
  private readonly refusals;
  private readonly departures;

  constructor(
    private readonly credentials: Credentials,
    config: CallerLimitsConfig,
    private readonly clock: Clock,
    private readonly thisProcess: ThisProcess,
    metrics: Metrics,
  ) {
    const ofAccounts = (share: number): Rate => new Rate(clock, Math.ceil(config.accountRequestsPerMinute * share));
    this.rates = {
      sign_in: ofAccounts(2 / 5),
      link: ofAccounts(2 / 5),
      labs: ofAccounts(1 / 5),
      results: ofAccounts(1 / 5),
      requests: ofAccounts(1),
      keys: new Rate(clock, MAX_KEY_REQUESTS_PER_MINUTE),
    };
    this.refusedCallers = new Rate(clock, MAX_REFUSALS.caller);
    this.refusedAddresses = new Rate(clock, MAX_REFUSALS.address);
    const help = 'Requests refused by a limit, by reason';
    this.refusals = metrics.counter('rate_limited_total', help, ['limit', 'reason']);
    const left = 'Requests cancelled by the client while waiting for a slot';
    this.departures = metrics.counter('requests_left_total', left, ['limit']);
    metrics.gauge('requests_waiting', 'Requests waiting for a slot', ['limit'], (gauge) => {
      for (const limit of limitNames) gauge.set({ limit }, this.places[limit].waiting);
    });
    metrics.gauge('requests_running', 'Requests being handled in a slot', ['limit'], (gauge) => {
      for (const limit of limitNames) gauge.set({ limit }, this.places[limit].running);
    });
  }

  /** Checks a request by its headers. Throws `unauthorized`, `verification_unavailable` or `rate_limited`. */
  async admit(request: FastifyRequest, reply: FastifyReply): Promise<void> {
    const facts = factsOf(request);
    const usual = limitOf(facts);
    if (usual === null) return;
    const limit = isEventStream(request) ? 'streams' : usual;
    const policy = facts.caller === 'key' ? 'keys' : (limit as PolicyName);
    const caller = await this.nameOf(request, facts).catch(async (error: unknown) => {
      await this.pace(this.refusedAddresses, callerAddress(request), reply);
      throw error;
    });
    try {
      this.spend(caller, policy, reply);
      const close = this.places[limit].open(caller);
      whenClosed(request.raw, reply.raw, close);
    } catch (error) {
      this.count(limit, error);
      await this.pace(this.refusedCallers, caller, reply);
      throw error;
    }
    identify(request, { admitted: { caller, limit } });
  }

  /**
   * Waits for a slot for the handler of an admitted request. Call the result when the handler has ended. Throws `busy`
   * or `caller_left`.
   */
  async place(request: FastifyRequest, reply: FastifyReply): Promise<() => void> {
    const { admitted } = callerOf(request);
    if (!admitted) return () => undefined;
    const places = this.places[admitted.limit];
    const { isFull } = places;
    const from = this.clock.monotonic();
    try {
      return await places.enter(admitted.caller, leftSignal(request.raw, reply.raw));
    } catch (error) {
      this.count(admitted.limit, error);
      throw error;
    } finally {
      if (isFull) this.waited(this.clock.monotonic() - from);
    }
  }

  /** Runs `work`, and everything that it starts, on behalf of the caller of an admitted request. */
  within<T>(request: FastifyRequest, work: () => T): T {
    const caller = callerOf(request).admitted?.caller;
    const mayReadReplica = factsOf(request).fromReplica === true;
    return caller === undefined ? work() : withinRequest({ caller, mayReadReplica }, work);
  }

  /** Waits for a turn at reading (`ReadTurns`). Call the result to end it. Throws `busy` or `caller_left`. */
  async turn(request: FastifyRequest, reply: FastifyReply): Promise<() => void> {
    const { admitted } = callerOf(request);
    if (!admitted) return () => undefined;
    return this.turns.enter(admitted.caller, leftSignal(request.raw, reply.raw));
  }

  private waited(ms: number): void {
    if (ms < LONG_WAIT_MS) return;
    const now = this.clock.now();
    this.thisProcess.note('callers_waiting', now - ms, now + ALARM_MS);
  }

  /**
   * Uses one request of the quota, and adds the quota's state to the response
   * (draft-ietf-httpapi-ratelimit-headers-10).
   */
  private spend(caller: string, policy: PolicyName, reply: FastifyReply): void {
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

  /** Waits before a refusal if this caller or address has had too many. Never rejects. */
  private async pace(refused: Rate, name: string, { request, raw }: FastifyReply): Promise<void> {
    if (refused.take(name).retryAfterSeconds === null) return;
    const signal = leftSignal(request.raw, raw);
    await delay(REFUSAL_WAIT_MS, undefined, { signal, ref: false }).catch(() => undefined);
  }

  /** Reasons: the caller is over its quota, has too many open requests, or too many requests are waiting. */
  private count(limit: LimitName, error: unknown): void {
    if (!(error instanceof AppError)) return;
    if (error.code === 'caller_left') this.departures.inc({ limit });
    else this.refusals.inc({ limit, reason: error.code === 'busy' ? 'queue' : (error.reason ?? '') });
  }

  private async nameOf(request: FastifyRequest, { caller }: RouteFacts): Promise<string> {
    if (caller === 'account') return `account ${await this.credentials.accountOf(request)}`;
    return `key ${(await this.credentials.actorOf(request)).name}`;
  }
}
