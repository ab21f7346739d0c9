import { Injectable } from '@nestjs/common';
import { Clock } from '../../platform/platform/clock.js';
import { inputRefusal, sameNames } from '../../upstream/client/input-refusal.js';
import type { CallOptions } from '../../upstream/transport/call.js';
import { UpstreamError } from '../../upstream/transport/upstream-error.js';
import { AnswerCache, type AnswerOptions, type CacheRules, type CacheUse } from './answer-cache.js';
import { type LabSearch, LabsTelemetry } from './labs.telemetry.js';

/** The way in which a kind of search is sent, cached and returned. */
export interface LabSearchRules<Input, Found, Shown> extends Omit<CacheRules<Shown>, 'used'> {
  search: LabSearch;
  send: (input: Input, options: CallOptions) => Promise<Found>;
  isEmpty: (found: Found) => boolean;
  show: (found: Found) => Shown;
  /** True if a 404 means that the input names something that does not exist. */
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

  /**
   * Returns a function that searches the cache or upstream. It throws `upstream_invalid_request` if upstream refuses
   * the input, and `UpstreamError`.
   */
  asking<Input, Found, Shown>(
    rules: LabSearchRules<Input, Found, Shown>,
  ): (input: Input, options: AnswerOptions) => Promise<Shown> {
    const { limits, validUntil, show } = rules;
    const used = (use: CacheUse): void => this.telemetry.used(rules.search, use);
    const cache = new AnswerCache<Shown>(this.clock, { limits, validUntil, used });
    return (input, options) => {
      const ask = async (signal: AbortSignal): Promise<Shown> => show(await this.call(rules, input, signal));
      return cache.answer(JSON.stringify(input), ask, options);
    };
  }

  private async call<Input, Found>(
    rules: Omit<LabSearchRules<Input, Found, unknown>, 'show' | 'validUntil'>,
    input: Input,
    signal: AbortSignal,
  ): Promise<Found> {
    const { search, send, isEmpty, mayBeUnknown, refusalHint } = rules;
    try {
      const found = await send(input, { priority: 'interactive', signal });
      this.telemetry.called(search, isEmpty(found) ? 'nothing' : 'found');
      return found;
    } catch (error) {
      if (!(error instanceof UpstreamError)) throw error;
      const refusesInput = isAboutInput(error) || (mayBeUnknown === true && error.isNotFound);
      this.telemetry.called(search, refusesInput ? 'input_refused' : error.kind);
      if (!refusesInput) throw error;
      throw inputRefusal(error, sent, `Upstream does not accept this request: ${refusalHint}`);
    }
  }
}

/** True only for upstream's own error shapes, because a 400 from a proxy is not about the input. */
function isAboutInput({ status, detail }: UpstreamError): boolean {
  if (status !== 400 && status !== 422) return false;
  return detail?.shape === 'text' || detail?.shape === 'typed' || detail?.shape === 'validation';
}

/** Fields of all searches. */
const sent = sameNames(
  `lab start_date site_codes zip_code radius allow_stale
   mode query cpt_codes loinc_set_hash labs include_related limit lab_test_id provider_ids target_lab`,
);
