import { DAY_MS, HOUR_MS } from '../../src/platform/time.js';
import { type Figure, figureOf } from '../figures.js';
import { changesADay, dayOfStream, type Planner } from '../load/linked-accounts.js';
import { percentile } from '../rounds.js';
import type { Plan } from './plan.js';

const UNANNOUNCED = 0.01;
const USERS_PER_PAGE = 50;
/** Connections and upstream's own pulls, by account. */
const CALLS_A_POLL = 2;

const hourly: Planner = { rule: { intervalMs: HOUR_MS, longestMs: HOUR_MS }, walks: false };
const daily: Planner = { rule: { intervalMs: DAY_MS, longestMs: DAY_MS }, walks: false };
const evidence: Planner = { rule: { intervalMs: HOUR_MS, longestMs: DAY_MS }, walks: true };
const halfDay: Planner = { rule: { intervalMs: HOUR_MS, longestMs: DAY_MS / 2 }, walks: true };

interface Day {
  readonly pulls: number;
  /** Of changes without a webhook, in hours and rising order: new records, and all others. */
  readonly newest: number[];
  readonly others: number[];
}

/**
 * What a day of linked accounts costs in calls to upstream, and how late what came without a webhook is stored: the
 * rules of the program in a simulated day, one percent of all changes without a webhook, nothing stored.
 */
export async function calls({ scale, step }: Plan): Promise<Figure[]> {
  const accounts = Math.max(500, Math.round(10_000 * scale));
  const simulated = (name: string, planner: Planner): Day => {
    step(name);
    return dayOf(planner, accounts);
  };
  const plain = simulated('each part hourly', hourly);
  const ours = simulated('by evidence', evidence);
  const walks = Math.ceil(accounts / USERS_PER_PAGE) * 24;
  const polls = CALLS_A_POLL * accounts;
  const baseline = { name: 'each part hourly', values: [plain.pulls] };
  const callsOf = (name: string, pulls: number, more: number): Figure =>
    figureOf({ name, unit: 'calls', values: [pulls + more], baseline });
  const total = ours.pulls + walks + polls;
  const name = `calls a day, ${accounts.toLocaleString('en-US')} accounts`;
  const note = `pulls ${ours.pulls}, introspection ${walks}, polls of sources ${polls}; hourly: pulls alone`;
  const every = [...ours.newest, ...ours.others];
  return [
    figureOf({ name, unit: 'calls', values: [total], baseline, goal: { of: 'ratio', atMost: 0.1 }, note }),
    callsOf(`${name}, at most 12 h late`, simulated('by evidence, 12 h', halfDay).pulls, walks + polls),
    callsOf(`${name}, introspection user by user`, ours.pulls, 24 * accounts + polls),
    figureOf({
      name: 'new records without a webhook, within 90 minutes',
      unit: '%',
      values: [within(ours.newest, 1.5)],
    }),
    latenessOf('new record without a webhook, median', ours.newest, 0.5),
    latenessOf('other change without a webhook, median', ours.others, 0.5),
    figureOf({
      ...{ name: 'any change without a webhook, latest', unit: 'h', values: [Math.max(...every)] },
      ...{ goal: { of: 'value', atMost: 24 }, note: `${every.length} changes` },
    }),
    latenessOf('new record, a pull a day and no evidence, median', simulated('daily', daily).newest, 0.5),
  ];
}

function within(hours: readonly number[], most: number): number {
  return (100 * hours.filter((each) => each <= most).length) / hours.length;
}

function latenessOf(name: string, hours: readonly number[], share: number): Figure {
  return figureOf({ name, unit: 'h', values: [percentile(hours, share)] });
}

function dayOf(planner: Planner, accounts: number): Day {
  const random = randomFrom(1);
  const day: Day = { pulls: 0, newest: [], others: [] };
  let pulls = 0;
  for (let account = 0; account < accounts; account++) {
    const walkAt = (account / accounts) * (planner.rule.intervalMs / 4);
    for (const [resource, perDay] of changesADay.entries()) {
      const stream = { key: `${account}|oura|${resource}`, perDay, walkAt, unannounced: UNANNOUNCED };
      const found = dayOfStream(planner, stream, random);
      pulls += found.pulls;
      for (const { isNewest, ms } of found.lateness) (isNewest ? day.newest : day.others).push(ms / HOUR_MS);
    }
  }
  day.newest.sort((a, b) => a - b);
  day.others.sort((a, b) => a - b);
  return { ...day, pulls };
}

/** The same numbers in every run: mulberry32. */
function randomFrom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}
