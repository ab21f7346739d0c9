import { views } from '../../../../src/app/rooms.js';
import { catalogue, isWhole, type Resource } from '../../../../src/health/catalogue/catalogue.js';
import { valuesOf } from '../../../../src/health/catalogue/dictionary.js';
import { dailyTable } from '../../../../src/operations/app-api/daily-table.js';
import { type DayTable, identitySchema, type View, viewSchema } from '../../../../src/storage/declarations/views.js';

/** What the file docs/data-dictionary.md says, made from the views and the catalogue. */
export function dictionary(): string {
  const timeseries = catalogue.filter((resource) => !isWhole(resource));
  return `${introduction}
## Views

${views.map(viewText).join('\n')}
## Computed by the program

In a dataset of Parquet files and in a copy of a SQLite file; on PostgreSQL there is no such view
([downstream](downstream.md#daily)).

${viewText(dailyTable)}
## Resources

Values of \`samples\`, by \`resource\`. Each sample keeps the unit it was sent with in \`unit\`; the table has the unit that
upstream documents.

${table(['Resource', 'Shape', 'Value', 'Unit (UCUM)', 'LOINC'], timeseries.flatMap(resourceRows))}
`;
}

/** What examples/analytics/sources.yml says. */
export function dbtSources(): string {
  const tables = (wanted: boolean): string[] =>
    views.filter((view) => (view.namesPeople === true) === wanted).flatMap(dbtTable);
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

function viewText(shown: View | DayTable): string {
  const { name, about, columns } = shown;
  const namesPeople = 'namesPeople' in shown && shown.namesPeople;
  const rows = columns.map(({ name: column, type, unit, loinc, meaning }) => [
    code(column),
    type,
    code(unit),
    code(loinc),
    meaning,
  ]);
  const place = namesPeople ? ` (schema \`${identitySchema}\`)` : '';
  return `### ${name}\n\n${about}${place}\n\n${table(['Column', 'Type', 'Unit', 'LOINC', 'Meaning'], rows)}\n`;
}

function resourceRows(resource: Resource): string[][] {
  return valuesOf(resource).map(({ name, unit, loinc }, index) => [
    index === 0 ? code(resource.name) : '',
    index === 0 ? resource.family : '',
    code(name),
    code(unit),
    code(loinc),
  ]);
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  return [head, head.map(() => '---'), ...rows]
    .map((cells) => `| ${cells.join(' | ')} |`.replace(/ {2,}/g, ' '))
    .join('\n');
}
