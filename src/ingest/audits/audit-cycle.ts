import { Injectable } from '@nestjs/common';
import { AuditConfig } from '../../platform/config/config.js';
import { DAY_MS } from '../../platform/platform/time.js';
import { type EndedRecovery, Recoveries } from '../recoveries/recoveries.service.js';

/** The time in which everybody's days are compared once. A recovery restarts it for what it pulled. */
@Injectable()
export class AuditCycle {
  readonly lengthMs = this.config.cycleDays * DAY_MS;
  /** False if days are compared on request only. */
  readonly isOn = this.config.callsPerDay > 0;

  constructor(
    private readonly config: AuditConfig,
    private readonly recoveries: Recoveries,
  ) {}

  /** Days that were compared before this time are due. */
  async beganAt(now: number): Promise<number> {
    const since = now - this.lengthMs;
    const ended = (await this.recoveredSince(since)).map(({ endedAt }) => endedAt);
    return Math.max(since, ...ended);
  }

  recoveredSince(since: number): Promise<EndedRecovery[]> {
    return this.recoveries.endedSince(since);
  }
}
