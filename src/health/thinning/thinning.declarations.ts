import { joinShownAccount } from '../../accounts/accounts/account-sql.js';
import type { RoomDeclarations } from '../../storage/declarations/declarations.js';
import { accountRef, column, type View } from '../../storage/declarations/views.js';
import { seriesCut } from '../reads/series-cut.declarations.js';
import { sampleHourChanges, sampleHourLines } from './sample-hour-changes.reader.js';

const sampleHours: View = {
  name: 'sample_hours',
  about:
    'What is kept of the samples of an hour that are older than `SAMPLES_KEEP_DAYS`. The hour is one of UTC and of the ' +
    "person's clock; where clocks differ by half an hour, there are two rows.",
  columns: [
    accountRef('s.account_id'),
    column('resource', 'text', 's.resource', 'Kind of data; see the resources below.'),
    column('provider', 'text', 's.provider', 'Provider of the source.'),
    column('source_type', 'text', `NULLIF(s.source_type, '')`, 'Type of the source, such as `watch`.'),
    column('sub_type', 'text', `NULLIF(s.sub_series, '')`, 'The `type` of the points; null if they have none.'),
    column('time', 'time', 'h.time', 'Start of the hour.'),
    column('time_ms', 'integer', 'h.time', '`time` in epoch milliseconds: a condition on it can use the index.', {
      unit: 'ms',
    }),
    column('end_time', 'time', 'h.end_time', 'End of the hour, exclusive.'),
    column('count', 'integer', 'h.count', 'Number of samples.'),
    column('sum', 'number', 'h.sum', 'Sum of their numbers; systolic for a blood pressure.'),
    column('min', 'number', 'h.min', 'The smallest.'),
    column('max', 'number', 'h.max', 'The largest.'),
    column('first_at', 'time', 'h.first_at', 'Time of the first sample.'),
    column('first', 'number', 'h.first', 'Its number.'),
    column('last_at', 'time', 'h.last_at', 'Time of the last sample.'),
    column('last', 'number', 'h.last', 'Its number.'),
    column('sum2', 'number', 'h.sum_2', 'Sum of the diastolic pressures; null for anything else, like the next ones.'),
    column('min2', 'number', 'h.min_2', 'The smallest diastolic pressure.'),
    column('max2', 'number', 'h.max_2', 'The largest diastolic pressure.'),
    {
      ...{ name: 'unit', type: 'text', meaning: 'Unit as it was sent; numbers of different units must not be added.' },
      sql: (by) => by.field(by.json('d', 'a.content').object, ['unit'], 'text'),
    },
    column('sent_again_at', 'time', 'h.sent_again_at', 'When upstream first sent samples of the hour again.'),
  ],
  from: (by) => `FROM series s ${joinShownAccount('s.account_id')}
    JOIN sample_hours h ON h.series_id = s.id JOIN sample_attributes a ON a.id = h.attributes_id
    ${by.json('d', 'a.content').join}`,
  order: 's.account_id, s.resource, s.provider, s.source_type, s.sub_series, h.time, h.attributes_id',
  cut: seriesCut('sample_hours', 'sample_hours', 'h'),
};

export const thinningDeclarations: RoomDeclarations = {
  views: [sampleHours],
  changes: [sampleHourChanges],
  exports: [sampleHourLines],
};
