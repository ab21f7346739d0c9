import { Injectable } from '@nestjs/common';
import { UpstreamConfig } from '../../platform/config/config.js';
import { Log } from '../../platform/platform/log.js';
import { UpstreamClient } from '../../upstream/client/upstream.client.js';
import type { InputPlace, WireAvailability, WireAvailabilityInput } from '../../upstream/client/wire-labs.js';
import { type CallOptions } from '../../upstream/transport/call.js';
import { UpstreamError } from '../../upstream/transport/upstream-error.js';

/**
 * Sends the inputs of availability where upstream reads them (docs/upstream/appointments.md#where-inputs-go). With
 * `auto`, starts with the body and switches whenever a refusal shows that upstream reads the other place. Each process
 * remembers the place.
 */
@Injectable()
export class AvailabilityInput {
  private place: InputPlace;

  constructor(
    private readonly upstream: UpstreamClient,
    private readonly config: UpstreamConfig,
    private readonly log: Log,
  ) {
    this.place = config.availabilityInput === 'query' ? 'query' : 'body';
  }

  /** Throws `UpstreamError`. */
  async availability(input: WireAvailabilityInput, options: CallOptions): Promise<WireAvailability> {
    const { place } = this;
    try {
      return await this.upstream.availability(input, place, options);
    } catch (error) {
      const other = place === 'body' ? 'query' : 'body';
      if (this.config.availabilityInput !== 'auto' || !looksIn(other, error)) throw error;
      return await this.inTheOther(input, other, options);
    }
  }

  /** Remembers the other place if upstream reads it, even if it refuses a value there. */
  private async inTheOther(
    input: WireAvailabilityInput,
    place: InputPlace,
    options: CallOptions,
  ): Promise<WireAvailability> {
    try {
      const found = await this.upstream.availability(input, place, options);
      this.changeTo(place);
      return found;
    } catch (error) {
      if (error instanceof UpstreamError && (error.status === 400 || looksIn(place, error))) this.changeTo(place);
      throw error;
    }
  }

  private changeTo(place: InputPlace): void {
    if (this.place === place) return;
    this.place = place;
    this.log.event('labs.availability_input_changed', { kind: place }, 'warn');
  }
}

/** True for a 422 that only names locations in this place: upstream looked for the inputs there. */
function looksIn(place: InputPlace, error: unknown): boolean {
  if (!(error instanceof UpstreamError) || error.status !== 422) return false;
  const locs = error.detail?.locs ?? [];
  return locs.length > 0 && locs.every((loc) => loc === place || loc.startsWith(`${place}.`));
}
