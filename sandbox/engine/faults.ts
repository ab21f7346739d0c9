import type { Ids, Rng } from './random.js';

/** Target of a fault: a call to upstream's own paths, a page of several, a delivery to the endpoint. */
type Struck = 'call' | 'page' | 'delivery';

interface Fault {
  readonly strikes: Struck;
  /** Effect, in the words of sandbox/README.md. */
  readonly does: string;
}

const call = (does: string): Fault & { strikes: 'call' } => ({ strikes: 'call', does });
const page = (does: string): Fault & { strikes: 'page' } => ({ strikes: 'page', does });
const delivery = (does: string): Fault & { strikes: 'delivery' } => ({ strikes: 'delivery', does });

/** Every fault by its name. */
export const FAULTS = {
  status: call('returns `status` (503) with `body` (a detail) of `content_type`, and `retry_after` seconds if given'),
  throttle: call('returns 429, with `retry_after` seconds if given'),
  html_error: call('returns `status` (502) with an HTML page'),
  plain_text_500: call('returns 500 with plain text'),
  wrong_type: call('takes effect; the response has the content type `content_type` (`text/html`)'),
  bad_json: call('takes effect; the response is invalid JSON'),
  empty: call('takes effect; the response has no body'),
  truncate: call('takes effect; the connection closes in the middle of the body'),
  timeout: call('gets no response; the connection closes after `delay_ms` (120,000)'),
  slow: call('waits `delay_ms` (1,000) before it takes effect'),
  slow_after: call('takes effect; the response is sent after `delay_ms` (1,000)'),
  drop_before: call('takes no effect; the connection closes'),
  drop_after: call('takes effect; the response is lost'),
  fail_after: call(
    'takes effect and returns `status` (500); an idempotency key records a failure, or with `no-cache` nothing',
  ),
  drift: call('every object of the response has an undocumented field'),
  stuck_pull: call('introspection shows every historical pull as `in_progress`'),
  forget_user: call('the user in the path disappears before the call, without an event'),
  forget_connection: call('one connection of the user in the path disappears before the call, without an event'),
  forget_data: call('one record of the user and resource in the path disappears before the call, without an event'),
  repeat_cursor: page('its cursor is the one of the request'),
  skip_cursor: page('timeseries only: its cursor skips the next page'),
  expire_cursor: page('a call with a cursor is refused with 422'),
  lose_cursor: page('it has no cursor although more pages follow'),
  endless_cursor: page('it has a new cursor every time; the last page is repeated without end'),
  none_cursor: page('the missing cursor is the text `None`'),
  change_between: page('timeseries only: a sample on it changes right after the response, with its event'),
  bad_group: page('timeseries only: one group more is on it, which has no list of points'),
  duplicate: delivery('the message is sent twice'),
  shuffle: delivery('the message takes a random place among those due with it'),
  delay: delivery('the message is first sent after `delay_ms` (1,000) of sandbox time, possibly days'),
  drop: delivery('an attempt is lost in transit and retried'),
  lose: delivery('the message is never sent'),
  overtake: delivery('the first attempt is lost; the retry follows newer events of the same user, or 300 s'),
  together: delivery('the message waits for the next multiple of `delay_ms` (1,000), so that several arrive together'),
  bad_signature: delivery('an attempt is signed with an unknown secret'),
  old_timestamp: delivery('an attempt is signed with a timestamp an hour old'),
  skew: delivery('attempts are signed with timestamps `delay_ms` (60,000) ahead; negative values are behind'),
  noise: delivery('a message of an undocumented type follows'),
  cut_body: delivery('a validly signed message with the first half of the body follows'),
  not_json: delivery('a validly signed message that is not JSON follows'),
  huge_body: delivery('a validly signed message of `bytes` (6,291,456) follows'),
} as const satisfies Record<string, Fault>;

export type FaultKind = keyof typeof FAULTS;
type Of<What extends Struck> = {
  [Kind in FaultKind]: (typeof FAULTS)[Kind]['strikes'] extends What ? Kind : never;
}[FaultKind];
export type CallFault = Of<'call' | 'page'>;
export type DeliveryFault = Of<'delivery'>;

export const FAULT_KINDS = Object.keys(FAULTS) as FaultKind[];

