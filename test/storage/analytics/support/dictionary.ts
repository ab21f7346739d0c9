import { postgresViews, views } from '../../../../src/app/rooms.js';
import { catalogue, isWhole, type Resource } from '../../../../src/health/catalogue/catalogue.js';
import { valuesOf } from '../../../../src/health/catalogue/dictionary.js';
import { storedViews } from '../../../../src/operations/app-api/daily-numbers.declarations.js';
import { dailyTable } from '../../../../src/operations/app-api/daily-table.js';
import { type DayTable, identitySchema, type View, viewSchema } from '../../../../src/storage/declarations/views.js';

/** What the file docs/data-dictionary.md says, made from the views and the catalogue. */
export function dictionary(): string {
  const timeseries = catalogue.filter((resource) => !isWhole(resource));
  return `${introduction}
## Views

### Columns of several views

A view names at its end those of them that it has.

${columnTable([...shared.values()])}

${views.map(viewText).join('\n')}
## Computed by the program

In a dataset of Parquet files and in a copy of a SQLite file; on PostgreSQL as views, as of the last run of
\`analytics daily\` ([downstream](downstream.md#daily)).

${viewText(dailyTable)}
${otherStored.map(viewText).join('\n')}
## Resources

Values of \`samples\`, by \`resource\`. Each sample keeps the unit it was sent with in \`unit\`; the table has the unit that
upstream documents.

${table(['Resource', 'Shape', 'Value', 'Unit, LOINC'], timeseries.flatMap(resourceRows))}
`;
}

/** What examples/analytics/sources.yml says. */
export function dbtSources(): string {
  const tables = (wanted: boolean): string[] =>
    postgresViews.filter((view) => (view.namesPeople === true) === wanted).flatMap(dbtTable);
  const source = (name: string, schema: string, lines: readonly string[]): string[] => {
    return [`  - name: ${name}`, `    schema: ${schema}`, '    tables:', ...lines];
  };
  return [
    '# Made from src by `node scripts/dictionary.mjs`; not to be edited by hand.',
    ...['version: 2', 'sources:'],
    ...source('pulsekeep', viewSchema, tables(false)),
    ...source('pulsekeep_identity', identitySchema, tables(true)),
    '',
  ].join('\n');
}

function dbtTable({ name, about, columns }: View): string[] {
  return [
    `      - name: ${name}`,
    `        description: ${JSON.stringify(about)}`,
    '        columns:',
    ...columns.flatMap(({ name: column, meaning }) => [
      `          - name: ${column}`,
      `            description: ${JSON.stringify(meaning)}`,
    ]),
  ];
}

const introduction = `# Data dictionary

Made from \`src\` by \`node scripts/dictionary.mjs\`; not to be edited by hand.

What analysts read with SQL ([downstream](downstream.md)): on PostgreSQL the views of the schema \`${viewSchema}\`, and
\`${identitySchema}.accounts\`; in a copy of a SQLite file, tables of the same names. Units are
[UCUM](https://ucum.org), codes [LOINC](https://loinc.org). A unit or code that is not certain is left out, never guessed.

| Type | PostgreSQL | SQLite file |
|---|---|---|
| integer | bigint | integer |
| number | double precision | real |
| text | text | text |
| date | text, \`YYYY-MM-DD\` | text, \`YYYY-MM-DD\` |
| time | timestamptz | text, ISO 8601 in UTC |
| boolean | boolean | 0 or 1 |
| json | jsonb | text |
`;

const code = (text: string | null | undefined): string => (text ? `\`${text}\`` : '');

type ShownColumn = DayTable['columns'][number];
const otherStored = storedViews.filter(({ name }) => name !== dailyTable.name);
const allViews: readonly (View | DayTable)[] = [...views, dailyTable, ...otherStored];

/** Text of each column that stands alike in three views or more. */
const shared = new Map(
  allViews
    .flatMap(({ columns }) => columns)
    .map((column): [string, ShownColumn] => [rowOf(column).join('|'), column])
    .filter(([text], _, all) => all.filter(([other]) => other === text).length > 2),
);

function rowOf({ name, type, unit, loinc, meaning }: ShownColumn): string[] {
  return [code(name), type, [code(unit), code(loinc)].filter(Boolean).join(', '), meaning];
}

function columnTable(columns: readonly ShownColumn[]): string {
  return table(['Column', 'Type', 'Unit, LOINC', 'Meaning'], columns.map(rowOf));
}

function viewText(shown: View | DayTable): string {
  const { name, about, columns } = shown;
  const namesPeople = 'namesPeople' in shown && shown.namesPeople;
  const isShared = (column: ShownColumn): boolean => shared.has(rowOf(column).join('|'));
  const place = namesPeople ? ` (schema \`${identitySchema}\`)` : '';
  const own = columnTable(columns.filter((column) => !isShared(column)));
  const others = columns.filter(isShared).map((column) => code(column.name));
  const also = others.length > 0 ? `\nAnd ${others.join(', ')}.\n` : '';
  return `### ${name}\n\n${about}${place}\n\n${own}\n${also}`;
}

function resourceRows(resource: Resource): string[][] {
  return valuesOf(resource).map(({ name, unit, loinc }, index) => [
    index === 0 ? code(resource.name) : '',
    index === 0 ? resource.family : '',
    code(name),
    [code(unit), code(loinc)].filter(Boolean).join(', '),
  ]);
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  return [head, head.map(() => '---'), ...rows]
    .map((cells) => `|${cells.map((cell) => (cell === '' ? '' : ` ${cell} `)).join('|')}|`)
    .join('\n');
}
