import { Injectable } from '@nestjs/common';
import { Log } from '../platform/log.js';
import type { ChainBreak } from './chain-check.js';

/** What checks of the access log find, as a line of the log. */
@Injectable()
export class VerificationTelemetry {
  constructor(private readonly log: Log) {}

  /** Somebody has changed the table. */
  broken({ seq, reason }: ChainBreak): void {
    this.log.event('access_log.broken', { seq: seq ?? undefined, reason }, 'error');
  }
}