export interface FaultRule {
  kind: FaultKind;
  /** Calls that it may strike: prefix of the path, or a regular expression if it starts with `^`. */
  path?: string;
  method?: string;
  /** Messages that it may strike: prefix of the event type. */
  event_type?: string;
  /** Probability that it strikes a matching call; default 1. */
  rate?: number;
  /** The same seed strikes the same calls or messages. */
  seed?: string;
  /** Number of consecutive calls that one strike hits. */
  burst?: number;
  /** Maximum number of strikes; default: until removed. */
  times?: number;
  /** Seconds of sandbox time after which it ends. */
  seconds?: number;
  /** Number of matching calls that it lets through first. */
  skip?: number;
  status?: number;
  body?: string;
  content_type?: string;
  retry_after?: number;
  delay_ms?: number;
  bytes?: number;
}

/** A fault while it is armed. */
export interface ActiveRule extends FaultRule {
  /** Aborted once it is removed. */
  readonly removed: AbortController;
  /** When it ends, in epoch milliseconds. */
  until: number;
  struck: number;
  skipped: number;
  /** Number of calls checked so far; the position in the rule's random sequence. */
  seen: number;
  /** Number of further calls that the last strike hits. */
  left: number;
}

interface Call {
  readonly method: string;
  readonly path: string;
  readonly hasCursor: boolean;
}

interface Delivered {
  readonly id: string;
  readonly event_type: string;
  /** Number of earlier attempts; 0 for decisions made once per message. */
  readonly attempt: number;
}

export function isDeliveryFault(kind: FaultKind): kind is DeliveryFault {
  return FAULTS[kind].strikes === 'delivery';
}

function matches({ kind, path = '', method }: FaultRule, call: Call): boolean {
  if (isDeliveryFault(kind) || (method !== undefined && method.toUpperCase() !== call.method)) return false;
  if ((kind === 'repeat_cursor' || kind === 'expire_cursor') && !call.hasCursor) return false;
  return path.startsWith('^') ? new RegExp(path).test(call.path) : call.path.startsWith(path);
}

function isUsedUp({ times, struck }: ActiveRule): boolean {
  return times !== undefined && struck >= times;
}

/** Armed faults by name. Only the first matching rule strikes a call; all matching rules strike a delivery. */
export class Faults {
  private rules: ActiveRule[] = [];

  constructor(
    private readonly ids: Ids,
    private readonly now: () => number,
  ) {}

  add(rule: FaultRule): void {
    const until = rule.seconds === undefined ? Number.POSITIVE_INFINITY : this.now() + rule.seconds * 1_000;
    this.rules.push({ ...rule, removed: new AbortController(), until, struck: 0, skipped: 0, seen: 0, left: 0 });
  }

  /** Removes faults of one kind, or all, and ends the waits of the calls that they hold. */
  clear(kind?: string): void {
    const gone = this.rules.filter((rule) => kind === undefined || rule.kind === kind);
    this.rules = this.rules.filter((rule) => !gone.includes(rule));
    for (const { removed } of gone) removed.abort();
  }

  list(): (FaultRule & { struck: number })[] {
    return this.rules.map(
      ({ removed: _removed, until: _until, skipped: _skipped, seen: _seen, left: _left, ...rule }) => rule,
    );
  }

  /** The fault for this call, counted as struck. */
  strike(call: Call): ActiveRule | null {
    return this.first(
      (rule) => matches(rule, call),
      (rule) => this.isUnlucky(rule, this.ids.rng('fault', rule.kind, rule.seed ?? '', rule.seen++)),
    );
  }

  /** The fault of this kind for a delivery, counted as struck, regardless of earlier ones. */
  strikeDelivery(kind: DeliveryFault, { id, event_type, attempt }: Delivered): FaultRule | null {
    return this.first(
      (rule) => rule.kind === kind && event_type.startsWith(rule.event_type ?? ''),
      (rule) => this.isUnlucky(rule, this.ids.rng('fault', kind, rule.seed ?? '', id, attempt)),
    );
  }

  private first(may: (rule: FaultRule) => boolean, does: (rule: ActiveRule) => boolean): ActiveRule | null {
    for (const rule of this.rules) {
      if (isUsedUp(rule) || this.now() >= rule.until || !may(rule)) continue;
      if (rule.skipped < (rule.skip ?? 0)) rule.skipped += 1;
      else if (does(rule)) {
        rule.struck += 1;
        return rule;
      }
    }
    return null;
  }

  private isUnlucky(rule: ActiveRule, luck: Rng): boolean {
    if (rule.left > 0) {
      rule.left -= 1;
      return true;
    }
    if (!luck.chance(rule.rate ?? 1)) return false;
    rule.left = (rule.burst ?? 1) - 1;
    return true;
  }
}
