// Writes resources.md and enums.md from data/. With --check it writes nothing and fails where a page is out of date.
import { readFileSync, writeFileSync } from 'node:fs';

const here = (name) => new URL(name, import.meta.url);
const data = (name) => JSON.parse(readFileSync(here(`data/${name}.json`), 'utf8'));
const code = (text) => (text === null ? 'none' : `\`${text}\``);
const escaped = (text) => text.replaceAll('|', '\\|');
const table = (head, rows) =>
  [head, head.map(() => '---'), ...rows].map((cells) => `| ${cells.map(escaped).join(' | ')} |`).join('\n');
const generated = 'Made from `data/` by `node docs/upstream/generate.mjs`; not to be edited by hand.';

function subSeries({ subSeries: values }) {
  if (values === null) return '';
  return values.length === 0 ? 'any text' : values.map(code).join(', ');
}

function timeseriesTable(resources) {
  const rows = resources.map((resource) => [
    code(resource.name),
    resource.event === resource.name ? 'same' : resource.event === null ? 'none' : `**${code(resource.event)}**`,
    resource.family,
    resource.unit + (resource.unitFixed ? '' : ' (example)'),
    subSeries(resource),
    Object.entries(resource.fields)
      .map(([name, type]) => `${code(name)} (${type})`)
      .join('; '),
  ]);
  return table(['Resource', 'Event name', 'Family', 'Unit', 'Sub-series', 'Further fields'], rows);
}

function summaryTable(resources) {
  const rows = resources.map((resource) => [
    code(resource.name),
    code(resource.path),
    code(resource.key),
    code(resource.id),
    [resource.time, resource.end].filter((field) => field !== null).map(code).join(', ') || 'none',
    resource.hasDay ? 'yes' : 'no',
    resource.dates,
    code(resource.version),
  ]);
  return table(['Resource', 'Path', 'Key of the list', 'Id', 'Time, end', 'Calendar date', 'Dates taken', 'Version'], rows);
}

function fieldsOf({ name, fields }) {
  const rows = Object.entries(fields).map(([field, facts]) => {
    const [shape, values = ''] = facts.split(': ');
    const [type, ...presence] = shape.split(', ');
    return [code(field), type, presence.join(', '), values];
  });
  return `### Fields of ${name}\n\n${table(['Field', 'Type', 'Presence', 'Values'], rows)}`;
}

function resourcesPage() {
  const all = data('resources');
  const summaries = all.filter(({ family }) => family === 'summary' || family === 'stream');
  const timeseries = all.filter((resource) => !summaries.includes(resource));
  return `# Resources

${generated}

${all.length} resources: ${timeseries.length} timeseries, ${summaries.length - 1} summaries and the workout stream.

## Timeseries

Path \`/v2/timeseries/{user_id}/{resource}/grouped\`, groups under \`groups\`, paged by cursor, no id and no version. The time is
\`start\` for intervals and texts, else \`timestamp\`. A unit is a constant of the schema, or known from an example only. A
sub-series is named by the point's \`type\`.

${timeseriesTable(timeseries)}

## Summaries

Event names are those of the resources. "Dates taken": \`any\` takes dates and date-times, \`date\` takes dates alone, \`none\`
takes no window.

${summaryTable(summaries)}

## Fields of summaries

For \`workout_stream\` these are the fields of its event.

${summaries.map(fieldsOf).join('\n\n')}
`;
}

function enumsPage() {
  const all = data('enums');
  const sections = all.map(
    ({ title, about, values }) =>
      `## ${title}\n\n${about[0].toUpperCase()}${about.slice(1)}: ${values.map((value) => code(value === '' ? ' ' : value)).join(', ')}.`,
  );
  return `# Enumerations

${generated}

${all.length} lists. All are open: a value that is not in them is kept, not refused.

${sections.join('\n\n')}
`;
}

const pages = { 'resources.md': resourcesPage(), 'enums.md': enumsPage() };
for (const [name, text] of Object.entries(pages)) {
  if (!process.argv.includes('--check')) writeFileSync(here(name), text);
  else if (readFileSync(here(name), 'utf8') !== text) {
    process.stderr.write(`${name} is not what data/ says: run node docs/upstream/generate.mjs\n`);
    process.exitCode = 1;
  }
}
