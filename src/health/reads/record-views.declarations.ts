import { joinShownAccount, relinkedAtColumn } from '../../accounts/accounts/account-sql.js';
import { accountRef, column, type View, type ViewColumn, type ViewSql } from '../../storage/declarations/views.js';
import { type Resource, resourceByName } from '../catalogue/catalogue.js';
import { type Value, valuesOf } from '../catalogue/dictionary.js';
import { PER_MILLISECOND } from '../records/observation-ids.js';

import { supersedingSql } from './records.reader.js';
import { seriesCut } from './series-cut.declarations.js';

/*
 * Records that are gone or superseded are no rows of these tables (health/gone), so the views cannot show them. A
 * summary of an earlier upstream user is left out where the app does not see it either
 * (docs/meaning.md#after-a-relink).
 */

/** The first observation of the present upstream user of the joined account; null if it had no other one. */
const presentSince = `(${relinkedAtColumn} + 1) * ${PER_MILLISECOND}`;

const isEarlier = (observation: string): ViewColumn =>
  column(
    'earlier_user',
    'boolean',
    `${observation} < ${presentSince}`,
    'True if it came from an upstream user that the person had before a relink.',
  );

const observed = (observation: string): ViewColumn =>
  column('observed_at', 'time', `(${observation} / ${PER_MILLISECOND})`, 'When upstream showed it to us.');

const floating = (sql: string): ViewColumn =>
  column(
    'time_is_floating',
    'boolean',
    sql,
    'True if the provider writes local time as if it were UTC: then its times are those of a clock on the wall.',
  );

const samples: View = {
  name: 'samples',
  about: 'A point of a timeseries. Several sources may show the same thing: the sum over them counts it twice.',
  columns: [
    accountRef('s.account_id'),
    column('resource', 'text', 's.resource', 'Kind of data; see the resources below.'),
    column('provider', 'text', 's.provider', 'Provider of the source.'),
    column('source_type', 'text', `NULLIF(s.source_type, '')`, 'Type of the source, such as `watch`.'),
    column('sub_type', 'text', `NULLIF(s.sub_series, '')`, 'The `type` of the point; null if it has none.'),
    column('time', 'time', 'p.time', 'When it was measured; the start of an interval.'),
    column('time_ms', 'integer', 'p.time', '`time` in epoch milliseconds: a condition on it can use the index.', {
      unit: 'ms',
    }),
    column('end_time', 'time', '(p.time + p.duration_ms)', 'End of an interval; null for an instant.'),
    column('value', 'number', 'p.value', 'The number; systolic for a blood pressure; null for a text.'),
    {
      ...{ name: 'value2', type: 'number', meaning: 'Diastolic pressure; null for anything else.' },
      sql: () => 'CASE WHEN p.value IS NOT NULL THEN CAST(p.text_value AS double precision) END',
    },
    column('text', 'text', 'CASE WHEN p.value IS NULL THEN p.text_value END', 'The text of a note.'),
    attribute('unit', 'text', 'Unit as it was sent; numbers of different units must not be added.'),
    attribute('timezone_offset', 'number', 'Seconds east of UTC; null if the source gave none.', 's'),
    column('device_id', 'text', `NULLIF(a.device_id, '')`, 'Device, if the provider names it.'),
    column('workout_id', 'text', `NULLIF(a.workout_id, '')`, '`record_id` of the workout it belongs to.'),
    column('sport', 'text', `NULLIF(a.sport, '')`, 'Sport of that workout.'),
    { name: 'attributes', type: 'json', meaning: 'Unit, offset and rarer fields.', sql: (by) => content(by).object },
    floating('s.floating_time = 1'),
    isEarlier('g.observation_id'),
    observed('g.observation_id'),
    column('origin', 'text', `CASE o.kind WHEN 'sync' THEN 'pull' ELSE o.kind END`, '`message` or `pull`.'),
  ],
  from: (by) => `FROM series s ${joinShownAccount('s.account_id')}
    JOIN samples p ON p.series_id = s.id JOIN sample_groups g ON g.id = p.group_id
    JOIN sample_attributes a ON a.id = g.attributes_id JOIN observations o ON o.id = g.observation_id
    ${content(by).join}`,
  order: 's.account_id, s.provider, s.source_type, s.sub_series, p.time, p.sibling',
  cut: seriesCut('samples', 'samples', 'p'),
};

function content(by: ViewSql): { readonly join: string; readonly object: string } {
  return by.json('d', 'a.content');
}

function attribute(name: string, type: 'text' | 'number', meaning: string, unit: string | null = null): ViewColumn {
  return { name, type, meaning, unit, sql: (by) => by.field(content(by).object, [name], type) };
}

/** Names of the views of summaries, by resource. */
const summaryViews = { sleep: 'sleep', activity: 'activity', workouts: 'workouts', body: 'body', meal: 'meals' };

/** The fields of upstream's object that name the person. */
const names = ['user_id', 'client_user_id'];

function summaryView(resource: Resource, name: string): View {
  return {
    name,
    about: `A record of the resource \`${resource.name}\`. Several sources may show the same one.`,
    columns: [
      column('record_id', 'text', 's.summary_id', 'Id from upstream.'),
      accountRef('s.account_id'),
      column('provider', 'text', 's.provider', 'Provider of the source.'),
      column('source_type', 'text', `NULLIF(s.source_type, '')`, 'Type of the source, such as `ring`.'),
      column('day', 'date', 's.calendar_date', 'Local day of the person that it belongs to.'),
      column('time', 'time', 's.time', 'When it began.'),
      ...(resource.endField ? [column('end_time', 'time', 's.end_time', 'When it ended.')] : []),
      ...valuesOf(resource).map(fieldColumn),
      floating('s.floating_time = 1'),
      isEarlier('s.observation_id'),
      column('updated_at', 'time', '(NULLIF(s.version, 0) / 1000)', 'When upstream last changed it.'),
      observed('s.observation_id'),
      {
        ...{ name: 'data', type: 'json', meaning: "Upstream's object without its ids of the person." },
        sql: (by) => by.without(raw(by).object, names),
      },
    ],
    from: (by) => `FROM summaries s ${joinShownAccount('s.account_id')} ${raw(by).join}`,
    where: `s.resource = '${resource.name}'
       AND (${relinkedAtColumn} IS NULL OR s.observation_id >= ${presentSince}
        OR NOT EXISTS (${supersedingSql(presentSince)}))`,
    order: 's.account_id, s.summary_id',
    cut: {
      change: 'summary',
      folders: ['day'],
      resource: resource.name,
      first: (_, day) => ({
        sql: `SELECT MIN(s.calendar_date) AS at FROM summaries s WHERE s.resource = '${resource.name}' AND s.calendar_date >= ?`,
        values: [day],
      }),
      rows: (_, day) =>
        day === null ? { sql: 's.calendar_date IS NULL', values: [] } : { sql: 's.calendar_date = ?', values: [day] },
      dayOf: 'SELECT calendar_date AS day FROM summaries WHERE account_id = ? AND resource = ? AND summary_id = ?',
    },
  };
}

function raw(by: ViewSql): { readonly join: string; readonly object: string } {
  return by.json('d', 's.raw');
}

function fieldColumn({ name, type, path, unit, loinc, meaning }: Value): ViewColumn {
  return { name, type, meaning, unit, loinc, sql: (by) => by.field(raw(by).object, path, type) };
}

export const recordViews: readonly View[] = [
  samples,
  ...Object.entries(summaryViews).map(([name, view]) => summaryView(resourceByName(name) as Resource, view)),
];
