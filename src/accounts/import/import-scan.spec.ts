import { afterPage, type ScanState } from './import-scan.js';

const rule = { pageSize: 10, overlap: 3, maxPasses: 3 };
const begin: ScanState = { pass: 1, next_offset: 0, pass_total: null, pass_seen: 0 };

interface Look {
  readonly passes: number;
  readonly stable: boolean;
  readonly missed: number[];
  readonly pages: number;
}

/** Walks a list that `change` alters before each page, as the import does it. */
function walk(users: number[], change: (users: number[], page: number) => void = () => undefined, cap = 10): Look {
  let stand: ScanState = begin;
  const ever = new Set<number>();
  let seen = new Set<number>();
  for (let page = 0; page < 500; page++) {
    change(users, page);
    const got = users.slice(stand.next_offset, stand.next_offset + Math.min(cap, rule.pageSize));
    const fresh = got.filter((user) => !seen.has(user)).length;
    const joined = got[0] !== undefined && seen.has(got[0]);
    for (const user of got) [seen, ever].forEach((set) => set.add(user));
    const step = afterPage(stand, { received: got.length, total: users.length, fresh, joined }, rule);
    if (step.phase === 'verify') {
      const missed = users.filter((user) => !ever.has(user));
      return { passes: step.pass, stable: step.stable === 1, missed, pages: page + 1 };
    }
    if (step.pass !== stand.pass) seen = new Set();
    stand = step;
  }
  throw new Error('the walk does not end');
}

const people = (count: number): number[] => Array.from({ length: count }, (_, index) => index);

describe('the walk over a list', () => {
  it.each([0, 1, 9, 10, 11, 57])(
    'of %i users that does not change sees all of them in one pass [users#list]',
    (count) => {
      expect(walk(people(count))).toMatchObject({ passes: 1, stable: true, missed: [] });
    },
  );

  it('reads an overlap with each page', () => {
    const page = { received: 10, total: 30, fresh: 10, joined: false };
    expect(afterPage(begin, page, rule)).toMatchObject({
      next_offset: 7,
      pass_seen: 10,
      pass_total: 30,
      phase: 'walk',
    });
  });

  it('repeats the pass if users were created during it, and sees them', () => {
    const look = walk(people(30), (users, page) => page === 2 && users.push(900));
    expect(look).toMatchObject({ passes: 2, stable: true, missed: [] });
  });

  it('sees every remaining user if fewer users than the overlap vanish before a page [users#list]', () => {
    expect(walk(people(60), (users, page) => page === 3 && users.splice(0, 3))).toMatchObject({
      missed: [],
      stable: true,
    });
  });

  it('goes back if a page does not overlap, because more users vanished than the overlap covers', () => {
    const stand = { pass: 1, next_offset: 27, pass_total: 60, pass_seen: 30 };
    const page = { received: 10, total: 51, fresh: 10, joined: false };
    expect(afterPage(stand, page, rule)).toMatchObject({ next_offset: 17, pass: 1, pass_seen: 40 });
    const once = walk(people(60), (users, at) => at === 2 && users.splice(0, 9));
    expect(once).toMatchObject({ missed: [], stable: true });
  });

  it('sees users who were inserted at the head of the list in the second pass', () => {
    const look = walk(people(40), (users, page) => page === 1 && users.unshift(-1, -2));
    expect(look).toMatchObject({ passes: 2, stable: true, missed: [] });
  });

  it('ends as unstable if the list never stops changing', () => {
    let next = 1_000;
    expect(walk(people(40), (users) => users.push(next++))).toMatchObject({ passes: 3, stable: false });
  });

  it('ends if upstream returns smaller pages than requested', () => {
    expect(walk(people(35), undefined, 4)).toMatchObject({ passes: 1, stable: true, missed: [] });
    expect(walk(people(5), undefined, 1)).toMatchObject({ passes: 1, stable: true, missed: [] });
  });

  it('ends if upstream counts users that it does not list', () => {
    const list = (stand: ScanState): number => Math.max(0, Math.min(10, 15 - stand.next_offset));
    let stand: ScanState = begin;
    for (let page = 0; page < 100; page++) {
      const step = afterPage(stand, { received: list(stand), total: 40, fresh: 0, joined: true }, rule);
      if (step.phase === 'verify') return expect(step).toMatchObject({ pass: 3, stable: 0 });
      stand = step;
    }
    throw new Error('the walk does not end');
  });
});
