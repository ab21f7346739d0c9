import { hasNoWindow, resourceByName } from '../../health/catalogue/catalogue.js';
import type { TimeRange } from '../../platform/platform/time.js';
import { slotsForBackground } from '../../upstream/transport/budget.js';
import { summaryParts } from '../pulls/page-fetcher.js';
import { type Throughput } from '../pulls/pull-tasks.reader.js';

export interface Extent {
  readonly window: TimeRange;
  readonly resources: readonly string[];
  /** Accounts with an upstream user, and those of them that have or had a source. */
  readonly accounts: number;
  readonly pulledAccounts: number;
}

export interface Estimate {
  readonly pulls: number;
  /** Minimum number of calls, with as many pages as recent pulls of that length had, or one. */
  readonly calls: number;
  /** With the full budget and no other work. */
  readonly seconds: number;
}

/** One for connections, one for the first page of historical pulls. */
export const CALLS_PER_POLL = 2;
const ORDER_CALLS = 1;

interface Budget {
  readonly requestsPerSecond: number;
  readonly maxConcurrency: number;
}

export function estimate(extent: Extent, throughput: readonly Throughput[], budget: Budget): Estimate {
  const perAccount = extent.resources.map((name) => callsOf(name, extent.window, throughput)).reduce(add, 0);
  const calls = extent.pulledAccounts * perAccount + extent.accounts * CALLS_PER_POLL + ORDER_CALLS;
  const pulls = extent.pulledAccounts * extent.resources.length;
  return { pulls, calls, seconds: Math.ceil(calls / rateOf(throughput, budget)) };
}

function callsOf(name: string, window: TimeRange, throughput: readonly Throughput[]): number {
  const resource = resourceByName(name);
  if (!resource || hasNoWindow(resource)) return 1;
  if (resource.family === 'summary') return summaryParts(window);
  const latest = throughput.find(({ resource }) => resource === name);
  if (!latest || latest.windowMs === 0) return 1;
  // Every pull has at least one page; only further pages grow with the window.
  const further = Math.max(0, latest.pages - latest.pulls) / latest.windowMs;
  return 1 + Math.floor(further * (window.end - window.start));
}

/** Calls per second: the rate limit, or less if calls are slow. */
function rateOf(throughput: readonly Throughput[], { requestsPerSecond, maxConcurrency }: Budget): number {
  const pages = throughput.map((taken) => taken.timedPages).reduce(add, 0);
  const ms = throughput.map((taken) => taken.timedMs).reduce(add, 0);
  return ms === 0
    ? requestsPerSecond
    : Math.min(requestsPerSecond, (slotsForBackground(maxConcurrency) * pages * 1_000) / ms);
}

function add(a: number, b: number): number {
  return a + b;
}
