import { joinShownAccount } from '../../accounts/accounts/account-sql.js';
import type { RoomDeclarations } from '../../storage/declarations/declarations.js';
import { byAccount, personalRows } from '../../storage/declarations/personal-data.js';
import { column, type View, type ViewColumn, type ViewColumnType } from '../../storage/declarations/views.js';
import { DailyNumbersEntity, DailyRunEntity } from './daily-numbers.entity.js';
import { dailyTable } from './daily-table.js';

const casts: Readonly<Record<ViewColumnType, string>> = {
  ...{ integer: 'bigint', number: 'double precision', boolean: 'boolean' },
  ...{ text: 'text', time: 'timestamptz', date: 'text', json: 'jsonb' },
};

const columns = dailyTable.columns.map((shown, place): ViewColumn => {
  return { ...shown, sql: (by) => `(${by.json('c', 'n.cells').object} ->> ${place})::${casts[shown.type]}` };
});

/** Views of PostgreSQL alone: a copy of a SQLite file has the table `daily` itself. */
export const storedViews: readonly View[] = [
  {
    name: dailyTable.name,
    about: `${dailyTable.about} As of the last run of \`analytics daily\`.`,
    columns,
    from: (by) => `FROM daily_numbers n ${joinShownAccount('n.account_id')} ${by.json('c', 'n.cells').join}`,
    order: 'n.account_id, n.day, n.resource',
  },
  {
    name: 'daily_run',
    about: 'The last complete run of `analytics daily`; no row before the first one.',
    columns: [
      column('made_at', 'time', 'r.made_at', 'When it began.'),
      column('position', 'text', 'r.position', 'Cursor of the change feed up to which `daily` is right.'),
    ],
    from: () => 'FROM daily_run r',
    order: 'r.id',
  },
];

export const dailyNumbersDeclarations: RoomDeclarations = {
  entities: [DailyNumbersEntity, DailyRunEntity],
  personal: [personalRows(DailyNumbersEntity, byAccount, 'as records, of which they are numbers')],
  kept: { daily_run: 'when the daily numbers for analysts were computed; no personal data' },
};
