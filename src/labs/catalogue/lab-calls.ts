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
  /** A 404 says that something the input names does not exist. */
  mayBeUnknown?: boolean;
  /** What it can mean, for a developer, that upstream refuses an input which kept all documented rules. */
  refusalHint: string;
}

/** Calls to upstream on behalf of whoever searches, and their answers while they are kept; counted. */
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
   * What upstream answers. Throws `upstream_invalid_request` when it refuses the input itself, else `UpstreamError`.
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

/** Only a refusal in upstream's own form: a 400 of a proxy says nothing about the input. */
function isAboutInput({ status, detail }: UpstreamError): boolean {
  if (status !== 400 && status !== 422) return false;
  return detail?.shape === 'text' || detail?.shape === 'typed' || detail?.shape === 'validation';
}

/** What the searches take. */
const sent = sameNames(
  `lab start_date site_codes zip_code radius allow_stale
   mode query cpt_codes loinc_set_hash labs include_related limit lab_test_id provider_ids target_lab`,
);
