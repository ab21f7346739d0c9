import { Injectable } from '@nestjs/common';
import { Clock } from '../../platform/platform/clock.js';
import { AppError } from '../../platform/platform/errors.js';
import type { WireAvailability, WireAvailabilityInput } from '../../upstream/client/wire-labs.js';
import type { AvailabilityDto } from './availability.dto.js';
import { availabilityValidUntil, toAvailabilityDto } from './availability-answer.js';
import { AvailabilityInput } from './availability-input.js';
import { type AvailabilitySearch, availabilityFaults, availabilityInput } from './availability-rules.js';
import { LabCalls } from './lab-calls.js';

/** Available appointments at lab sites. */
@Injectable()
export class AvailabilityService {
  private readonly ask;

  constructor(
    upstream: AvailabilityInput,
    calls: LabCalls,
    private readonly clock: Clock,
  ) {
    this.ask = calls.asking({
      search: 'availability',
      // Responses for a zip code with a wide radius reach several megabytes.
      limits: { entries: 500, bytes: 16 * 1024 * 1024 },
      validUntil: availabilityValidUntil,
      send: (input: WireAvailabilityInput, options) => upstream.availability(input, options),
      isEmpty: ({ slots }) => slots.length === 0,
      show: (found: WireAvailability) => toAvailabilityDto(found, clock.now()),
      refusalHint: 'a site may be unknown or inactive, or start_date past at the site.',
    });
  }

  /**
   * Slots by site and day, in upstream's order; empty if there are none. With `allow_stale`, the response may be up to
   * a minute old, but not past its first `expires_at`. Throws `invalid_request`, `upstream_invalid_request` and
   * `UpstreamError`, whose `unavailable` may also mean that scheduling is not enabled for the team
   * (docs/upstream/appointments.md#errors-of-availability-and-booking).
   */
  async search(search: AvailabilitySearch, left?: AbortSignal): Promise<AvailabilityDto> {
    const fields = availabilityFaults(search, this.clock.now());
    if (fields.length > 0) {
      throw new AppError('invalid_request', 'The search for appointments is not valid.', { fields });
    }
    const input = availabilityInput(search);
    return this.ask(input, { keep: input.allow_stale === true, left });
  }
}
