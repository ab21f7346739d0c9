import { Injectable } from '@nestjs/common';
import { AppError } from '../../platform/platform/errors.js';
import { isFields, isGiven } from '../../platform/platform/json-reader.js';
import { UpstreamClient } from '../../upstream/client/upstream.client.js';
import type { WireConversion, WireConversionInput } from '../../upstream/client/wire-labs.js';
import { MAX_COMPENDIUM_AGE_MS, MAX_NOTHING_FOUND_AGE_MS } from '../keys/tuning.js';
import { toCandidate } from './compendium-answer.js';
import { defaultLimit } from './compendium-rules.js';
import type { ConversionDto } from './conversion.dto.js';
import { LabCalls } from './lab-calls.js';

export interface Conversion {
  lab_test_id?: string | null;
  provider_ids?: readonly string[] | null;
  /** Upstream may add values. */
  target_lab: string;
  limit?: number | null;
}

/** Finds matches at one lab for another lab's tests (docs/upstream/compendium.md#convert; in beta at upstream). */
@Injectable()
export class ConversionService {
  private readonly ask;

  constructor(upstream: UpstreamClient, calls: LabCalls) {
    this.ask = calls.asking({
      search: 'conversion',
      limits: { entries: 500, bytes: 4 * 1024 * 1024 },
      validUntil: (answer, now) => now + (isNothing(answer) ? MAX_NOTHING_FOUND_AGE_MS : MAX_COMPENDIUM_AGE_MS),
      send: (input: WireConversionInput, options) => upstream.convertTests(input, options),
      isEmpty: isNothing,
      show: toConversionDto,
      mayBeUnknown: true,
      refusalHint: 'the test or the lab may be unknown to it.',
    });
  }

  /** Cached for up to ten minutes. Throws `invalid_request`, `upstream_invalid_request` and `UpstreamError`. */
  async convert(conversion: Conversion, left?: AbortSignal): Promise<ConversionDto> {
    const { lab_test_id, provider_ids, target_lab, limit } = conversion;
    if (isGiven(lab_test_id) === isGiven(provider_ids)) {
      const fields = [{ field: 'lab_test_id', message: 'exactly one of lab_test_id and provider_ids is required' }];
      throw new AppError('invalid_request', 'The conversion is not valid.', { fields });
    }
    const source = isGiven(lab_test_id) ? { lab_test_id } : { provider_ids: provider_ids ?? [] };
    return this.ask({ ...source, target_lab, limit: limit ?? defaultLimit }, { left });
  }
}

function isNothing({ converted_provider_ids: converted }: Pick<WireConversion, 'converted_provider_ids'>): boolean {
  return converted.length === 0;
}

function toConversionDto(found: WireConversion): ConversionDto {
  const by = Object.entries(found.by_source_provider_id).map(([id, of]) => [
    id,
    { ...of, candidates: of.candidates.filter(isFields).map(toCandidate) },
  ]);
  return { ...found, by_source_provider_id: Object.fromEntries(by) as ConversionDto['by_source_provider_id'] };
}
