import { Injectable } from '@nestjs/common';
import type { AmqpFault } from '../../platform/platform/amqp.js';
import { Clock } from '../../platform/platform/clock.js';
import { type ErrorCode } from '../../platform/platform/errors.js';
import { LinePerMinute } from '../../platform/platform/line-per-minute.js';
import { Log } from '../../platform/platform/log.js';
import { Metrics } from '../../platform/platform/metrics.js';
import { ThisProcess } from '../../platform/platform/this-process.js';
import { InboxTelemetry } from './inbox.telemetry.js';

@Injectable()
export class BrokerTelemetry {
  private readonly lines;

  constructor(
    private readonly log: Log,
    private readonly metrics: Metrics,
    private readonly thisProcess: ThisProcess,
    private readonly clock: Clock,
    private readonly inbox: InboxTelemetry,
  ) {
    this.lines = new LinePerMinute<string>(clock);
  }

  /** Call once if this process is to consume. */
  begins(isConsuming: () => boolean): void {
    this.thisProcess.note('broker_not_consuming', this.clock.now());
    const help = '1 while this process consumes messages of the broker, else 0';
    this.metrics.gauge('broker_consuming', help, [], (gauge) => gauge.set(isConsuming() ? 1 : 0));
  }

  consuming(): void {
    this.thisProcess.clear('broker_not_consuming');
    this.log.event('inbox.broker_consuming');
  }

  /** Logs neither the address nor the text of the broker, which can contain the login. */
  stopped(reason: AmqpFault): void {
    this.thisProcess.note('broker_not_consuming', this.clock.now());
    const count = this.lines.count(reason);
    if (count !== null) this.log.event('inbox.broker_not_consuming', { reason, count }, 'warn');
  }

  /** A message could not be stored. It is not acknowledged, and tried again. */
  held(code: ErrorCode): void {
    this.inbox.held(code);
    const count = this.lines.count(code);
    if (count !== null) this.log.event('inbox.broker_message_held', { code, count }, 'warn');
  }
}
