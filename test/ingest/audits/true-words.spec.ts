// .ci/run runs this on PostgreSQL too: its outcome depends on the database.
import { AuditedPeople, DAY, provider } from './support/audited-people.js';

const resource = 'glucose';

let people: AuditedPeople;

beforeEach(async () => {
  people = await AuditedPeople.create(['one'], [resource]);
});

afterEach(() => people.app.close());

interface Overview {
  readonly audits: {
    readonly compared: number;
    readonly different: number;
    readonly proven_share_7_days: number;
    readonly oldest_proof_at: string | null;
  };
}

/** What each view says of a day: when it was proven, null if it was not. */
async function said(day: string) {
  const { app } = people;
  const days = `resource=${resource}&first_day=${day}&last_day=${day}`;
  const coverage = await app.admin<{ data: { runs: { proven_equal_at: string | null }[] }[] }>(
    'GET',
    `/accounts/one/coverage?${days}`,
  );
  const explained = await app.admin<{ evidence: { kind: string; finding: string }[] }>(
    'GET',
    `/accounts/one/explain?resource=${resource}&day=${day}`,
  );
  const proof = explained.body.evidence.find(({ kind }) => kind === 'proof')?.finding ?? null;
  return { coverage: coverage.body.data[0]?.runs[0]?.proven_equal_at ?? null, explain: proof };
}

async function overview(): Promise<Overview['audits']> {
  await people.app.advance(900);
  return (await people.app.admin<Overview>('GET', '/overview')).body.audits;
}

describe('what is said of a proven day', () => {
  it('is the same everywhere, also of a day that was proven and differs now', async () => {
    const { proven } = await people.audit('one');
    const day = people.dateAt(3);
    expect(await said(day)).toEqual({ coverage: expect.any(String), explain: expect.stringMatching(/^Proven equal/) });
    expect(await overview()).toMatchObject({ compared: proven, different: 0, proven_share_7_days: 1 });
    await people.execute(`DELETE FROM samples WHERE time = ${people.firstTime(resource, 3)}`);
    expect(await people.audit('one', { report_only: true })).toMatchObject({ proven: proven - 1 });
    const [different] = (await people.proofs('one')).filter(({ state }) => state !== 'proven');
    expect(await said(different?.day ?? '')).toEqual({
      coverage: null,
      explain: expect.stringMatching(/found the day different/),
    });
    const now = await overview();
    expect(now).toMatchObject({ compared: proven, different: 1 });
    expect(now.proven_share_7_days).toBeCloseTo((proven - 1) / proven);
    const { body: metrics } = await people.app.call<string>('GET', '/metrics');
    const share = /pulsekeep_audit_proven_share\{within="7d"\} ([\d.]+)/.exec(metrics)?.[1];
    expect(Number(share)).toBeCloseTo((proven - 1) / proven);
  });

  it('does not count the former proof of a day that differs as the oldest one', async () => {
    await people.audit('one');
    await people.app.advance(2 * 86_400, 2);
    await people.execute(`DELETE FROM samples WHERE time = ${people.firstTime(resource, 4)}`);
    const begun = people.app.clock.now();
    await people.audit('one', { report_only: true, first_day: people.dateAt(9) });
    expect(Date.parse((await overview()).oldest_proof_at ?? '')).toBeGreaterThanOrEqual(begun);
  });

  it('is nothing once the person has another upstream user, until it is compared again', async () => {
    const { proven } = await people.audit('one');
    const day = people.dateAt(3);
    await people.app.advance(60);
    await people.execute('UPDATE accounts SET relinked_at = ?', [people.app.clock.now()]);
    expect(await said(day)).toEqual({ coverage: null, explain: null });
    expect(await people.proofs('one')).toEqual([]);
    expect(await overview()).toMatchObject({ compared: 0, proven_share_7_days: 0, oldest_proof_at: null });
    expect((await people.audit('one')).proven).toBe(proven);
    expect(await overview()).toMatchObject({ compared: proven, proven_share_7_days: 1 });
    expect((await said(day)).coverage).not.toBeNull();
  });

  it('is "proven" of a day without data, whose hash is that of nothing', async () => {
    await people.audit('one', { first_day: people.dateAt(8) });
    const [first] = await people.proofs('one');
    expect(first).toMatchObject({
      day: people.dateAt(8),
      state: 'proven',
      objects: 0,
      hash: 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855',
    });
  });

  it('is nothing of a day that upstream shows only in part', async () => {
    await people.app.sandbox.control.fault({ kind: 'lose_cursor', path: '/v2/timeseries' });
    await people.app.sandbox.control.configure({ page_size: 1 });
    await people.execute('DELETE FROM samples WHERE time > 0');
    const done = await people.audit('one', { report_only: true });
    expect(done.proven).toBeLessThan(done.days_total);
  });

  it('is told of the moment of the look, whatever comes later', async () => {
    await people.audit('one');
    const day = people.dateAt(3);
    const before = await said(day);
    const points = [{ start: new Date(people.app.clock.now() - 3 * DAY).toISOString(), value: 7 }];
    const user_id = people.users.get('one') ?? '';
    await people.app.sandbox.control.put({ user_id, provider, resource, points, notify: false });
    await people.app.advance(60);
    expect(await said(day)).toEqual(before);
    expect(Date.parse(before.coverage ?? '')).toBeLessThan(people.app.clock.now());
  });
});
