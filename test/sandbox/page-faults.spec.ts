import { type CallFault, FAULTS } from '../../sandbox/engine/faults.js';
import type { Sandbox } from '../../sandbox/server.js';
import { call, callAsItIs, closeAll, connectedUser, sandboxFor } from './support.js';

afterEach(closeAll);

type OfPages = { [Kind in CallFault]: (typeof FAULTS)[Kind]['strikes'] extends 'page' ? Kind : never }[CallFault];

interface Page {
  groups: Record<string, { data: { start: string }[] }[]>;
  next: string | null;
  next_cursor: string | null;
}

interface Case {
  sandbox: Sandbox;
  user: string;
  /** One page; `null` asks for the first. */
  readonly page: (cursor: string | null) => Promise<Page>;
  /** Starts of the points of every page, until a page has no cursor or `most` were read. */
  readonly walk: (most?: number) => Promise<{ pages: Page[]; starts: string[] }>;
}

const startsOf = ({ groups }: Page): string[] =>
  Object.values(groups).flatMap((list) => list.flatMap(({ data }) => data.map(({ start }) => start)));

/** Pages of four points. */
async function paged(): Promise<Case> {
  const sandbox = await sandboxFor();
  await sandbox.control.configure({ page_size: 4 });
  const user = await connectedUser(sandbox);
  const path = `GET /v2/timeseries/${user}/mindfulness_minutes/grouped?start_date=2026-11-01`;
  const page = async (cursor: string | null): Promise<Page> =>
    (await callAsItIs(sandbox, cursor === null ? path : `${path}&next_cursor=${cursor}`)).body as Page;
  const walk = async (most = 50): ReturnType<Case['walk']> => {
    const pages = [await page(null)];
    for (let last = pages[0]; last?.next_cursor && pages.length < most; last = pages.at(-1)) {
      pages.push(await page(last.next_cursor));
    }
    return { pages, starts: pages.flatMap(startsOf).sort() };
  };
  return { sandbox, user, page, walk };
}

const path = '/v2/timeseries';

/** A case for every fault that strikes a page. */
const proofs: Record<OfPages, (given: Case) => Promise<void>> = {
  repeat_cursor: async ({ sandbox, page }) => {
    const { next_cursor: first } = await page(null);
    await sandbox.control.fault({ kind: 'repeat_cursor', path });
    const second = await page(first);
    expect([second.next_cursor, second.next]).toEqual([first, first]);
  },
  skip_cursor: async ({ sandbox, walk }) => {
    const { starts: all } = await walk();
    await sandbox.control.fault({ kind: 'skip_cursor', path, times: 1 });
    expect((await walk()).starts).toEqual([...all.slice(0, 4), ...all.slice(8)]);
  },
  expire_cursor: async ({ sandbox, user, page }) => {
    const { next_cursor: cursor } = await page(null);
    await sandbox.control.fault({ kind: 'expire_cursor', path });
    const query = `GET ${path}/${user}/mindfulness_minutes/grouped?start_date=2026-11-01`;
    const statuses = [await call(sandbox, query), await call(sandbox, `${query}&next_cursor=${cursor}`)];
    expect(statuses.map(({ status }) => status)).toEqual([200, 422]);
  },
  lose_cursor: async ({ sandbox, walk }) => {
    await sandbox.control.fault({ kind: 'lose_cursor', path, skip: 1 });
    expect((await walk()).starts).toHaveLength(8);
  },
  endless_cursor: async ({ sandbox, walk }) => {
    const { starts } = await walk();
    await sandbox.control.fault({ kind: 'endless_cursor', path });
    const { pages } = await walk(12);
    const cursors = pages.map(({ next_cursor }) => next_cursor);
    expect([pages.length, new Set(cursors).size]).toEqual([12, 12]);
    expect(new Set(pages.flatMap(startsOf))).toEqual(new Set(starts));
  },
  none_cursor: async ({ sandbox, page }) => {
    const { next_cursor: cursor } = await page(null);
    await sandbox.control.configure({ page_size: 1000 });
    await sandbox.control.fault({ kind: 'none_cursor', path });
    expect([(await page(null)).next_cursor, (await page(cursor)).next]).toEqual(['None', 'None']);
  },
  change_between: async ({ sandbox, user, page }) => {
    const first = await page(null);
    const truth = async (): Promise<string[]> =>
      (await sandbox.control.truth(user, 'mindfulness_minutes')).rows.map((row) => JSON.stringify(row));
    const before = await truth();
    await sandbox.control.fault({ kind: 'change_between', path, times: 1 });
    expect(await page(null)).toEqual(first);
    const changed = (await truth()).filter((row) => !before.includes(row));
    expect(changed).toHaveLength(1);
    const { messages } = await sandbox.control.messages({ event_type: 'daily.data.mindfulness_minutes.updated' });
    expect(messages).toHaveLength(1);
  },
  bad_group: async ({ sandbox, page }) => {
    const { groups: all } = await page(null);
    await sandbox.control.fault({ kind: 'bad_group', path, times: 1 });
    const bad = { source: { provider: 'fitbit', type: 'watch' }, data: null };
    expect((await page(null)).groups).toEqual({ ...all, fitbit: [bad] });
  },
};

describe('a fault that strikes a page', () => {
  it.each(Object.entries(proofs).map(([kind, proof]) => [kind, FAULTS[kind as OfPages].does, proof] as const))(
    '%s: %s',
    async (_kind, _does, proof) => proof(await paged()),
  );

  it('strikes introspection like timeseries', async () => {
    const { sandbox } = await paged();
    await sandbox.control.fault({ kind: 'endless_cursor', path: '/v2/introspect' });
    const pages: { next_cursor: string }[] = [];
    for (let cursor = ''; pages.length < 5; cursor = `&next_cursor=${pages.at(-1)?.next_cursor}`) {
      const answer = await callAsItIs(sandbox, `GET /v2/introspect/historical_pull?user_limit=1${cursor}`);
      pages.push(answer.body as { next_cursor: string });
    }
    expect(new Set(pages.map(({ next_cursor }) => next_cursor)).size).toBe(5);
  });
});
