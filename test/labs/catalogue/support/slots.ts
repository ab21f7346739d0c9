import { SECOND, START } from '../../../support/environment.js';
import { type Answer, json } from '../../../upstream/client/support/scripted-server.js';

/** A time of upstream, so many seconds after the test began. */
export function at(seconds: number): string {
  return new Date(START + seconds * SECOND).toISOString().replace('.000Z', '+00:00');
}

export const near = { lab: 'quest', zip_code: '10001' };
export const slot = {
  booking_key: 'key-1',
  start: at(90_000),
  end: at(90_900),
  expires_at: at(900),
  price: 12.5,
  is_priority: true,
  num_appointments_available: 2,
};
export const site = {
  location: { lng: -73.9, lat: 40.7 },
  distance: 3,
  address: { first_line: '1 Main', second_line: null, city: 'NYC', state: 'NY', zip_code: '10001', unit: null },
  code: 'QNY1',
  name: 'Center',
  iana_timezone: 'America/New_York',
};

export function found(...slots: object[]): Answer {
  return json(200, { slots: [{ location: site, date: '2026-11-21', slots }], timezone: 'America/New_York' });
}

export const nothing = json(404, { detail: 'none' });
