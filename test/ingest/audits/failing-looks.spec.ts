import type { FaultRule } from '../../../sandbox/engine/faults.js';
import { AuditedPeople } from './support/audited-people.js';

const resources = ['blood_pressure', 'glucose', 'sleep', 'steps'];
const bloodPressure = '^/v2/timeseries/[^/]+/blood_pressure';

let people: AuditedPeople;
afterEach(() => people.app.close());

describe('a look that always fails', () => {
  it.each<[string, FaultRule]>([
    ['502', { kind: 'html_error' }],
    ['an error page with 200', { kind: 'html_error', status: 200 }],
    ['no JSON', { kind: 'bad_json' }],
    ['pages without end', { kind: 'repeat_cursor' }],
    ['a group that is none', { kind: 'bad_group' }],
    ['a refusal', { kind: 'status', status: 400 }],
  ])('is left out of an audit after some tries, and the others are compared: %s', async (_, fault) => {
    people = await AuditedPeople.create(['one'], resources);
    const { control } = people.app.sandbox;
    await control.configure({ page_size: 1 });
    await control.fault({ path: bloodPressure, ...fault });
    const done = await people.audit('one');
    expect(done.days_compared).toBeLessThan(done.days_total);
    expect(done.proven).toBe(done.days_compared);
    expect(await people.provenResources('one')).toEqual(resources.slice(1));
  });

  it('does not hold up the other days of its stream', async () => {
    people = await AuditedPeople.create(['one'], resources);
    const refusal: FaultRule = { kind: 'status', status: 400, skip: 1, times: 1 };
    await people.app.sandbox.control.fault({ path: bloodPressure, ...refusal });
    const done = await people.audit('one');
    expect(done).toMatchObject({ state: 'done', days_compared: done.days_total - 1 });
    expect(await people.provenResources('one')).toEqual(resources);
  });

  it('holds up no samples: neither of the person, nor of others; it has its turn again after a day', async () => {
    people = await AuditedPeople.create(['one', 'two'], resources, { AUDIT_CALLS_PER_DAY: '17280' });
    const { app, users } = people;
    const { control } = app.sandbox;
    await control.fault({ path: `^/v2/timeseries/${users.get('one')}/blood_pressure`, kind: 'html_error' });
    await app.advance(2 * 86_400, 2);
    const settled = async (person: string, expected: readonly string[]): Promise<void> => {
      for (let round = 0; round < 150; round++) {
        if ((await people.provenResources(person)).join() === expected.join()) return;
        await app.advance(10);
      }
      expect(await people.provenResources(person)).toEqual(expected);
    };
    await settled('one', resources.slice(1));
    await settled('two', resources);
    await app.advance(3_600, 4);
    const begun = (await people.list()).length;
    await app.advance(3_600, 4);
    expect(await people.list()).toHaveLength(begun);
    expect((await people.list()).map(({ state }) => state)).not.toContain('failed');
    await control.clearFaults();
    await app.advance(86_400);
    await settled('one', resources);
  });

  it('leaves no day that seems to be under repair once the audit has failed', async () => {
    people = await AuditedPeople.create(['one'], resources);
    const columns = 'series_id, time + 1, sibling, value, text_value, duration_ms, group_id';
    const time = people.firstTime('glucose', 3);
    await people.execute(`INSERT INTO samples SELECT ${columns} FROM samples WHERE time = ${time}`);
    const id = await people.request('one');
    for (let minute = 0; minute < 10; minute++) await people.app.advance(60);
    expect(await people.read(id)).toMatchObject({ state: 'repairing', repairing: 1 });
    await people.execute('UPDATE accounts SET user_gone_at = 1');
    await people.app.advance(60, 4);
    expect(await people.read(id)).toMatchObject({ state: 'failed', repairing: 0 });
    expect((await people.proofs('one')).map(({ state }) => state)).toContain('different');
  });
});
