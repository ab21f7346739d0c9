import { type Resource, resourceByName } from '../../../../src/health/catalogue/catalogue.js';
import { mapGroups } from '../../../../src/health/catalogue/map-records.js';
import type { Provenance } from '../../../../src/health/records/record.entity.js';

export const steps = resourceByName('steps') as Resource;
export const noon = Date.UTC(2026, 10, 1, 12);
export const iso = (minute: number): string => new Date(noon + minute * 60_000).toISOString();

/** One sample, as upstream has it. */
export interface Point {
  readonly minute: number;
  readonly device: string;
  readonly value: number;
}

/** An event, or a page of a pull. */
export interface Look {
  readonly points: readonly Point[];
  readonly provenance: Provenance;
}

export const textOf = ({ minute, device, value }: Point): string => `${minute} ${device || '-'} ${value}`;
export const form = (points: readonly Point[]): string[] => points.map(textOf).sort();

export function recordsOf(points: readonly Point[]) {
  const devices = [...new Set(points.map(({ device }) => device))];
  return mapGroups(
    steps,
    devices.map((device) => ({
      source: { provider: 'garmin', type: 'watch', device_id: device || null },
      data: points
        .filter((point) => point.device === device)
        .map(({ minute, value }) => ({ start: iso(minute), end: iso(minute + 1), value, unit: 'count' })),
    })),
  );
}
