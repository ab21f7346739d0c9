import type { ProcessSign } from '../../platform/platform/this-process.js';
import { isAhead } from '../../platform/platform/time.js';
import type { StoreFigures } from '../../storage/declarations/figures.reader.js';

/** State that a process reports about itself. */
export interface ProcessReport {
  readonly seen_at: number;
  /** When it first saw each sign, in epoch milliseconds. */
  readonly signs: Readonly<Partial<Record<ProcessSign, number>>>;
  /** Names of the healthy workers and of the stuck ones. */
  readonly working: readonly string[];
  readonly stuck: readonly string[];
  /** Names of the workers whose rounds fail again and again. */
  readonly failing: readonly string[];
  /** Upstream operations this process has paused, with the end of each pause. */
  readonly pauses: Readonly<Record<string, number>>;
}

/** Time of a provider's last data, in epoch milliseconds. */
export interface ProviderDelivery {
  readonly provider: string;
  readonly last_at: number;
}

export type AlarmFigures = Omit<StoreFigures, 'accounts'> & { readonly deliveries: readonly ProviderDelivery[] };

/** Thresholds from the configuration. */
export interface AlarmRules {
  readonly silenceHours: number;
  /** Interval at which the order list is read. */
  readonly intervalMs: number;
}

/** Everything that an alarm can depend on. */
export interface AlarmFacts {
  readonly figures: AlarmFigures;
  /** Reports of the live processes. */
  readonly live: readonly ProcessReport[];
  readonly rules: AlarmRules;
  readonly now: number;
}

/** A process is considered dead after this long without a report. */
export const REPORT_GOOD_MS = 60_000;

/** False if the process is considered dead. A timestamp ahead of `now` also counts as dead: the clock was set back. */
export function isLive({ seen_at }: Pick<ProcessReport, 'seen_at'>, now: number): boolean {
  return now - seen_at <= REPORT_GOOD_MS && !isAhead(seen_at, now);
}
