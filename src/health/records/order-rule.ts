import { CLOCK_TOLERANCE_MS, isAhead } from '../../platform/platform/time.js';
import { type ObservationKind, type Sample, sameDetails } from '../catalogue/records.js';
import { observedAt } from './observation-ids.js';

/*
 * Decides which of two observations is newer. Events carry no time of their own and arrive in any order, so:
 *
 * - a summary is as new as its `updated_at`; if two are equal, the later observation wins. An `updated_at` ahead of its
 *   own observation is an error and is ignored: the later observation wins against it as well;
 * - a sample is as new as its observation: the start of the fetch for a page, the first receipt for a message.
 *
 * An equal record seen later is written too: this assigns it to the later observation, so that no observation between
 * the two can replace it.
 *
 * A late retry of an old message looks newer than it is (docs/upstream/webhooks.md#late-messages), and a page may be
 * newer than a message that arrived while it was fetched. If two observations disagree and their order is unknown, the
 * rule still picks one and reports a conflict, and the caller pulls the data again.
 *
 * The samples that one response shows at one key and time are a set, nearly always of one sample
 * (docs/upstream/timeseries.md#siblings): they differ in their source's details, or in traits such as `delivery_mode`.
 * A page shows the complete set and replaces the stored one; the pages of one pull are one response and add to each
 * other. A message shows what one device changed: it replaces the sibling with the same details and traits, or else the
 * only one that it does not contradict; if there are several, the rule does not guess and reports a conflict. A sample
 * whose traits contradict all that are stored is another thing: it is stored beside them, and a pull decides.
 */

/** One of the samples at one key and time, as an observation shows it. */
export interface Sibling extends Omit<Sample, 'time' | 'attributes'> {
  readonly attributesId: number;
  /** See `traitsOf`. */
  readonly traits: string;
  /** Number of the group: its attributes, and the observation that shows it. */
  readonly groupId: number;
}

/** A stored sibling; `kind` is that of its observation. */
export interface StoredSibling extends Sibling {
  readonly observation: number;
  readonly kind: ObservationKind;
  /** True if the response being applied showed it: in an earlier slice of the page or an earlier page of the pull. */
  readonly sameAnswer: boolean;
  /** See `isStillToCome`. */
  readonly isStillToCome?: boolean;
}

/** The observation being applied. `since` is the first observation of its response, or itself if there is only one. */
export interface Look {
  readonly observation: number;
  readonly kind: ObservationKind;
  readonly since: number;
}

/** `rows`: the new set at this key and time; null to change nothing. */
export interface SetVerdict {
  readonly rows: readonly (Sibling | StoredSibling)[] | null;
  readonly conflict: boolean;
}

/** `shown` must not be empty, and no two entries of either list may be the same point. */
export function judgeSamples(stored: readonly StoredSibling[], shown: readonly Sibling[], look: Look): SetVerdict {
  const [one] = shown;
  // A large message is applied in slices, which may part the samples of one time.
  const isAlone = shown.length === 1 && !stored.some(({ sameAnswer }) => sameAnswer);
  if (look.kind === 'message' && one && isAlone) return judgeMessage(stored, one, look);
  return judgeAnswer(stored, shown, look);
}

function judgeMessage(stored: readonly StoredSibling[], shown: Sibling, look: Look): SetVerdict {
  if (stored.length === 0) return { rows: [shown], conflict: false };
  const alike = stored.filter((row) => !contradicts(row, shown));
  if (alike.length === 0) return judgeOther(stored, shown, look);
  const same = alike.find((row) => isSameThing(row, shown));
  const target = same ?? (alike.length === 1 ? alike[0] : undefined);
  if (!target) return { rows: null, conflict: stored.some((row) => isUnsure(row, look)) };
  const write = look.observation >= seenAt(target);
  const conflict = !isSame(target, shown) && isUnsure(target, look);
  return { rows: write ? stored.map((row) => (row === target ? shown : row)) : null, conflict };
}

/** A message about something else than what is stored at its time. A later page has shown that it is not there. */
function judgeOther(stored: readonly StoredSibling[], shown: Sibling, look: Look): SetVerdict {
  const isGone = stored.some((row) => row.kind === 'sync' && seenAt(row) > look.observation);
  return isGone ? { rows: null, conflict: false } : { rows: [...stored, shown], conflict: true };
}

