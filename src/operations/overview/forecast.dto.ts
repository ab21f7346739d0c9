import { ApiProperty } from '@nestjs/swagger';
import { count } from '../../http/server/openapi.js';

export const forecastReasons = ['no_accounts', 'not_counted_yet', 'no_history', 'not_filling', 'not_visible'] as const;
/**
 * no_accounts: no person is connected · not_counted_yet: PostgreSQL has not counted the samples · no_history: the
 * process has watched the disk for less than three hours · not_filling: the disk does not lose space · not_visible: the
 * database is on another machine.
 */
export type ForecastReason = (typeof forecastReasons)[number];

const bytes = { type: 'number', minimum: 0, nullable: true, example: 58_900 } as const;
const reason = {
  enum: forecastReasons,
  nullable: true,
  description:
    'Why the figure is null. no_accounts: no person is active. not_counted_yet: PostgreSQL has not counted the samples. ' +
    'no_history: this process has watched the disk for less than three hours. not_filling: the disk does not lose space. ' +
    'not_visible: the database is on a disk that this process does not see.',
} as const;

class ForecastResourceDto {
  @ApiProperty({ example: 'heartrate' }) resource: string;
  @ApiProperty({ type: 'number', minimum: 0, example: 1_440 }) samples: number;
  @ApiProperty({ type: 'number', minimum: 0, example: 0 }) summaries: number;
  @ApiProperty(bytes) bytes: number | null;
  @ApiProperty({
    ...bytes,
    example: 2_112,
    description: 'What SAMPLES_KEEP_DAYS leaves of them; null for resources whose records always stay.',
  })
  bytes_thinned: number | null;
}

class ForecastDiskDto {
  @ApiProperty({ type: 'integer', minimum: 0, nullable: true, example: 41_000_000_000 }) free_bytes: number | null;
  @ApiProperty({
    type: 'number',
    minimum: 0,
    nullable: true,
    example: 120.5,
    description: 'Days until the disk is full, if it continues to fill as in the last hours (at least 3, at most 6).',
  })
  days_left: number | null;
  @ApiProperty(reason) reason: ForecastReason | null;
}

/** What people store, measured from some of them, and what that means for the disk. Contains no health values. */
export class ForecastDto {
  @ApiProperty({ format: 'date-time' }) at: string;
  @ApiProperty({ ...count, description: 'Active accounts that were measured, spread over all.' }) accounts: number;
  @ApiProperty({ type: 'integer', example: 7, description: 'Complete days before now that were measured.' })
  days: number;
  @ApiProperty({ ...bytes, example: 31.2, description: 'Of one stored sample with its key.' })
  bytes_a_sample: number | null;
  @ApiProperty({
    ...bytes,
    description:
      'Samples and objects of summaries of one person on one day, without messages and changes, which expire.',
  })
  bytes_a_person_and_day: number | null;
  @ApiProperty(reason) reason: ForecastReason | null;
  @ApiProperty({ type: [ForecastResourceDto], description: 'Of one person on one day, on average; largest first.' })
  resources: ForecastResourceDto[];
  @ApiProperty({ description: 'The disk of the database.' }) disk: ForecastDiskDto;
}
