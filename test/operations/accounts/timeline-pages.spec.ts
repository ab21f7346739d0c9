import { day } from './support/happenings.js';
import {
  account,
  app,
  type Entry,
  everything,
  iso,
  kinds,
  minute,
  now,
  openTimelines,
  page,
} from './support/timelines.js';

openTimelines();

const named = ({ at, kind, ref }: Entry): string => `${at} ${kind} ${ref.type} ${ref.id}`;

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

describe('the timeline of an account', () => {
  it('shows everything newest first, and effects before causes of the same instant', async () => {
    await everything(now - minute);
    await everything(now - 2 * minute);
    const { data, next_cursor } = await page(`start=${iso(now - day)}`);
    expect(data.map(({ at, kind }) => `${at} ${kind}`)).toEqual(
      [now - minute, now - 2 * minute].flatMap((at) => kinds.map((kind) => `${iso(at)} ${kind}`)),
    );
    expect(next_cursor).toBeNull();
  });

  it.each([1, 2, 7])('neither loses nor repeats entries of one instant, in pages of %i', async (limit) => {
    await everything(now - minute, 3);
    const whole = (await page('limit=500')).data.map(named);
    expect(new Set(whole).size).toBe(whole.length);
    expect(whole.length).toBeGreaterThan(3 * kinds.length);
    expect((await walk(`limit=${limit}`)).map(named)).toEqual(whole);
  });

  it('is not affected by newer entries between two pages', async () => {
    await everything(now - minute, 2);
    const since = `start=${iso(now - day)}`;
    const before = (await page(`limit=500&${since}`)).data.map(named);
    let later = now;
    const walked = await walk(`limit=9&${since}`, () => everything(later++));
    expect(walked.map(named)).toEqual(before);
    expect((await page(`limit=500&${since}`)).data.length).toBeGreaterThan(before.length + kinds.length);
  });

  it('accepts several kinds and a range of time with an exclusive end', async () => {
    for (const at of [now - 3, now - 2, now - 1]) await everything(at);
    const { data } = await page(`kind=link_outcome,connection&start=${iso(now - 3)}&end=${iso(now - 1)}`);
    expect(data.map(({ at, kind }) => [at, kind])).toEqual([
      [iso(now - 2), 'connection'],
      [iso(now - 2), 'link_outcome'],
      [iso(now - 3), 'connection'],
      [iso(now - 3), 'link_outcome'],
    ]);
    const walked = await walk(`limit=1&kind=link_outcome,connection&start=${iso(now - 3)}&end=${iso(now - 1)}`);
    expect(walked).toEqual(data);
  });

  it('refuses unknown kinds, cursors, accounts and roles below viewer', async () => {
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
