import { type Resource, resourceByName } from '../../../../src/health/catalogue/catalogue.js';

/* One answer of each family, with whatever a mistake could lose. */

export const resourceNamed = (name: string): Resource => resourceByName(name) as Resource;

type Fields = Record<string, unknown>;
const pump = { provider: 'oura', type: 'insulin_pump', device_id: null };

const group = (data: readonly Fields[], source: Fields = pump) => ({ source, data });
const page = (...groups: readonly unknown[]) => ({ groups: { oura: groups }, next_cursor: null });

const dose = (extra: Fields) => ({
  ...{ start: '2026-11-02T08:00:00+00:00', end: '2026-11-02T09:00:00+00:00', unit: 'unit', type: 'rapid_acting' },
  ...{ timezone_offset: 3600, value: 1.2, delivery_mode: 'basal', ...extra },
});

/** A bolus beside a basal segment, two segments of one start, and two devices that report the same. */
export const insulin = [
  page(
    group([dose({}), dose({ value: 4, delivery_mode: 'bolus', bolus_purpose: 'meal' }), dose({ type: 'long_acting' })]),
    group([dose({}), dose({ end: '2026-11-02T08:30:00+00:00' })]),
    group([dose({ start: '2026-11-03T08:00:00Z', end: '2026-11-03T08:30:00.250Z' })], { ...pump, device_id: 'a' }),
    group([dose({ start: '2026-11-03T08:00:00Z', end: '2026-11-03T08:30:00.250Z' })], { ...pump, device_id: 'b' }),
  ),
];

export const pressure = [
  page(
    group([{ timestamp: '2026-11-02T07:00:00Z', unit: 'mmHg', systolic: 121, diastolic: 79, timezone_offset: null }]),
  ),
];

export const notes = [
  page(group([dose({ value: 'after lunch', unit: 'text', tags: ['food'], delivery_mode: null, type: null })])),
];

export const temperatures = [
  page(
    group([
      { start: '2026-11-02T07:00:00Z', end: '2026-11-02T07:00:00Z', unit: '°C', value: 36.9, sensor_location: 'mouth' },
      { start: '2026-11-02T07:00:00Z', end: '2026-11-02T07:00:00Z', unit: '°C', value: 33.2, sensor_location: 'wrist' },
    ]),
  ),
];

export const glucose = [
  page(group([{ timestamp: '2026-11-02T07:00:00Z', unit: 'mg/dL', value: 104, timezone_offset: -18_000 }])),
];

export const night = {
  ...{ id: 'night-1', user_id: 'user', calendar_date: '2026-11-02', date: '2026-11-02T00:00:00+00:00' },
  ...{ bedtime_start: '2026-11-02T00:10:00+00:00', bedtime_stop: '2026-11-02T07:10:00+00:00', type: 'long_sleep' },
  ...{ timezone_offset: 3600, duration: 25_200, total: 24_000, hr_lowest: 48, efficiency: 0.95, score: null },
  ...{ source: { provider: 'oura', type: 'ring', app_id: null, device_id: null } },
  ...{ created_at: '2026-11-02T08:00:00.123456+00:00', updated_at: '2026-11-02T09:00:00.123456+00:00' },
};

export const sleep = [{ sleep: [night, { ...night, id: 'night-2', type: 'short_sleep', duration: 900 }] }];
