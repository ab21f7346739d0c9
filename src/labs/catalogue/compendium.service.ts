import { Injectable } from '@nestjs/common';
import { AppError } from '../../platform/platform/errors.js';
import { UpstreamClient } from '../../upstream/client/upstream.client.js';
import type { WireCompendiumInput } from '../../upstream/client/wire-labs.js';
import type { CompendiumDto } from './compendium.dto.js';
import { compendiumValidUntil, isNothing, toCompendiumDto } from './compendium-answer.js';
import { type CompendiumSearch, compendiumFaults, compendiumInput } from './compendium-rules.js';
import { LabCalls } from './lab-calls.js';

/** Searches lab tests by name or code, and finds each lab's own name for them. */
@Injectable()
export class CompendiumService {
  private readonly ask;

  constructor(upstream: UpstreamClient, calls: LabCalls) {
    this.ask = calls.asking({
      search: 'compendium',
      limits: { entries: 1_000, bytes: 8 * 1024 * 1024 },
      validUntil: compendiumValidUntil,
      send: (input: WireCompendiumInput, options) => upstream.compendiumSearch(input, options),
      isEmpty: isNothing,
      show: toCompendiumDto,
      refusalHint: 'a lab may be unknown to it.',
    });
  }

  /**
   * The compendium's response, up to ten minutes old. Throws `invalid_request`, `upstream_invalid_request` and
   * `UpstreamError`.
   */
  async search(search: CompendiumSearch, left?: AbortSignal): Promise<CompendiumDto> {
    const fields = compendiumFaults(search);
    if (fields.length > 0) throw new AppError('invalid_request', 'The compendium search is not valid.', { fields });
    return this.ask(compendiumInput(search), { left });
  }
}
