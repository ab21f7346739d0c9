import { Injectable } from '@nestjs/common';
import { AppError } from '../../platform/platform/errors.js';
import { UpstreamClient } from '../../upstream/client/upstream.client.js';
import type { WireCompendiumInput } from '../../upstream/client/wire-labs.js';
import type { AnswerCache } from './answer-cache.js';
import type { CompendiumDto } from './compendium.dto.js';
import { compendiumValidUntil, isNothing, toCompendiumDto } from './compendium-answer.js';
import { type CompendiumSearch, compendiumFaults, compendiumInput } from './compendium-rules.js';
import { LabCalls } from './lab-calls.js';

const limits = { entries: 1_000, bytes: 8 * 1024 * 1024 } as const;

const refusalHint = 'a lab may be unknown to it.';

/** Lab tests by name or code, and each lab's own name for them. */
@Injectable()
export class CompendiumService {
  private readonly answers: AnswerCache<CompendiumDto>;

  constructor(
    private readonly upstream: UpstreamClient,
    private readonly calls: LabCalls,
  ) {
    this.answers = calls.cacheOf('compendium', { limits, validUntil: compendiumValidUntil });
  }

  /**
   * An entry of upstream's compendium, all lists present; may be up to ten minutes old. Throws `invalid_request`,
   * `upstream_invalid_request` or `UpstreamError`.
   */
  async search(search: CompendiumSearch, left?: AbortSignal): Promise<CompendiumDto> {
    const fields = compendiumFaults(search);
    if (fields.length > 0) throw new AppError('invalid_request', 'The compendium search is not valid.', { fields });
    const input = compendiumInput(search);
    return this.answers.answer(JSON.stringify(input), (signal) => this.ask(input, signal), { left });
  }

  private async ask(input: WireCompendiumInput, signal: AbortSignal): Promise<CompendiumDto> {
    const found = await this.calls.make({
      search: 'compendium',
      send: () => this.upstream.compendiumSearch(input, { priority: 'interactive', signal }),
      isEmpty: isNothing,
      refusalHint,
    });
    return toCompendiumDto(found);
  }
}
