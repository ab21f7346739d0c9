import { Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { UpstreamConfig } from '../../platform/config/config.js';
import { Clock } from '../../platform/platform/clock.js';
import { yieldToEventLoop } from '../../platform/platform/event-loop.js';
import { Log } from '../../platform/platform/log.js';
import { Metrics } from '../../platform/platform/metrics.js';
import { NetworkGate } from '../../platform/platform/network-gate.js';
import type { Trace } from '../../platform/platform/request-context.js';
import { ThisProcess } from '../../platform/platform/this-process.js';
import { currentTrace, nextTraceparent } from '../../platform/platform/trace.js';
import { traced } from '../../platform/platform/traces.js';
import { fillTemplate, NotSendable, queryString } from './address.js';
import { Budget, isForPerson, priorities } from './budget.js';
import type { CallOptions, Download, UpstreamCall } from './call.js';
import { Circuit, CircuitOpen, type CircuitStateName, circuitStates, type Verdict } from './circuit.js';
import { HttpExchange, NoResponse, type Outgoing } from './http-exchange.js';
import { passThrough } from './pdf-stream.js';
import { ResponseReader } from './response-reader.js';
import { retryDelay, Throttle } from './retry.js';
import { TimeLimit } from './time-limit.js';
import { TransportTuning } from './transport-tuning.js';
import { LONG_BODY_CHARACTERS } from './tuning.js';
import { UnreadableItems } from './unreadable-items.js';
import { UpstreamError } from './upstream-error.js';
import { UpstreamWatch } from './upstream-watch.js';

type Outcome<T> = Verdict & ({ value: T } | { error: UpstreamError });

type Sendable<T> = Omit<UpstreamCall<T>, 'read'>;

interface Prepared<T> {
  call: Sendable<T>;
  options: CallOptions;
  request: Omit<Outgoing, 'signal' | 'headers'>;
  /** Trace of the incoming request; read at the start, because the budget runs the call in another async context. */
  trace: Trace | undefined;
  deadline: TimeLimit;
  once: (request: Outgoing) => Promise<T>;
}

/**
 * One call: gate -> [ circuit -> turn in the budget -> circuit -> exchange -> read ] -> pause -> [ ... ]
 *
 * An attempt ends with a value, with an `UpstreamError`, or because we ended it (the caller's signal, the deadline).
 * Only `unavailable` and `throttled` are retried, only on repeatable routes, and the pause occupies no budget slot.
 * A call that failed with `unavailable` may still have taken effect upstream, so the caller of a change must be able to
 * repeat it. A call keeps no state across a crash.
 */
@Injectable()
export class Transport implements OnApplicationShutdown {
  private readonly exchange: HttpExchange;
  private readonly answers: ResponseReader;
  private readonly circuit: Circuit;
  private readonly watch: UpstreamWatch;
  private readonly throttle: Throttle;
  private readonly requests;
  private readonly durations;

  constructor(
    private readonly config: UpstreamConfig,
    private readonly gate: NetworkGate,
    clock: Clock,
    metrics: Metrics,
    private readonly log: Log,
    private readonly tuning: TransportTuning,
    thisProcess: ThisProcess,
    private readonly budget: Budget,
    unreadable: UnreadableItems,
  ) {
    this.exchange = new HttpExchange(tuning.maxResponseBytes);
    this.answers = new ResponseReader(clock, (operation, field) => unreadable.skipped(operation, field));
    this.throttle = new Throttle(clock, thisProcess);
    this.watch = new UpstreamWatch(thisProcess, clock);
    this.requests = metrics.counter('upstream_requests_total', 'Call attempts to upstream', ['operation', 'outcome']);
    this.durations = metrics.histogram('upstream_request_duration_seconds', 'Duration of call attempts to upstream', [
      'operation',
    ]);
    const state = metrics.gauge('upstream_circuit_state', '0 closed, 1 half open, 2 open');
    this.circuit = new Circuit(tuning.circuit, clock, (name) => state.set(circuitStates.indexOf(name)));
    metrics.gauge('upstream_waiting', 'Upstream calls waiting for a slot', ['priority'], (gauge) => {
      for (const priority of priorities) gauge.set({ priority }, this.budget.waiting(priority));
    });
  }

  get circuitState(): CircuitStateName {
    return this.circuit.state;
  }

  onApplicationShutdown(): void {
    this.exchange.close();
  }

  /** Makes the call and reads its JSON response. Throws `UpstreamError`, or the caller's abort reason. */
  async request<T>(call: UpstreamCall<T>, options: CallOptions): Promise<T> {
    return this.run(call, options, async (request) => {
      const answer = await this.exchange.text(request);
      if (answer.body.length > LONG_BODY_CHARACTERS) await yieldToEventLoop();
      return this.answers.json(call, answer);
    });
  }

  /**
   * Makes the call and streams the PDF in its response. The budget slot is released when the headers arrive. If the
   * body is truncated, too large or too slow, the stream ends with `UpstreamError`.
   */
  async download(call: Omit<UpstreamCall<Download>, 'read'>, options: CallOptions): Promise<Download> {
    const { operation } = call.route;
    return this.run(call, options, async (request) => {
      const pdf = this.answers.pdf(operation, await this.exchange.stream(request));
      if ((pdf.contentLength ?? 0) > this.tuning.maxPdfBytes) {
        pdf.stream.destroy();
        throw new UpstreamError({ kind: 'contract', reason: 'too_large', operation });
      }
      const stream = passThrough(pdf.stream, {
        idleMs: this.config.timeoutMs,
        totalMs: this.tuning.maxPdfMs,
        maxBytes: this.tuning.maxPdfBytes,
        signal: options.signal,
        broken: (reason) => {
          const kind = reason === 'too_large' ? 'contract' : 'unavailable';
          return new UpstreamError({ kind, reason, operation });
        },
      });
      return { ...pdf, stream };
    });
  }

  private async run<T>(call: Sendable<T>, options: CallOptions, once: (request: Outgoing) => Promise<T>): Promise<T> {
    const { operation } = call.route;
    this.gate.assertOpen(operation);
    const request = this.prepare(call);
    const deadlineMultiplier = isForPerson(options.priority) ? 1 : this.tuning.deadlineMultiplier;
    const ms = options.deadlineMs ?? this.config.timeoutMs * deadlineMultiplier;
    const late = (): UpstreamError => new UpstreamError({ kind: 'unavailable', reason: 'deadline', operation });
    const deadline = new TimeLimit(ms, options.signal, late);
    try {
      return await traced('upstream.call', { operation }, () =>
        this.tries({ call, options, request, trace: currentTrace(), deadline, once }),
      );
    } finally {
      deadline.end();
    }
  }

  private async tries<T>(prepared: Prepared<T>): Promise<T> {
    const { call, options, deadline } = prepared;
    for (let attempt = 1; ; attempt++) {
      const outcome = await this.oneTry(prepared);
      if ('value' in outcome) return outcome.value;
      const delay = retryDelay(outcome.error, {
        rule: this.tuning.retry,
        attempt,
        repeatable: call.route.repeatable,
        priority: options.priority,
        remainingMs: deadline.remainingMs,
        random: this.tuning.random,
      });
      if (delay === null) throw outcome.error;
      await this.pause(delay, deadline.signal);
    }
  }

  private async pause(ms: number, signal: AbortSignal): Promise<void> {
    try {
      await this.tuning.sleep(ms, signal);
    } catch (error) {
      throw signal.aborted ? signal.reason : error;
    }
  }

  /** Waits for a slot and makes one attempt. Throws only if we ended it ourselves. */
  private async oneTry<T>(prepared: Prepared<T>): Promise<Outcome<T>> {
    const { call, options, deadline } = prepared;
    try {
      this.assertNotPaused(prepared);
      this.circuit.assertMayTry();
      const outcome = await this.budget.run(options, deadline.signal, () => {
        this.assertNotPaused(prepared);
        return this.circuit.run(() => this.measured(prepared));
      });
      this.watch.saw(outcome, this.circuit.state);
      return outcome;
    } catch (error) {
      if (error instanceof UpstreamError && error.reason === 'paused') return { down: false, error };
      if (!(error instanceof CircuitOpen)) throw error;
      const { operation } = call.route;
      const { retryAfterMs } = error;
      this.requests.inc({ operation, outcome: 'circuit_open' });
      return {
        down: true,
        error: new UpstreamError({ kind: 'unavailable', reason: 'circuit_open', operation, retryAfterMs }),
      };
    }
  }

  /** Interactive calls are sent anyway: they are few, and wait as long as upstream asks. */
  private assertNotPaused({ call, options }: Prepared<unknown>): void {
    const { operation } = call.route;
    const pause = isForPerson(options.priority) ? 0 : this.throttle.pauseOf(operation, options.account);
    if (pause <= 0) return;
    this.requests.inc({ operation, outcome: 'paused' });
    const isForAll = this.throttle.pauseOf(operation) > 0;
    const facts = { kind: 'throttled', reason: 'paused', operation, isForAll } as const;
    throw new UpstreamError({ ...facts, retryAfterMs: pause });
  }

  private async measured<T>(prepared: Prepared<T>): Promise<Outcome<T>> {
    const { operation } = prepared.call.route;
    const stop = this.durations.startTimer({ operation });
    let outcome: string = 'given_up';
    try {
      const result = await this.exchangeWithinTime(prepared);
      outcome = 'error' in result ? result.error.kind : 'ok';
      if ('error' in result) {
        const { kind, reason, status } = result.error;
        this.log.event('upstream.request_failed', { operation, kind, reason, status }, 'debug');
      }
      return result;
    } finally {
      stop();
      this.requests.inc({ operation, outcome });
    }
  }

  private async exchangeWithinTime<T>(prepared: Prepared<T>): Promise<Outcome<T>> {
    const { call, options, deadline } = prepared;
    const { operation } = call.route;
    const { timeoutMs } = this.config;
    // If the call spent most of its time in our queue, a timeout does not prove that upstream is down.
    const fair = deadline.remainingMs >= timeoutMs / 2;
    const timeout = (): UpstreamError => new UpstreamError({ kind: 'unavailable', reason: 'timeout', operation });
    const limit = new TimeLimit(timeoutMs, deadline.signal, timeout);
    try {
      return { down: false, value: await prepared.once({ ...prepared.request, ...this.secretPart(prepared, limit) }) };
    } catch (error) {
      if (error instanceof UpstreamError) return this.failed(call, this.scoped(error, prepared));
      if (!(error instanceof NoResponse)) throw error;
      options.signal?.throwIfAborted();
      if (limit.signal.aborted && !fair) throw deadline.signal.reason;
      if (limit.signal.aborted) return { down: true, error: timeout() };
      const kind = error.reason === 'too_large' ? 'contract' : 'unavailable';
      return this.failed(call, new UpstreamError({ kind, reason: error.reason, operation }));
    } finally {
      limit.end();
    }
  }

  private scoped(error: UpstreamError, { options }: Prepared<unknown>): UpstreamError {
    if (error.kind !== 'throttled') return error;
    const isForAll = this.throttle.saw(error.operation, options.account, error.retryAfterMs);
    return isForAll ? error.forAll() : error;
  }

  /** Maps accepted refusals to values. Of other errors, only a missing response and 5xx mean that upstream is down. */
  private failed<T>(call: Sendable<T>, error: UpstreamError): Outcome<T> {
    const value = call.recover?.(error);
    if (value !== undefined) return { down: false, value };
    const outage = error.kind === 'unavailable' && (error.status === undefined || error.status >= 500);
    return { down: outage && !(call.route.ignoredByCircuit && error.status === 503), error };
  }

  private secretPart({ call, trace }: Prepared<unknown>, limit: TimeLimit): Pick<Outgoing, 'headers' | 'signal'> {
    const headers = {
      accept: 'application/json',
      'user-agent': 'pulsekeep',
      ...(trace ? { traceparent: nextTraceparent(trace) } : {}),
      ...call.headers,
      [this.config.apiKeyHeader]: this.config.apiKey.current.reveal(),
    };
    return { headers, signal: limit.signal };
  }

  private prepare(call: Sendable<unknown>): Omit<Outgoing, 'signal' | 'headers'> {
    const { method, template, operation, repeatable } = call.route;
    try {
      const path = fillTemplate(template, call.path ?? {}) + queryString(call.query ?? {});
      return { method, url: this.config.baseUrl + path, body: call.body, isRepeatable: repeatable };
    } catch (error) {
      if (!(error instanceof NotSendable)) throw error;
      throw new UpstreamError({ kind: 'rejected', reason: 'not_sendable', operation, field: error.parameter });
    }
  }
}
