import { Injectable } from '@nestjs/common';
import { UpstreamClient } from '../../upstream/client/upstream.client.js';
import type { WireArea, WireAreaInput, WirePlaces, WirePlacesInput } from '../../upstream/client/wire-labs.js';
import { MAX_PLACES_AGE_MS } from '../keys/tuning.js';
import { OrderReadsService } from '../orders/order-reads.service.js';
import { defaultRadius } from './availability-rules.js';
import { LabCalls } from './lab-calls.js';

/** Where samples can be taken (docs/upstream/appointments.md#places), cached for up to ten minutes. */
@Injectable()
export class PlacesService {
  private readonly askArea;
  private readonly askPlaces;
  private readonly askOrderPlaces;

  constructor(
    upstream: UpstreamClient,
    calls: LabCalls,
    private readonly orders: OrderReadsService,
  ) {
    const rules = {
      limits: { entries: 500, bytes: 8 * 1024 * 1024 },
      validUntil: (_: unknown, now: number) => now + MAX_PLACES_AGE_MS,
      mayBeUnknown: true,
    };
    const ofPlaces = {
      ...rules,
      search: 'places' as const,
      isEmpty: ({ patient_service_centers: places }: WirePlaces) => places.length === 0,
      show: (places: WirePlaces) => places,
    };
    this.askArea = calls.asking({
      ...rules,
      search: 'areas',
      send: (input: WireAreaInput, options) => upstream.areaInfo(input, options),
      isEmpty: ({ central_labs: labs }: WireArea) => Object.keys(labs).length === 0,
      show: (area: WireArea) => area,
      refusalHint: 'the zip code or the lab may be unknown to it.',
    });
    this.askPlaces = calls.asking({
      ...ofPlaces,
      send: (input: WirePlacesInput, options) => upstream.placeInfo(input, options),
      refusalHint: 'the zip code or the lab may be unknown to it.',
    });
    this.askOrderPlaces = calls.asking({
      ...ofPlaces,
      send: ({ order_id: id }: { order_id: string }, options) => upstream.orderPlaceInfo(id, options),
      refusalHint: 'the order may have no lab with patient service centers.',
    });
  }

  /** The areas and places around a zip code. Throws `upstream_invalid_request` and `UpstreamError`. */
  area({ zip_code, radius = defaultRadius, lab }: WireAreaInput, left?: AbortSignal): Promise<WireArea> {
    return this.askArea({ zip_code, radius, ...(lab !== undefined && { lab }) }, { left });
  }

  /** Patient service centers of a lab. Throws `upstream_invalid_request` and `UpstreamError`. */
  places({ zip_code, lab_id, radius = defaultRadius }: WirePlacesInput, left?: AbortSignal): Promise<WirePlaces> {
    return this.askPlaces({ zip_code, lab_id, radius }, { left });
  }

  /**
   * Patient service centers for a stored order; with `externalId` only for one of that account. Throws `not_found`,
   * `upstream_invalid_request` and `UpstreamError`.
   */
  async ofOrder(orderId: string, left: AbortSignal, externalId?: string): Promise<WirePlaces> {
    if (externalId === undefined) await this.orders.get(orderId);
    else await this.orders.assertOwn(orderId, externalId);
    return this.askOrderPlaces({ order_id: orderId }, { left });
  }
}
