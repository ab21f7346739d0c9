import type { DaySpan } from '../../health/health-data/stored-records.service.js';
import type { RankedSource } from '../../health/priorities/source-priorities.service.js';
import { startOfDate } from '../../platform/platform/time.js';
import { hadEnded } from '../explain/case.js';
import { type IngestionBounds, StreamDays, type StreamEvidence } from '../explain/day-facts.js';
import { type DayReason, dayVerdict } from '../explain/day-state.js';

/** True if the numbers of a day of one resource can still change. */
export class Wholeness {
  private readonly streams: readonly StreamDays[];

  constructor(streams: readonly StreamEvidence[], bounds: IngestionBounds, now: number) {
    this.streams = streams.map((stream) => new StreamDays(stream, bounds, now));
  }

  /**
   * Reason why the numbers may change; `whole` if there is proof that they do not. `sources`: the best ones, down to
   * the one with `records` samples of the day; data of any of them would change what is shown. Sources that ended
   * before the day do not count while another one is connected.
   */
  reason(sources: readonly RankedSource[], span: DaySpan, records: number): DayReason {
    const providers = new Set(sources.map(({ provider }) => provider));
    const last = sources.at(-1)?.provider;
    const concerned = this.streams.filter(({ evidence }) => providers.size === 0 || providers.has(evidence.provider));
    const hasConnected = concerned.some(({ evidence }) => evidence.connection?.status === 'connected');
    const judged = concerned.flatMap((stream) => {
      const { evidence } = stream;
      const facts = stream.facts(span, evidence.provider === last ? records : 0);
      return hasConnected && hadEnded({ evidence, facts }, startOfDate(span.date)) ? [] : [dayVerdict(facts)];
    });
    if (judged.length === 0) return 'never_pulled';
    return judged.find(({ whole }) => !whole)?.reason ?? 'whole';
  }
}
