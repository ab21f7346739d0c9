import type { DaySpan } from '../../health/clock/day-spans.js';
import type { RankedSource } from '../../health/priorities/priority-rule.js';
import { startOfDate } from '../../platform/platform/time.js';
import { hadEnded } from '../explain/case.js';
import { type IngestionBounds, StreamDays, type StreamEvidence } from '../explain/day-facts.js';
import { type DayReason, type DayVerdict, dayVerdict } from '../explain/day-state.js';

interface Concerned {
  readonly sources: readonly RankedSource[];
  readonly ranked: readonly RankedSource[];
  readonly present: readonly RankedSource[];
}

/** Decides whether the numbers of a day of one resource can still change. */
export class Wholeness {
  private readonly streams: readonly StreamDays[];

  constructor(streams: readonly StreamEvidence[], bounds: IngestionBounds, now: number) {
    this.streams = streams.map((stream) => new StreamDays(stream, bounds, now));
  }

  /**
   * Reason why the numbers may still change; `whole` if it is proven that they will not. `sources`, of `ranked`, are
   * those whose data would change the result; `present` have samples of the day. Sources that ended before the day are
   * ignored while another one is connected. A source outside `ranked` has never sent a sample, so its rank is unknown:
   * it counts while a pull of the day is pending.
   */
  reason({ sources, ranked, present }: Concerned, span: DaySpan): DayReason {
    const [providers, sent] = [providersOf(sources), providersOf(present)];
    const concerned = this.streams.filter(({ evidence }) => providers.size === 0 || providers.has(evidence.provider));
    const hasConnected = concerned.some(({ evidence }) => evidence.connection?.status === 'connected');
    const judged = concerned.flatMap((stream) => {
      const { evidence } = stream;
      const facts = stream.facts(span, sent.has(evidence.provider) ? 1 : 0);
      return hasConnected && hadEnded({ evidence, facts }, startOfDate(span.date)) ? [] : [dayVerdict(facts)];
    });
    if (judged.length === 0) return 'never_pulled';
    const partial = judged.find(({ whole }) => !whole) ?? this.awaited(providersOf(ranked), span);
    return partial?.reason ?? 'whole';
  }

  /** State of a source outside `sent` whose pull of the day is pending. */
  private awaited(sent: ReadonlySet<string>, span: DaySpan): DayVerdict | undefined {
    for (const stream of this.streams) {
      if (sent.has(stream.evidence.provider)) continue;
      const verdict = dayVerdict(stream.facts(span, 0));
      if (verdict.state === 'pending' && !verdict.whole) return verdict;
    }
    return undefined;
  }
}

function providersOf(sources: readonly RankedSource[]): Set<string> {
  return new Set(sources.map(({ provider }) => provider));
}
