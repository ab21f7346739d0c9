import { Injectable, type OnApplicationBootstrap, type OnModuleDestroy } from '@nestjs/common';
import type { ConsumeMessage } from 'amqplib';
import type { AmqpServer } from '../../platform/config/amqp-server.js';
import { RoleConfig, WebhookConfig } from '../../platform/config/config.js';
import { type AmqpFault, amqpFaultOf } from '../../platform/platform/amqp.js';
import { Clock } from '../../platform/platform/clock.js';
import { AppError } from '../../platform/platform/errors.js';
import type { WorkerLoop, WorkOutcome } from '../../storage/work/worker-loop.js';
import { WorkerRegistry } from '../../storage/work/worker-registry.js';
import { BROKER_EVERY_MS } from '../streams/tuning.js';
import { BrokerTelemetry } from './broker.telemetry.js';
import { deliveryOf } from './broker-message.js';
import { BrokerSession } from './broker-session.js';
import { InboxService } from './inbox.service.js';

/*
 * The other door of the inbox: the same messages from a queue of RabbitMQ (WEBHOOK_AMQP_URL).
 *
 *   disconnected  --tick-->                           consuming, or disconnected if it fails
 *   consuming     --message, stored-->                acknowledged after the commit
 *   consuming     --message, refused by the inbox-->  held without acknowledgement, tried again at every tick
 *   consuming     --connection, channel or queue lost--> disconnected; the broker keeps what was not acknowledged
 *   consuming     --stop-->                           no further messages; those in hand are stored, acknowledged
 *
 * A held message is not given back, because the broker would deliver it again immediately, and a quorum queue drops a
 * message that came back too often. While messages are held, the broker sends no more than the prefetch.
 *
 * Crash between commit and acknowledgement: the broker delivers the message again. With an id it is a repeated delivery
 * of a stored message; without one it is stored again, and applying it again changes nothing.
 */

@Injectable()
export class BrokerWorker implements OnApplicationBootstrap, OnModuleDestroy {
  /** Null unless a broker is configured. */
  readonly loop: WorkerLoop | null;
  private session: BrokerSession | null = null;
  private isStopping = false;
  private held: (() => void)[] = [];
  /** Keeps messages in order, although some must be unpacked. */
  private last: Promise<unknown> = Promise.resolve();

  constructor(
    private readonly config: WebhookConfig,
    private readonly role: RoleConfig,
    private readonly inbox: InboxService,
    private readonly clock: Clock,
    private readonly telemetry: BrokerTelemetry,
    workers: WorkerRegistry,
  ) {
    const { amqpServer: server, amqpQueue: queue } = config;
    this.loop =
      server && queue !== undefined
        ? workers.register({
            name: 'broker',
            everyMs: BROKER_EVERY_MS,
            work: (signal) => this.round(server, queue, signal),
          })
        : null;
  }

  onApplicationBootstrap(): void {
    if (this.loop && this.role.role !== 'api') this.telemetry.begins(() => this.session?.isOpen ?? false);
  }

  /** Runs before the inbox closes for good. Held messages stay with the broker. */
  async onModuleDestroy(): Promise<void> {
    this.isStopping = true;
    this.retryHeld();
    await this.session?.close();
  }

  private async round(server: AmqpServer, queue: string, signal: AbortSignal): Promise<WorkOutcome> {
    this.retryHeld();
    if (this.session?.isOpen || signal.aborted) return 'idle';
    try {
      this.session = await BrokerSession.start(server, queue, {
        take: (message, isOpen) => this.take(message, isOpen),
        ended: (fault) => this.stopped(fault),
      });
      this.telemetry.consuming();
      if (this.isStopping) await this.session.close();
    } catch (error) {
      this.stopped(amqpFaultOf(error));
    }
    return 'idle';
  }

  private stopped(fault: AmqpFault): void {
    this.telemetry.stopped(fault);
    this.retryHeld();
  }

  /** True once the message is durable; false if its session or this process ended first. */
  private async take(message: ConsumeMessage, isOpen: () => boolean): Promise<boolean> {
    const reading = deliveryOf(message, this.clock.now(), this.config.maxBytes);
    const inTurn = this.last.then(() => reading);
    this.last = inTurn;
    const delivery = await inTurn;
    while (isOpen()) {
      try {
        await this.inbox.take(delivery);
        return true;
      } catch (error) {
        this.telemetry.held(error instanceof AppError ? error.code : 'internal');
        if (this.isStopping) return false;
        await new Promise<void>((resume) => this.held.push(resume));
      }
    }
    return false;
  }

  private retryHeld(): void {
    for (const resume of this.held.splice(0)) resume();
  }
}
