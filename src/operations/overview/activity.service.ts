import { Injectable } from '@nestjs/common';
import { MessagesService } from '../../ingest/inbox/messages.service.js';
import { RoleConfig } from '../../platform/config/config.js';
import { Clock } from '../../platform/platform/clock.js';
import { ThisProcess } from '../../platform/platform/this-process.js';
import { toIso } from '../../platform/platform/time.js';
import { Budget, priorities } from '../../upstream/transport/budget.js';
import { Transport } from '../../upstream/transport/transport.js';
import type { ActivityDto } from './activity.dto.js';

/** Messages of the last day, and the calls of this process to upstream. */
@Injectable()
export class ActivityService {
  constructor(
    private readonly messages: MessagesService,
    private readonly budget: Budget,
    private readonly transport: Transport,
    private readonly thisProcess: ThisProcess,
    private readonly role: RoleConfig,
    private readonly clock: Clock,
  ) {}

  async activity(): Promise<ActivityDto> {
    const hours = await this.messages.hours();
    return {
      at: toIso(this.clock.now()),
      messages: hours.map(({ start, ...counts }) => ({ start: toIso(start), ...counts })),
      upstream: this.upstream(),
    };
  }

  private upstream(): ActivityDto['upstream'] {
    const { requestsPerSecond, maxConcurrency } = this.budget.current;
    return {
      role: this.role.role,
      instance: this.thisProcess.instance,
      processes: this.thisProcess.sharers,
      circuit: this.transport.circuitState,
      calls_per_second: requestsPerSecond,
      max_concurrency: maxConcurrency,
      priorities: priorities.map((priority) => ({
        priority,
        waiting: this.budget.waiting(priority),
        began: this.budget.beganLately(priority),
      })),
    };
  }
}
