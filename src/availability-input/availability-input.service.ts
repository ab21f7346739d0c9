import { Injectable } from '@nestjs/common';
import { UpstreamConfig } from '../config/config.js';
import { WriteLane } from '../database/write-lane.js';
import { Clock } from '../platform/clock.js';
import { Log } from '../platform/log.js';
import { type CallOptions, UpstreamClient } from '../upstream/upstream.client.js';
import type { InputPlace, WireAvailability, WireAvailabilityInput } from '../upstream/wire-labs.js';
import { UpstreamError } from '../upstream-transport/upstream-error.js';
import { AvailabilityInputRepository } from './availability-input.repository.js';

/**
 * Asks upstream for availability with the inputs where it reads them (docs/upstream/appointments.md#where-inputs-go).
 * With `auto` that is the place found last, which all processes and later starts share through the store.
 */
@Injectable()
export class AvailabilityInputService {
  constructor(
    private readonly upstream: UpstreamClient,
    private readonly config: UpstreamConfig,
    private readonly places: AvailabilityInputRepository,
    private readonly lane: WriteLane,
    private readonly clock: Clock,
    private readonly log: Log,
  ) {}

  /** Throws `UpstreamError`. */
  async availability(input: WireAvailabilityInput, options: CallOptions): Promise<WireAvailability> {
    const { availabilityInput: configured } = this.config;
    if (configured !== 'auto') return this.upstream.availability(input, configured, options);
    const place = await this.places.place();
    try {
      return await this.upstream.availability(input, place, options);
    } catch (error) {
      const other = place === 'body' ? 'query' : 'body';
      if (!looksIn(other, error)) throw error;
      return await this.inTheOther(input, other, options);
    }
  }

  /**
   * The other place is remembered once upstream was seen to read it, which a refusal of a value there shows as well.
   */
  private async inTheOther(
    input: WireAvailabilityInput,
    place: InputPlace,
    options: CallOptions,
  ): Promise<WireAvailability> {
    try {
      const found = await this.upstream.availability(input, place, options);
      await this.remember(place);
      return found;
    } catch (error) {
      const wasRead = error instanceof UpstreamError && (error.status === 400 || looksIn(place, error));
      if (wasRead) await this.remember(place);
      throw error;
    }
  }

  private async remember(place: InputPlace): Promise<void> {
    const at = this.clock.now();
    if (!(await this.lane.run((tx) => this.places.setPlace(tx, place, at)))) return;
    this.log.event('labs.availability_input_changed', { kind: place }, 'warn');
  }
}

/** A 422 whose every place is in the query, or every one in the body, tells where upstream looked. */
function looksIn(place: InputPlace, error: unknown): boolean {
  if (!(error instanceof UpstreamError) || error.status !== 422) return false;
  const locs = error.detail?.locs ?? [];
  return locs.length > 0 && locs.every((loc) => loc === place || loc.startsWith(`${place}.`));
}
