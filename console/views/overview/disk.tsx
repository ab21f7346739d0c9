import type { ReactNode } from 'react';
import type { ForecastDto } from '../../lib/api.js';
import { useAnswer } from '../../lib/queries.js';

const unknown: Readonly<Record<NonNullable<ForecastDto['disk']['reason']>, string>> = {
  no_accounts: 'no person is connected',
  not_counted_yet: 'not counted yet',
  no_history: 'needs three hours of measuring',
  not_filling: 'not filling',
  not_visible: 'on another machine',
};

/** Days until the disk of the database is full, and the space that a person takes a day. Asked once: it is measured. */
export function DiskInBrief(): ReactNode {
  const { data } = useAnswer('getForecast', undefined, { every: false });
  if (!data) return '–';
  const { disk, bytes_a_person_and_day: bytes } = data;
  const notes = [
    disk.reason === null ? '' : unknown[disk.reason],
    bytes === null || bytes === 0 ? '' : `${kilobytes(bytes)} per person and day`,
  ];
  return (
    <>
      {disk.days_left === null ? '–' : Math.floor(disk.days_left).toLocaleString('en')}
      <span className="unit"> {disk.days_left === null ? '' : 'days until full'}</span>
      <span className="note">{notes.filter(Boolean).join(', ')}</span>
    </>
  );
}

function kilobytes(bytes: number): string {
  return `${(bytes / 1_000).toLocaleString('en', { maximumFractionDigits: 1 })} kB`;
}
