import { successionOf } from '../../accounts/connections/provider-facts.js';
import type { ProcessSign } from '../../platform/platform/this-process.js';
import { HOUR_MS } from '../../platform/platform/time.js';
import type { CountFigure, InstantFigure } from '../../storage/declarations/declarations.js';
import type { AlarmFacts, ProviderDelivery } from './alarm-facts.js';

/** Why an alarm is raised. */
export interface Condition {
  /** Number of affected items; null if the condition is not countable. */
  readonly count: number | null;
  /** Start of the condition in epoch milliseconds; null if unknown. */
  readonly since: number | null;
  /** Sorted slugs of the affected providers, if any. */
  readonly providers?: readonly string[];
  /** Sorted codes of the causes, if they are known. */
  readonly reasons?: readonly string[];
}

/** Null while the condition does not hold. */
export type Find = (facts: AlarmFacts) => Condition | null;

/** Due work that is older than this, with no worker in any process, is not merely queued. */
const UNWORKED_MS = 120_000;
const UNCONSUMED_MS = 60_000;
/** Entries of the access log are chained within a second as a rule. */
const UNCHAINED_MS = 60_000;
/** After this many missed reads in a row, chance is ruled out. */
const MISSED_READS = 3;
/** With fewer connected sources, silence says nothing about the provider: people leave watches in drawers. */
const MIN_SOURCES = 10;

export function counted(count: number, at: number | null = null): Condition | null {
  return count === 0 ? null : { count, since: at };
}

export function since(at: number | null): Condition | null {
  return at === null ? null : { count: null, since: at };
}

export function countOf(figure: CountFigure): Find {
  return ({ figures }) => counted(figures[figure]);
}

/** Number of processes that see the sign, and when the first of them saw it. */
export function seen(sign: ProcessSign): Find {
  return ({ live }) => {
    const times = live.map(({ signs }) => signs[sign]).filter((at) => at !== undefined);
    return counted(times.length, Math.min(...times));
  };
}

/** A restarted broker is consumed again within seconds. */
export function notConsuming(facts: AlarmFacts): Condition | null {
  const condition = seen('broker_not_consuming')(facts);
  const isLong = facts.now - (condition?.since ?? facts.now) > UNCONSUMED_MS;
  return isLong ? condition : null;
}

export function unworked(worker: string, dueSince: InstantFigure): Find {
  return ({ figures, live, now }) => {
    const at = figures[dueSince];
    const isWorkedOn = live.some(({ working }) => working.includes(worker));
    return at !== null && now - at > UNWORKED_MS && !isWorkedOn ? since(at) : null;
  };
}

export function unchained({ figures: { access_log_unchained_since: at }, now }: AlarmFacts): Condition | null {
  return at !== null && now - at > UNCHAINED_MS ? since(at) : null;
}

export function failingEndpoints({ figures }: AlarmFacts): Condition | null {
  const condition = counted(figures.endpoints_failing, figures.endpoints_failing_since);
  return condition && { ...condition, reasons: figures.endpoint_failures.map(({ reason }) => reason).sort() };
}

export function orderListStuck({ figures, rules, now }: AlarmFacts): Condition | null {
  const at = figures.order_list_failing_since;
  return at !== null && now - at > MISSED_READS * Math.max(rules.intervalMs, HOUR_MS) ? since(at) : null;
}

/** Upstream sends only for connected sources. Without any delivery yet, silence starts when the store was created. */
export function silence({ figures, rules, now }: AlarmFacts): Condition | null {
  const at = figures.last_delivery_at ?? figures.stamped_at;
  const isConnected = figures.connections.some(({ status, count }) => status === 'connected' && count > 0);
  return isConnected && at !== null && now - at > rules.silenceHours * HOUR_MS ? since(at) : null;
}

/**
 * Providers that sent nothing for `silenceHours` while another did, without retired ones. Null while all are silent.
 */
export function silentProviders({ figures: { connections, deliveries }, rules, now }: AlarmFacts): Condition | null {
  const isSilent = ({ last_at }: ProviderDelivery): boolean => now - last_at > rules.silenceHours * HOUR_MS;
  if (deliveries.every(isSilent)) return null;
  const watched = connections.filter(
    ({ provider, status, count }) =>
      status === 'connected' && count >= MIN_SOURCES && successionOf(provider, now) === null,
  );
  const silent = deliveries.filter((one) => isSilent(one) && watched.some(({ provider }) => provider === one.provider));
  if (silent.length === 0) return null;
  const providers = silent.map(({ provider }) => provider).sort();
  return { count: silent.length, since: Math.min(...silent.map(({ last_at }) => last_at)), providers };
}
