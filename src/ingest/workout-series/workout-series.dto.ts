import { ApiProperty } from '@nestjs/swagger';
import { AccountFilter } from '../../http/server/account-path.js';

import { OptionalField, textOrNull, timeOrNull } from '../../http/server/openapi.js';
import { PageQuery } from '../../http/server/page-query.js';
import { isoOrNull, toIso } from '../../platform/platform/time.js';
import { failuresOf } from '../../storage/work/lease.js';
import { type SeriesFetchStatus, seriesFetchStatuses } from './series-fetch.entity.js';
import type { ShownFetch } from './series-fetches.repository.js';

export class SeriesFetchQuery extends PageQuery {
  @OptionalField({ enum: seriesFetchStatuses })
  status?: SeriesFetchStatus;

  @AccountFilter() account_id?: string;
}

export class SeriesFetchDto {
  @ApiProperty({ type: 'integer' }) id: number;
  @ApiProperty() account_id: string;
  @ApiProperty({ description: 'Workout id from upstream; also the id of its record.' }) workout_id: string;
  @ApiProperty({ enum: seriesFetchStatuses }) status: SeriesFetchStatus;
  @ApiProperty({ type: 'integer', description: 'Events that announced the series.' }) requests: number;
  @ApiProperty({ type: 'integer', description: 'Failures since the latest event.' }) failures: number;
  @ApiProperty({
    ...textOrNull,
    example: 'unknown_workout',
    description: 'Why it waits or failed, e.g. unknown_workout, foreign_user, foreign_workout, stream_too_large.',
  })
  last_error: string | null;
  @ApiProperty({ ...timeOrNull, description: 'Time of the first event.', nullable: false }) requested_at: string;
  @ApiProperty(timeOrNull) due_at: string | null;
  @ApiProperty(timeOrNull) stored_at: string | null;
}

export function toSeriesFetchDto(fetch: ShownFetch): SeriesFetchDto {
  const { id, account, workout_id, status, requests, error_code } = fetch;
  return {
    id,
    account_id: account,
    workout_id,
    status,
    requests,
    failures: failuresOf(fetch),
    last_error: error_code,
    requested_at: toIso(fetch.received_at),
    due_at: isoOrNull(fetch.due_at),
    stored_at: isoOrNull(fetch.stored_at),
  };
}
