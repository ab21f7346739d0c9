import { Injectable } from '@nestjs/common';
import { Clock } from '../platform/clock.js';
import { PullsTelemetry } from './pulls.telemetry.js';

/** What every worker here needs besides its partners. */
@Injectable()
export class SyncContext {
  constructor(
    readonly clock: Clock,
    readonly events: PullsTelemetry,
  ) {}
}