/** True if both name a trait and it differs. */
function contradicts(a: Sibling, b: Sibling): boolean {
  if (a.traits === '' || b.traits === '' || a.traits === b.traits) return false;
  const [one, other] = [a, b].map(({ traits }) => JSON.parse(traits) as Record<string, unknown>);
  return Object.entries(one ?? {}).some(([name, value]) => {
    const own = other?.[name];
    return own !== undefined && JSON.stringify(own) !== JSON.stringify(value);
  });
}

function isSameThing(a: Sibling, b: Sibling): boolean {
  return a.traits === b.traits && sameDetails(a.details, b.details);
}

/**
 * True if it is uncertain whether a differing message is newer: one that arrived later may be a late retry, and
 * messages overtake each other. A page fetched after the message is authoritative.
 */
function isUnsure(stored: StoredSibling, look: Look): boolean {
  return look.observation >= seenAt(stored) || stored.kind === 'message';
}

function judgeAnswer(stored: readonly StoredSibling[], shown: readonly Sibling[], look: Look): SetVerdict {
  const others = stored.filter(({ sameAnswer }) => !sameAnswer);
  const differs =
    !shown.every((one) => stored.some((row) => isSame(row, one))) || !others.every((row) => isIn(shown, row));
  if (others.some((row) => seenAt(row) > look.observation)) return { rows: null, conflict: differs };
  const kept = stored.filter((row) => row.sameAnswer && !shown.some((one) => isSamePoint(one, row)));
  const lost = others.filter((row) => !shown.some((one) => isSameThing(one, row)));
  const conflict =
    look.kind === 'message' ? differs && others.length > 0 : lost.some((row) => seenAt(row) > look.since);
  return { rows: [...kept, ...shown], conflict };
}

/** An observation dated in the future proves nothing about the order. */
function seenAt({ observation, isStillToCome }: Pick<StoredSibling, 'observation' | 'isStillToCome'>): number {
  return isStillToCome ? 0 : observation;
}

/** True for one point of a response, which a later page or slice of it shows again; its value may differ. */
function isSamePoint(a: Sibling, b: Sibling): boolean {
  return a.attributesId === b.attributesId && a.durationMs === b.durationMs && a.text === b.text;
}

function isIn(siblings: readonly Sibling[], one: Sibling): boolean {
  return siblings.some((sibling) => isSame(sibling, one));
}

export function isSame(a: Sibling, b: Sibling): boolean {
  return (
    a.value === b.value &&
    a.value2 === b.value2 &&
    a.text === b.text &&
    a.durationMs === b.durationMs &&
    a.attributesId === b.attributesId
  );
}

/** See {@link isAhead}; `now` in epoch milliseconds. */
export function isStillToCome(observation: number, now: number): boolean {
  return isAhead(observedAt(observation), now);
}

export interface SummaryVersion {
  /** Upstream's `updated_at` in microseconds; 0 if it sent none. */
  readonly version: number;
  readonly observation: number;
}

/** A stored summary, compared with the one being applied. */
export interface StoredVersion extends SummaryVersion {
  /** See `isStillToCome`. */
  readonly isStillToCome?: boolean;
  readonly kind: ObservationKind;
  readonly sameContent: boolean;
}

/** No observation can report a change in the future. */
function isAheadOfItsTime({ version, observation }: SummaryVersion): boolean {
  return version > (observedAt(observation) + CLOCK_TOLERANCE_MS) * 1_000;
}

/** Decides if a summary replaces the stored one. */
export function judgeSummary(
  stored: Pick<StoredVersion, 'version' | 'observation' | 'isStillToCome'> | null,
  incoming: SummaryVersion,
): boolean {
  if (stored === null) return true;
  if (stored.version === incoming.version || isAheadOfItsTime(stored) || isAheadOfItsTime(incoming)) {
    return incoming.observation >= seenAt(stored);
  }
  return incoming.version > stored.version;
}

/** True if two summaries differ and their versions do not decide which is newer, so that a pull must decide. */
export function isSummaryConflict(
  stored: StoredVersion,
  incoming: SummaryVersion & { kind: ObservationKind },
): boolean {
  if (stored.sameContent) return false;
  const versionsDecide =
    stored.version !== incoming.version && !isAheadOfItsTime(stored) && !isAheadOfItsTime(incoming);
  if (versionsDecide) return false;
  const isLater = incoming.observation >= seenAt(stored);
  return incoming.kind === 'message' ? isLater || stored.kind === 'message' : !isLater && stored.kind === 'message';
}
