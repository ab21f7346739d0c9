export interface Site {
  code: string;
  name: string;
  lab: string;
  zip: string;
}

export const SITES: readonly Site[] = [
  { code: 'QNY1', name: 'Center One', lab: 'quest', zip: '10001' },
  { code: 'QNY2', name: 'Center Two', lab: 'quest', zip: '10002' },
  { code: 'SNQ1', name: 'Sonora Center', lab: 'sonora_quest', zip: '85001' },
];

export const ZONE = 'America/New_York';

export function addressOf(site: Site): Record<string, unknown> {
  return {
    first_line: '1 Sample Street',
    second_line: '',
    city: 'New York',
    state: 'NY',
    zip_code: site.zip,
    unit: null,
    access_notes: null,
  };
}

export const LOCATION = { lng: -73.9857, lat: 40.7484 };
