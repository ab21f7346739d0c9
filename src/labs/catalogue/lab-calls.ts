import { Injectable } from '@nestjs/common';
import { Clock } from '../../platform/platform/clock.js';
import { inputRefusal, sameNames } from '../../upstream/client/input-refusal.js';
import { UpstreamError } from '../../upstream/transport/upstream-error.js';
import { AnswerCache, type CacheRules } from './answer-cache.js';
import { type LabSearch, LabsTelemetry } from './labs.telemetry.js';

export interface LabCall<T> {
  search: LabSearch;
  send: () => Promise<T>;
  isEmpty: (found: T) => boolean;
  /** True if a 404 means that something in the input does not exist. */
  mayBeUnknown?: boolean;
  /** Hint for a developer if upstream refuses input that follows all documented rules. */
  refusalHint: string;
}

/** Calls upstream for searches, and caches and counts the responses. */
@Injectable()
export class LabCalls {
  constructor(
    private readonly telemetry: LabsTelemetry,
    private readonly clock: Clock,
  ) {}

  cacheOf<T>(search: LabSearch, rules: Omit<CacheRules<T>, 'used'>): AnswerCache<T> {
    return new AnswerCache(this.clock, { ...rules, used: (use) => this.telemetry.used(search, use) });
  }

  /**
   * Upstream's response. Throws `upstream_invalid_request` if it refuses the input, else `UpstreamError`.
   */
  async make<T>(call: LabCall<T>): Promise<T> {
    const { search } = call;
    try {
      const found = await call.send();
      this.telemetry.called(search, call.isEmpty(found) ? 'nothing' : 'found');
      return found;
    } catch (error) {
      if (!(error instanceof UpstreamError)) throw error;
      const refusesInput = isAboutInput(error) || (call.mayBeUnknown === true && error.isNotFound);
      this.telemetry.called(search, refusesInput ? 'input_refused' : error.kind);
      if (!refusesInput) throw error;
      throw inputRefusal(error, sent, `Upstream does not accept this request: ${call.refusalHint}`);
    }
  }
}

/** True only for upstream's own error shapes: a 400 from a proxy says nothing about the input. */
function isAboutInput({ status, detail }: UpstreamError): boolean {
  if (status !== 400 && status !== 422) return false;
  return detail?.shape === 'text' || detail?.shape === 'typed' || detail?.shape === 'validation';
}

/** Priority of searches. */
const sent = sameNames(
  `lab start_date site_codes zip_code radius allow_stale
   mode query cpt_codes loinc_set_hash labs include_related limit lab_test_id provider_ids target_lab`,
);
