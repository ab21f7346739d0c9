// .ci/run runs this on PostgreSQL too: its outcome depends on the database.
import { insulin, notes, pressure, resourceNamed, sleep } from './support/example-answers.js';
import { StoredAnswers } from './support/stored-answers.js';

const answersOf = {
  insulin_injection: insulin,
  blood_pressure: pressure,
  note: notes,
  sleep,
} as const;
type Name = keyof typeof answersOf;

const first = '(SELECT series_id FROM samples ORDER BY series_id LIMIT 1)';
const atFirst = `series_id = ${first} AND sibling = 0`;

/** A row changed by hand, and how the comparison names it: kind, and fields that differ. */
const faults: readonly (readonly [what: string, resource: Name, sql: string, found: readonly string[]])[] = [
  ['a value', 'insulin_injection', `UPDATE samples SET value = 9 WHERE ${atFirst}`, twice('different value')],
  ['an end', 'insulin_injection', `UPDATE samples SET duration_ms = 60000 WHERE ${atFirst}`, twice('different end')],
  ['an end that is lost', 'note', `UPDATE samples SET duration_ms = NULL WHERE ${atFirst}`, ['different end']],
  ['a text', 'note', `UPDATE samples SET text_value = 'before lunch' WHERE ${atFirst}`, ['different value']],
  ['a diastolic', 'blood_pressure', `UPDATE samples SET text_value = '80' WHERE ${atFirst}`, ['different diastolic']],
  ['a sample that is lost', 'note', `DELETE FROM samples WHERE ${atFirst}`, ['missing']],
  ['a sibling that is lost', 'insulin_injection', 'DELETE FROM samples WHERE sibling = 1', ['missing', 'missing']],
  ['a time', 'note', 'UPDATE samples SET time = time + 60000', ['missing', 'extra']],
  ['a day', 'note', 'UPDATE samples SET time = time + 86400000', ['missing', 'extra']],
  [
    'a sample too many',
    'note',
    `INSERT INTO samples (series_id, time, sibling, value, text_value, duration_ms, group_id)
     SELECT series_id, time + 1000, sibling, value, text_value, duration_ms, group_id FROM samples`,
    ['extra'],
  ],
  ['a provider', 'note', `UPDATE series SET provider = 'garmin'`, ['missing', 'extra']],
  ['a source type', 'note', `UPDATE series SET source_type = 'app'`, ['missing', 'extra']],
  ['a type', 'blood_pressure', `UPDATE series SET sub_series = 'other'`, ['missing', 'extra']],
  ['another resource', 'note', `UPDATE series SET resource = 'water'`, ['missing']],
  ['a unit', 'blood_pressure', `UPDATE sample_attributes SET content = '{"unit":"kPa"}'`, ['different unit']],
  [
    'attributes',
    'note',
    `UPDATE sample_attributes SET content = '{"unit":"text"}'`,
    ['different tags timezone_offset'],
  ],
  ['a summary that is lost', 'sleep', `DELETE FROM summaries WHERE summary_id = 'night-1'`, ['missing']],
  [
    'the content of a summary',
    'sleep',
    `UPDATE summaries SET raw = REPLACE(raw, '25200', '25201')`,
    ['different duration'],
  ],
  ['the time of a summary', 'sleep', 'UPDATE summaries SET time = time + 1', twice('different bedtime_start')],
  ['the end of a summary', 'sleep', 'UPDATE summaries SET end_time = NULL', twice('different bedtime_stop')],
  [
    'the day of a summary',
    'sleep',
    `UPDATE summaries SET calendar_date = '2026-11-03'`,
    twice('different calendar_date'),
  ],
  ['the version of a summary', 'sleep', 'UPDATE summaries SET version = version + 1000', twice('different updated_at')],
  [
    'the provider of a summary',
    'sleep',
    `UPDATE summaries SET provider = 'garmin'`,
    [...twice('missing'), ...twice('extra')],
  ],
  ['the source type of a summary', 'sleep', `UPDATE summaries SET source_type = 'app'`, twice('different source.type')],
  [
    'the id of a summary',
    'sleep',
    `UPDATE summaries SET summary_id = 'night-3' WHERE summary_id = 'night-1'`,
    ['missing', 'extra'],
  ],
];

function twice(found: string): string[] {
  return [found, found];
}

describe('a row changed by hand', () => {
  let here: StoredAnswers;

  beforeEach(async () => {
    here = await StoredAnswers.create();
  });

  afterEach(() => here.close());

  async function found(account: number, name: Name): Promise<string[]> {
    const compared = await here.compare(account, resourceNamed(name), answersOf[name]);
    const differences = compared.flatMap((day) => day.differences);
    return differences.map(({ kind, fields }) => [kind, ...fields].join(' ')).sort();
  }

  it.each(faults)('is found and named: %s (%s)', async (_, name, sql, expected) => {
    const account = await here.account();
    await here.pull(account, resourceNamed(name), answersOf[name]);
    expect(await found(account, name)).toEqual([]);
    await here.store.lane.run((tx) => tx.execute(sql, []));
    expect(await found(account, name)).toEqual([...expected].sort());
  });

  it('is found where it was moved from, and where it was moved to', async () => {
    const [one, other] = [await here.account(), await here.account()];
    await here.pull(one, resourceNamed('sleep'), sleep);
    const move = `UPDATE summaries SET account_id = ? WHERE summary_id = 'night-1'`;
    await here.store.lane.run((tx) => tx.execute(move, [other]));
    expect(await found(one, 'sleep')).toEqual(['missing']);
    const elsewhere = await here.compare(other, resourceNamed('sleep'), []);
    expect(elsewhere.flatMap((day) => day.differences.map(({ kind }) => kind))).toEqual(['extra']);
  });

  it('is named without its values', async () => {
    const account = await here.account();
    const meal = {
      id: 'm',
      timestamp: '2026-11-02T12:00:00Z',
      calendar_date: '2026-11-02',
      source: { provider: 'oura' },
    };
    const pages = [{ meals: [{ ...meal, name: 'Lunch', data: { 'private soup': { amount: 1 } }, 'Odd name': 2 }] }];
    await here.pull(account, resourceNamed('meal'), pages);
    const raw = JSON.stringify({ ...meal, name: 'Dinner', data: { 'private salad': { amount: 1 } }, 'Odd name': 3 });
    await here.store.lane.run((tx) => tx.execute('UPDATE summaries SET raw = ?', [raw]));
    const compared = await here.compare(account, resourceNamed('meal'), pages);
    const differences = compared.flatMap((day) => day.differences);
    expect(differences).toEqual([{ kind: 'different', fields: ['other', 'data', 'name'] }]);
  });
});
