import { existsSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { titlesOf } from './support/test-titles.js';

const root = resolve('.');
const words = (text: string): string[] => text.trim().split(/\s+/);
const items = (section: string, count: number): string[] =>
  Array.from({ length: count }, (_, index) => `${section}.${index + 1}`);
const within = (section: string, names: string): string[] => words(names).map((name) => `${section} ${name}`);

/**
 * Everything that is numbered, tabled or listed in the two documents. A bullet of a section without numbers of its own
 * counts from one; a field or parameter goes by its name.
 */
const everything: readonly string[] = [
  ...items('1', 9),
  ...within('1.7', 'timeseries sleep users pulls availability compendium transactions'),
  ...within('2.1', 'user_id team_id client_user_id created_on connected_sources fallback_time_zone'),
  ...within('2.1', 'fallback_birth_date ingestion_start ingestion_end'),
  ...within('2.1', 'ConnectedSource FallbackTimeZone FallbackBirthDate'),
  ...within('2.2', 'groups next next_cursor group mindfulness_minutes blood_pressure'),
  ...within('2.3', 'sleep ids times version timezone_offset durations efficiency measures source unstated'),
  ...within('2.4', 'user_id provider not_pulled status days_with_data range release trace_id error_details timeline'),
  ...within('2.5', 'slots timezone day location slot'),
  ...within('2.6', 'canonical mode selected_canonical canonical_candidates per_lab related'),
  '2.7',
  ...items('2.8', 7),
  ...within('3', 'active completed cancelled transitions pulls'),
  '4',
  ...within('4.1', 'mindfulness_minutes blood_pressure user_id start_date end_date provider next_cursor cursor answer'),
  ...within('4.2', 'sleep user_id start_date end_date provider answer'),
  ...within('4.3', 'list offset limit answer'),
  ...within('4.4', 'create client_user_id answer'),
  ...within('4.5', 'resolve'),
  ...within('4.6', 'sign_in_token once'),
  ...within('4.7', 'link_token'),
  ...within('4.8', 'pulls user_id provider user_limit next_cursor cursor answer'),
  ...within('4.9', 'availability lab start_date site_codes zip_code radius allow_stale required answer'),
  ...within('4.10', 'compendium mode query cpt_codes loinc_set_hash labs include_related limit required answer'),
  ...within('4.11', 'transaction transaction/result transaction/result/pdf orders order order/result details'),
  ...items('5', 6),
  ...items('6', 4),
  ...items('7', 2),
  ...within('8', 'limit offset user_limit live_users radius zip_code link_token rate'),
  ...items('9', 4),
  ...items('13', 23),
];

interface Row {
  readonly number: string;
  readonly rule: string;
  readonly places: readonly string[];
  readonly where: string;
  readonly tests: readonly string[];
  readonly held: string;
}

const quoted = (cell: string): string[] => [...cell.matchAll(/`([^`]+)`/g)].map((match) => String(match[1]));
const inRepository = /^(src|sandbox|test|migrations|docs|demo)\/|^\.env\.example$/;

/** A row says why nothing here implements or holds it. */
const reason = /^(Not ours|Not built|Not stated): .{15,}/;

function rowsOf(text: string): Row[] {
  return text.split('\n').flatMap((line) => {
    const cells = line.split(/(?<!\\)\|/).map((cell) => cell.trim());
    if (cells.length !== 6 || /^(-+|#)$/.test(cells[1] ?? '')) return [];
    const [, number = '', rule = '', where = '', held = ''] = cells;
    return [
      { number, rule, places: quoted(where).filter((p) => inRepository.test(p)), where, tests: quoted(held), held },
    ];
  });
}

describe('docs/specification-coverage.md', () => {
  const rows = rowsOf(readFileSync(join(root, 'docs/specification-coverage.md'), 'utf8'));
  const without = (holds: (row: Row) => boolean): string[] =>
    rows.filter((row) => !holds(row)).map((row) => row.number);

  it('has one row for each paragraph, field, endpoint, limit and rule', () => {
    const numbers = rows.map(({ number }) => number);
    expect(everything.filter((number) => !numbers.includes(number))).toEqual([]);
    expect(numbers.filter((number) => !everything.includes(number))).toEqual([]);
    expect(numbers.filter((number, index) => numbers.indexOf(number) !== index)).toEqual([]);
  });

  it('says of each what the rule is', () => {
    expect(without(({ rule }) => rule.length > 10)).toEqual([]);
  });

  it('names where each is implemented, or why it is not', () => {
    expect(without(({ places, where }) => places.length > 0 || reason.test(where))).toEqual([]);
  });

  it('names a test that holds each, or why there is none', () => {
    expect(without(({ tests, held }) => tests.length > 0 || reason.test(held))).toEqual([]);
  });

  it('names only what exists', () => {
    const named = new Set(rows.flatMap(({ places }) => places));
    expect([...named].filter((path) => !existsSync(join(root, path)))).toEqual([]);
  });

  it('names only tests that exist', () => {
    const known = new Map<string, ReadonlySet<string>>();
    const isTest = (name: string): boolean => {
      const [path = '', ...trail] = name.split(' › ');
      if (!path.endsWith('.spec.ts') || !existsSync(join(root, path))) return false;
      const titles = known.get(path) ?? titlesOf(join(root, path));
      known.set(path, titles);
      return titles.has(trail.join(' › '));
    };
    const named = new Set(rows.flatMap(({ tests }) => tests));
    expect([...named].filter((name) => !isTest(name))).toEqual([]);
  });
});
