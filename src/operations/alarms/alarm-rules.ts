import { Injectable } from '@nestjs/common';
import { AlertConfig, SyncConfig } from '../../platform/config/config.js';
import { type ProcessSign, processSigns } from '../../platform/platform/this-process.js';
import { HOUR_MS } from '../../platform/platform/time.js';
import type { StoreFigures } from '../../storage/declarations/figures.reader.js';
import { type AlarmCode, alarmCodes, type Finding } from './alarm-codes.js';

/** State of a process, as reported by itself. */
export interface ProcessReport {
  readonly seen_at: number;
  /** When it first saw each sign, in epoch milliseconds. */
  readonly signs: Readonly<Partial<Record<ProcessSign, number>>>;
  /** Names of the healthy workers and of the stuck ones. */
  readonly working: readonly string[];
  readonly stuck: readonly string[];
  /** Paused upstream operations, with the end of each pause. */
  readonly pauses: Readonly<Record<string, number>>;
}

/** Time of the last data of a provider, in epoch milliseconds. */
export interface ProviderDelivery {
  readonly provider: string;
  readonly last_at: number;
}

export type AlarmFigures = Pick<
  StoreFigures,
  | 'connections'
  | 'inbox_due_since'
  | 'pulls_due_since'
  | 'order_list_failing_since'
  | 'results_given_up'
  | 'results_withdrawn_lately'
  | 'tasks_failed_lately'
  | 'pulls_failed_lately'
  | 'pulls_stuck'
  | 'pulls_stuck_since'
  | 'critical_results_lately'
  | 'frequent_installations'
  | 'erasures_held_up'
  | 'tokens_closed_at'
  | 'foreign_messages_lately'
  | 'messages_dead'
  | 'last_delivery_at'
  | 'stamped_at'
> & { readonly deliveries: readonly ProviderDelivery[] };

/** Thresholds from the configuration. */
@Injectable()
export class AlarmRules {
  readonly silenceHours: number;
  /** Interval at which the order list is read. */
  readonly intervalMs: number;

  constructor(alerts: AlertConfig, sync: SyncConfig) {
    this.silenceHours = alerts.silenceHours;
    this.intervalMs = sync.intervalSeconds * 1_000;
  }
}

/** A process is considered dead after this long without a report. */
export const REPORT_GOOD_MS = 60_000;
/** Due work older than this, without a worker in any process, is not just waiting for its turn. */
const UNWORKED_MS = 120_000;
/** Number of missed reads in a row that is not chance. */
const MISSED_READS = 3;
/** Fewer connected sources say nothing about their provider: people leave watches in drawers. */
const FEWEST_SOURCES = 10;

type Since = number | null;

/** Conditions that hold at `now`, in the order of `alarmCodes`. */
export function findingsOf(
  figures: AlarmFigures,
  reports: readonly ProcessReport[],
  rules: AlarmRules,
  now: number,
): Finding[] {
  const live = reports.filter(({ seen_at }) => now - seen_at <= REPORT_GOOD_MS);
  const found: readonly Finding[] = [
    ...processSigns.flatMap((sign) => seenBy(live, sign)),
    ...counted('worker_stuck', live.flatMap(({ stuck }) => stuck).length),
    ...unworked('inbox_unworked', figures.inbox_due_since, worksOn(live, 'inbox'), now),
    ...unworked('pulls_unworked', figures.pulls_due_since, worksOn(live, 'pull'), now),
    ...since('silence', silentSince(figures, rules.silenceHours, now)),
    ...silentProviders(figures, rules.silenceHours, now),
    ...since('tokens_closed', figures.tokens_closed_at),
    ...counted('dead_messages', figures.messages_dead),
    ...counted('foreign_messages', figures.foreign_messages_lately),
    ...counted('failed_tasks', figures.tasks_failed_lately),
    ...counted('failed_historical_pulls', figures.pulls_failed_lately),
    ...counted('stuck_historical_pulls', figures.pulls_stuck, figures.pulls_stuck_since),
    ...since('order_list_stuck', stuckSince(figures.order_list_failing_since, rules.intervalMs, now)),
    ...counted('results_given_up', figures.results_given_up),
    ...counted('results_withdrawn', figures.results_withdrawn_lately),
    ...counted('critical_results', figures.critical_results_lately),
    ...counted('frequent_sign_ins', figures.frequent_installations),
    ...counted('erasures_held_up', figures.erasures_held_up),
  ];
  return [...found].sort((a, b) => alarmCodes.indexOf(a.code) - alarmCodes.indexOf(b.code));
}

function counted(code: AlarmCode, count: number, at: Since = null): Finding[] {
  return count === 0 ? [] : [{ code, count, since: at }];
}

function since(code: AlarmCode, at: Since): Finding[] {
  return at === null ? [] : [{ code, count: null, since: at }];
}

/** Providers that sent nothing for `hours` while another did. Empty while all are silent. */
function silentProviders(
  { connections, deliveries }: Pick<AlarmFigures, 'connections' | 'deliveries'>,
  hours: number,
  now: number,
): Finding[] {
  const isSilent = ({ last_at }: ProviderDelivery): boolean => now - last_at > hours * HOUR_MS;
  if (deliveries.every(isSilent)) return [];
  const watched = connections.filter(({ status, count }) => status === 'connected' && count >= FEWEST_SOURCES);
  const silent = deliveries.filter((one) => isSilent(one) && watched.some(({ provider }) => provider === one.provider));
  if (silent.length === 0) return [];
  const providers = silent.map(({ provider }) => provider).sort();
  const at = Math.min(...silent.map(({ last_at }) => last_at));
  return [{ code: 'provider_silent', count: silent.length, since: at, providers }];
}

/** Number of processes that see the sign, and when the first of them saw it. */
function seenBy(reports: readonly ProcessReport[], sign: ProcessSign): Finding[] {
  const times = reports.map(({ signs }) => signs[sign]).filter((at) => at !== undefined);
  return counted(sign, times.length, Math.min(...times));
}

function worksOn(reports: readonly ProcessReport[], worker: string): boolean {
  return reports.some(({ working }) => working.includes(worker));
}

function unworked(code: AlarmCode, dueSince: Since, isWorkedOn: boolean, now: number): Finding[] {
  const waits = dueSince !== null && now - dueSince > UNWORKED_MS;
  return waits && !isWorkedOn ? since(code, dueSince) : [];
}

function stuckSince(at: Since, intervalMs: number, now: number): Since {
  return at !== null && now - at > MISSED_READS * Math.max(intervalMs, HOUR_MS) ? at : null;
}

/** Upstream sends only for connected sources. Without any delivery yet, silence starts when the store was created. */
function silentSince(
  { connections, last_delivery_at, stamped_at }: Pick<AlarmFigures, 'connections' | 'last_delivery_at' | 'stamped_at'>,
  hours: number,
  now: number,
): Since {
  const at = last_delivery_at ?? stamped_at;
  const isConnected = connections.some(({ status, count }) => status === 'connected' && count > 0);
  return isConnected && at !== null && now - at > hours * HOUR_MS ? at : null;
}
