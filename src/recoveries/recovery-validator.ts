import { Injectable } from '@nestjs/common';
import { SyncConfig, UpstreamConfig } from '../config/config.js';
import { Clock } from '../platform/clock.js';
import { AppError } from '../platform/errors.js';
import { DAY_MS, type TimeRange } from '../platform/time.js';
import { type Estimate, estimate } from './estimate.js';
import { type AffectedAccounts, RecoveryReader } from './recovery.reader.js';

/** What an operator asks for; times in epoch milliseconds. */
export interface RecoveryOptions {
  readonly from: number;
  readonly to: number;
  /** Left out: every resource that is synced. */
  readonly resources?: readonly string[] | undefined;
}

/** A wish that can be met, and what it reaches. */
export interface RecoveryScope {
  readonly window: TimeRange;
  readonly askedEnd: number;
  /** In alphabetical order, each once. */
  readonly resources: readonly string[];
  readonly reach: AffectedAccounts;
  readonly now: number;
}

const MOST_DAYS = 366;

@Injectable()
export class RecoveryValidator {
  constructor(
    private readonly reader: RecoveryReader,
    private readonly sync: SyncConfig,
    private readonly upstream: UpstreamConfig,
    private readonly clock: Clock,
  ) {}

  /** Throws `invalid_request` for a window that is empty, has not begun or is longer than 366 days. */
  async of({ from, to, resources }: RecoveryOptions): Promise<RecoveryScope> {
    const now = this.clock.now();
    if (from >= now) throw refused('from', 'The window has not begun.', 'from must be in the past');
    if (to <= from) throw refused('to', 'The window ends before it starts.', 'to must be after from');
    const window = { start: from, end: Math.min(to, now) };
    if (window.end - window.start > MOST_DAYS * DAY_MS) {
      throw refused('from', 'The window is too long.', `from must be at most ${MOST_DAYS} days before to`);
    }
    const wanted = [...new Set(resources ?? this.sync.resources)].sort();
    return { window, askedEnd: to, resources: wanted, reach: await this.reader.reach(), now };
  }

  async forecast({ window, resources, reach }: RecoveryScope): Promise<Estimate> {
    const { accounts, pulledAccounts } = reach;
    return estimate({ window, resources, accounts, pulledAccounts }, await this.reader.paces(), this.upstream);
  }
}

function refused(field: string, sentence: string, message: string): AppError {
  return new AppError('invalid_request', sentence, { fields: [{ field, message }] });
}
