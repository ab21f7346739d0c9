import type { RejectedRange } from '../../health/catalogue/rejections.js';
import { reachOf } from '../../health/clock/day-spans.js';
import type { UndoneTask } from '../../ingest/pulls/listed-pulls.service.js';
import { overlaps } from '../../platform/platform/time.js';
import type { Case, EvidenceKind, SourceCase } from './case.js';
import { type DayNote, notesOfClock, notesOfSource } from './day-notes.js';
import type { DayReason } from './day-state.js';
import { spoken, word } from './words.js';

type Ask<T> = (given: Case, source: SourceCase | null) => T;

/** A rule with one possible conclusion. `source` is the deciding source, if any. */
export interface Rule<C extends string = string> {
  readonly code: C;
  /** The kinds of evidence that support it. */
  readonly decidedBy: readonly EvidenceKind[];
  readonly holds: Ask<boolean>;
  /** One sentence that contains only names, codes, counts and times. */
  readonly say: Ask<string>;
}

/** Keeps the code as a literal type. */
export function rule<const C extends string>(
  code: C,
  decidedBy: readonly EvidenceKind[],
  holds: Ask<boolean>,
  say: Ask<string>,
): Rule<C> {
  return { code, decidedBy, holds, say };
}

/** Explains a day without records by the state of its source; `say` continues the sentence after `none`. */
export function emptyFor<const R extends DayReason>(
  reason: R,
  decidedBy: readonly EvidenceKind[],
  say: (source: SourceCase, given: Case) => string,
): Rule<R> {
  const holds: Ask<boolean> = (_, source) => source?.verdict.reason === reason;
  return rule(reason, decidedBy, holds, (given, source) => `${none(given)}${source ? say(source, given) : ''}.`);
}

export function none({ resource, day }: Pick<Case, 'resource' | 'day'>): string {
  return `No ${spoken(resource.name)} record is stored for ${day}`;
}

export function providerOf({ evidence }: SourceCase): string {
  return word(evidence.provider, 'the source');
}

/** Tasks over the day that are waiting, running or failed permanently. */
export function tasksOf({ span }: Pick<Case, 'span'>, { evidence }: SourceCase): readonly UndoneTask[] {
  return evidence.undone.filter((task) => overlaps({ start: task.window_start, end: task.window_end }, span));
}

/** Notes of the day beside its conclusion. */
export function notesOf({ sources, resource, span, standing, measures }: Case): DayNote[] {
  const of = { resource, span, standing, measures };
  const examined = sources.map(({ evidence: { provider, rejected, latenessMs }, facts: { due } }) => {
    return { ...of, provider, rejected, due, latenessMs };
  });
  // Of a source that was never pulled, there may be forecasts only.
  const others = [...new Set(standing.map(({ provider }) => provider))]
    .filter((provider) => !examined.some((one) => one.provider === provider))
    .map((provider) => ({ ...of, provider, rejected: [], due: false, latenessMs: 0 }));
  return [...notesOfClock(span), ...[...examined, ...others].flatMap(notesOfSource)];
}

/** Upstream data of the day that cannot be stored. */
export function rejectedOf(
  { span, resource }: Pick<Case, 'span' | 'resource'>,
  { evidence }: SourceCase,
): RejectedRange[] {
  const reach = reachOf(resource, span);
  return evidence.rejected.filter((range) => overlaps(range, reach));
}
