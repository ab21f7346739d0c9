import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { findSeriesByPath, findSummary, SERIES_NAMES, SUMMARY_NAMES } from '../sandbox/facts/catalogue.js';
import * as sandboxEnums from '../sandbox/facts/enums.js';
import { hasFloatingTime } from '../src/accounts/connections/provider-facts.js';
import { catalogue } from '../src/health/catalogue/catalogue.js';
import { summaryFields } from '../src/health/catalogue/summary-fields.js';

const folder = resolve('docs/upstream');
const read = <T>(name: string): T => JSON.parse(readFileSync(resolve(folder, 'data', `${name}.json`), 'utf8')) as T;

interface Facts {
  name: string;
  family: string;
  event: string | null;
  unit?: string;
  subSeries?: string[] | null;
  key?: string | null;
  time?: string | null;
  end?: string | null;
  hasDay?: boolean;
  dates?: 'any' | 'date' | 'none';
  fields: Readonly<Record<string, string>>;
}

const resources = read<Facts[]>('resources');
const enums = new Map(read<{ title: string; values: unknown[] }[]>('enums').map((row) => [row.title, row.values]));
const isSeries = ({ family }: Facts): boolean => family !== 'summary' && family !== 'stream';
const series = resources.filter(isSeries);
const summaries = resources.filter(({ family }) => family === 'summary');

describe('the tables of docs/upstream', () => {
  it('match the output of the generator', () => {
    const { status, stderr } = spawnSync(process.execPath, [resolve(folder, 'generate.mjs'), '--check']);
    expect({ status, stderr: stderr.toString() }).toEqual({ status: 0, stderr: '' });
  });

  it('have 61 resources and 50 enumerations, each once', () => {
    expect(new Set(resources.map(({ name }) => name)).size).toBe(61);
    expect(resources).toHaveLength(61);
    expect(enums.size).toBe(50);
  });
});

describe('the resources of docs/upstream', () => {
  it('have the fields of their summaries in the OpenAPI document, with the same types', () => {
    const types: Readonly<Record<string, string>> = {
      integer: 'integer',
      number: 'number',
      boolean: 'boolean',
      object: 'object',
      map: 'object',
      list: 'array',
    };
    const stated = resources
      .filter((row) => !isSeries(row))
      .map(({ name, fields }) => [
        name,
        Object.fromEntries(
          Object.entries(fields).map(([field, words]) => [field, types[words.split(/[ ,]/)[0] ?? ''] ?? 'string']),
        ),
      ]);
    const shown = Object.entries(summaryFields).map(([name, fields]) => [
      name,
      Object.fromEntries(
        Object.entries(fields).map(([field, text]) => [
          field,
          typeof text === 'string' ? text.split('|')[0]?.replace(/^.*\[\]$/, 'array') : 'object',
        ]),
      ),
    ]);
    expect(Object.fromEntries(shown)).toEqual(Object.fromEntries(stated));
  });

  it('are those of the catalogue, with equal families, event names, units, keys and times', () => {
    const stated = resources.map((row) => ({
      name: row.name,
      family: row.family,
      eventName: row.event,
      unit: row.unit ?? null,
      responseKey: isSeries(row) ? 'groups' : row.key,
      timeField: row.time ?? null,
      endField: row.end ?? null,
      hasDay: row.hasDay ?? false,
      dateOnly: row.dates === 'date',
    }));
    // What this service adds to them.
    const own = [
      'pulled',
      'ofDay',
      'statistics',
      'ofNight',
      'byType',
      'onceAtATime',
      'mayFlow',
      'instrument',
      'hasForecasts',
      'possible',
      'mayBeFraction',
    ];
    const known = catalogue.map((resource) =>
      Object.fromEntries(Object.entries(resource).filter(([name]) => !own.includes(name))),
    );
    expect(known.map((resource) => String(resource['name'])).sort()).toEqual(stated.map(({ name }) => name).sort());
    expect(known).toEqual(expect.arrayContaining(stated));
  });

  it('are those of the sandbox', () => {
    expect([...SERIES_NAMES].sort()).toEqual(series.map(({ name }) => name).sort());
    expect([...SUMMARY_NAMES].sort()).toEqual(summaries.map(({ name }) => name).sort());
  });

  it.each(series)('has the timeseries $name as in the sandbox', ({ name, family, event, unit, subSeries }) => {
    const row = findSeriesByPath(name);
    expect({ family: row?.family, event: row?.event, unit: row?.unit }).toEqual({ family, event, unit });
    if (subSeries?.length) expect(row?.types).toEqual(subSeries);
    expect((row?.types ?? []).length > 0).toBe(subSeries !== null);
  });

  it.each(summaries)('has the summary $name as in the sandbox', ({ name, key, time, dates }) => {
    const row = findSummary(name);
    expect({ key: row?.responseKey, dates: row?.parameters }).toEqual({ key, dates });
    if (dates !== 'none') expect(row?.timeField).toBe(time);
  });
});

describe('the enumerations of docs/upstream', () => {
  it.each([
    ['APPOINTMENT_LABS', 'Labs with appointments'],
    ['APPOINTMENT_STATUSES', 'Appointment statuses'],
    ['BILLING_TYPES', 'Billing types'],
    ['COLLECTION_METHODS', 'Collection methods'],
    ['COMPENDIUM_LABS', 'Compendium labs'],
    ['COMPENDIUM_MODES', 'Compendium modes'],
    ['CONNECTION_ERROR_TYPES', 'Connection error types'],
    ['CONSENT_TYPES', 'Consent types'],
    ['DEMO_PROVIDERS', 'Demo providers'],
    ['EMAIL_PROVIDERS', 'E-mail providers'],
    ['ETHNICITIES', 'Ethnicities'],
    ['GENDERS', 'Genders'],
    ['INTERPRETATIONS', 'Interpretations'],
    ['LABS', 'Labs'],
    ['LINK_ERROR_TYPES', 'Link error types'],
    ['OAUTH_PROVIDERS', 'OAuth providers'],
    ['ORDER_ACTIVATION_TYPES', 'Order activation types'],
    ['ORDER_EVENT_STATUSES', 'Order event statuses'],
    ['ORDER_LOW_LEVEL_STATUSES', 'Order statuses'],
    ['ORDER_STATUS_DETAILS', 'Order status details'],
    ['PASSWORD_PROVIDERS', 'Password providers'],
    ['PROVIDERS', 'Providers'],
    ['PULL_ERRORS_FINAL', 'Final pull errors'],
    ['PULL_ERRORS_RETRIABLE', 'Pull errors to be retried'],
    ['RACES', 'Races'],
    ['RADII', 'Radii'],
    ['RESULT_TYPES', 'Result types'],
    ['SOURCE_TYPES', 'Source types'],
  ] as const)('have %s of the sandbox as "%s" [connections#provider-groups]', (constant, title) => {
    expect([...sandboxEnums[constant]].sort()).toEqual([...(enums.get(title) ?? [])].sort());
  });

  it('name in "Resource names" every name of an event', () => {
    const names = enums.get('Resource names') ?? [];
    expect(resources.flatMap(({ event }) => event ?? []).filter((event) => !names.includes(event))).toEqual([]);
  });

  it('have local times for two providers, as the catalogue says', () => {
    const floating = (enums.get('Providers') ?? []).filter((slug) => hasFloatingTime(String(slug)));
    expect(floating).toEqual(['freestyle_libre', 'abbott_libreview']);
  });
});
