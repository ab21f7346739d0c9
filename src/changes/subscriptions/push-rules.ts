import { groupedBy } from '../../platform/platform/grouped-by.js';
import { DAY_MS, HOUR_MS } from '../../platform/platform/time.js';
import type { Change } from '../../storage/change-log/change.js';
import type { RetryPolicy } from '../../storage/work/retry.js';
import type { PushAnswer, PushError } from './push-answer.js';

/** Pushes that fail for this long are given up, and endpoints are disabled. */
export const GIVE_UP_MS = 3 * DAY_MS;
/** An endpoint that fails for this long raises an alarm. */
export const WARN_MS = 6 * HOUR_MS;
/** The same for one that cannot work until its configuration changes. */
export const HOPELESS_WARN_MS = HOUR_MS / 4;
/** Errors, and statuses of responses, that do not end by waiting. */
export const hopelessErrors: readonly PushError[] = [
  'redirect',
  'gone',
  'name_unknown',
  'tls',
  'unroutable',
  'login_refused',
  'address_refused',
  'signing_key_missing',
  'routing_key_missing',
];
export const hopelessStatuses = [401, 403, 404, 405, 410, 501] as const;

/** Attempts of an account's oldest push: about 15 in three days. Only the age of a push ends them. */
export const laneRetry: RetryPolicy = {
  pause: { baseMs: 5_000, capMs: 10 * HOUR_MS, factor: 3, jitter: 0.2 },
  mostAttempts: 1_000,
  isHarmless: true,
};
/** Attempts of an endpoint at which nothing arrives. */
export const endpointRetry: RetryPolicy = {
  pause: { baseMs: 5_000, capMs: 15 * 60_000, factor: 2, jitter: 0.2 },
  mostAttempts: 1_000_000,
};

/** Number of the lane of a change: its account, or 0 if it belongs to none. */
export function laneOf({ account }: Change): number {
  return account ?? 0;
}

/** The unsent changes of a page, by what happens to them; each list in order. */
export interface Plan {
  /** To be sent, by account. */
  readonly lanes: readonly (readonly Change[])[];
  /** To be recorded as waiting, behind earlier changes of their accounts. */
  readonly behind: readonly Change[];
}

/** `recorded`: numbers of changes already recorded. `blocked`: accounts whose earlier changes wait. */
export function planOf(changes: readonly Change[], recorded: ReadonlySet<number>, blocked: ReadonlySet<number>): Plan {
  const open = changes.filter(({ number }) => !recorded.has(number));
  const isBehind = (change: Change): boolean => blocked.has(laneOf(change));
  const lanes = groupedBy(
    open.filter((change) => !isBehind(change)),
    laneOf,
  );
  return { lanes: [...lanes.values()], behind: open.filter(isBehind) };
}

export interface Sent {
  readonly change: Change;
  readonly answer: PushAnswer;
}

/** Consequence of sending a page. */
export type Verdict =
  /** Nothing arrived, so the endpoint is at fault and the page is sent again later. */
  | { readonly then: 'retry_all'; readonly answer: PushAnswer }
  /** The receiver refuses all further pushes. */
  | { readonly then: 'end'; readonly answer: PushAnswer }
  /** Failures concern only their accounts. `pauseMs`: pause that the receiver requested for all accounts. */
  | { readonly then: 'go_on'; readonly pauseMs: number };

export function verdictOn(sent: readonly Sent[]): Verdict {
  const failed = sent.filter(({ answer }) => answer.error !== null);
  const gone = failed.find(({ answer }) => answer.error === 'gone');
  if (gone) return { then: 'end', answer: gone.answer };
  const [first] = failed;
  if (first && failed.length === sent.length) {
    const longest = failed.reduce((a, b) => ((b.answer.retryAfterMs ?? 0) > (a.answer.retryAfterMs ?? 0) ? b : a));
    return { then: 'retry_all', answer: longest.answer };
  }
  const pauses = failed.filter(({ answer }) => concernsEveryone(answer)).map(({ answer }) => answer.retryAfterMs ?? 0);
  return { then: 'go_on', pauseMs: Math.max(0, ...pauses) };
}

/** True if the receiver would refuse all other pushes now, too. */
export function concernsEveryone({ error, status, retryAfterMs }: PushAnswer): boolean {
  return error === 'gone' || status === 429 || (status === 503 && retryAfterMs !== undefined);
}

/** The last change before the first unsettled one; null if the first change is unsettled. */
export function lastSettled(changes: readonly Change[], settled: ReadonlySet<number>): Change | null {
  const open = changes.findIndex(({ number }) => !settled.has(number));
  return changes[(open < 0 ? changes.length : open) - 1] ?? null;
}

/** Up to `count` random entries, so that accounts that always fail do not hide a working endpoint. */
export function sampleOf<T>(list: readonly T[], count: number, random: () => number = Math.random): T[] {
  const rest = [...list];
  return Array.from({ length: Math.min(count, rest.length) }, () => {
    return rest.splice(Math.floor(random() * rest.length), 1)[0] as T;
  });
}
