import { type TimelineKind, timelineKinds } from '../../src/declarations/timeline.js';
import { TestApp } from '../support/test-app.js';
import { day, type Happening, Happenings } from './support/happenings.js';

const minute = 60_000;

interface Entry {
  at: string;
  kind: TimelineKind;
  title: string;
  ref: { type: string; id: string };
  details: Record<string, unknown>;
}

interface Page {
  data: Entry[];
  next_cursor: string | null;
}

let app: TestApp;
let now: number;
let happenings: Happenings;
/** `accounts.id` of the account of a test; a stranger has the next. */
let account = -1;

beforeAll(async () => {
  app = await TestApp.create();
  now = app.clock.now();
  happenings = new Happenings(app.store, now - 30 * day);
});

afterAll(() => app.close());

beforeEach(async () => {
  account += 2;
  await happenings.account(account, now - 9 * day);
  await happenings.account(account + 1, now - 9 * day);
});

const kinds = timelineKinds.filter((kind): kind is Happening => !kind.startsWith('account_'));
const iso = (ms: number): string => new Date(ms).toISOString();
const named = ({ at, kind, ref }: Entry): string => `${at} ${kind} ${ref.type} ${ref.id}`;

async function page(query: string): Promise<Page> {
  const path = `/accounts/account-${account}/timeline?${query}`;
  const { status, body } = await app.admin<Page>('GET', path, undefined, 'viewer');
  expect(status).toBe(200);
  return body;
}

/** All pages from the first; `between` two of them something may happen. */
async function walk(query: string, between: () => Promise<unknown> = async () => undefined): Promise<Entry[]> {
  const entries: Entry[] = [];
  let { data, next_cursor } = await page(query);
  entries.push(...data);
  while (next_cursor !== null) {
    await between();
    ({ data, next_cursor } = await page(`${query}&cursor=${next_cursor}`));
    entries.push(...data);
  }
  return entries;
}

/** `times` of everything at one instant, which is more than one page of any kind. */
async function everything(at: number, times = 1): Promise<void> {
  for (const kind of kinds) for (let time = 0; time < times; time++) await happenings.all[kind](at, account);
}

describe('the timeline of an account', () => {
  it('shows everything newest first, and at one instant what follows before what led to it', async () => {
    await everything(now - minute);
    await everything(now - 2 * minute);
    const { data, next_cursor } = await page(`from=${iso(now - day)}`);
    expect(data.map(({ at, kind }) => `${at} ${kind}`)).toEqual(
      [now - minute, now - 2 * minute].flatMap((at) => kinds.map((kind) => `${iso(at)} ${kind}`)),
    );
    expect(next_cursor).toBeNull();
  });

  it.each([1, 2, 7])('neither loses nor doubles what happened at one instant, in pages of %i', async (limit) => {
    await everything(now - minute, 3);
    const whole = (await page('limit=500')).data.map(named);
    expect(new Set(whole).size).toBe(whole.length);
    expect(whole.length).toBeGreaterThan(3 * kinds.length);
    expect((await walk(`limit=${limit}`)).map(named)).toEqual(whole);
  });

  it('stays as it is while newer things happen between two pages', async () => {
    await everything(now - minute, 2);
    const since = `from=${iso(now - day)}`;
    const before = (await page(`limit=500&${since}`)).data.map(named);
    let later = now;
    const walked = await walk(`limit=9&${since}`, () => everything(later++));
    expect(walked.map(named)).toEqual(before);
    expect((await page(`limit=500&${since}`)).data.length).toBeGreaterThan(before.length + kinds.length);
  });

  it('takes several kinds and a range of time, its start included and its end not', async () => {
    for (const at of [now - 3, now - 2, now - 1]) await everything(at);
    const { data } = await page(`kind=link_outcome,connection&from=${iso(now - 3)}&to=${iso(now - 1)}`);
    expect(data.map(({ at, kind }) => [at, kind])).toEqual([
      [iso(now - 2), 'connection'],
      [iso(now - 2), 'link_outcome'],
      [iso(now - 3), 'connection'],
      [iso(now - 3), 'link_outcome'],
    ]);
    const walked = await walk(`limit=1&kind=link_outcome,connection&from=${iso(now - 3)}&to=${iso(now - 1)}`);
    expect(walked).toEqual(data);
  });

  it('refuses what is no kind, no cursor of it, no account and no viewer', async () => {
    const get = async (path: string): Promise<number> => (await app.admin('GET', `/accounts/${path}`)).status;
    const own = `account-${account}/timeline`;
    const cursor = (...values: unknown[]): string => Buffer.from(JSON.stringify(values)).toString('base64url');
    expect(await get(`${own}?kind=nothing`)).toBe(400);
    expect(await get(`${own}?kind=message,`)).toBe(400);
    expect(await get(`${own}?cursor=${cursor(now, 'nothing', '1', '')}`)).toBe(400);
    expect(await get(`${own}?cursor=${cursor(now, 'message', 'one', '')}`)).toBe(400);
    expect(await get(`${own}?cursor=${cursor(now)}`)).toBe(400);
    expect(await get('nobody/timeline')).toBe(404);
    expect((await app.call('GET', `/admin/v1/accounts/${own}`)).status).toBe(401);
  });
});
