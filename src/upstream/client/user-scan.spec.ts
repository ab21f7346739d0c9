import { codeOf } from '../../../test/support/code-of.js';
import { type ListUsers, scanUsers } from './user-scan.js';

const names = (count: number, prefix = 'u'): string[] => Array.from({ length: count }, (_, n) => `${prefix}${n}`);

/** Upstream's list of users with at most `most` users per page. `between` may change it before each response. */
function listOf(
  users: string[],
  { most = 500, between }: { most?: number; between?: (call: number) => void } = {},
): ListUsers {
  let calls = 0;
  return async ({ offset, limit }) => {
    between?.(calls++);
    const page = users.slice(offset, offset + Math.min(limit, most)).map((user_id) => ({ user_id }));
    return { users: page, listed: page.length, total: users.length };
  };
}

async function seenIn(list: ListUsers): Promise<Set<string>> {
  const seen = new Set<string>();
  await scanUsers(list, (userId) => void seen.add(userId));
  return seen;
}

describe('a scan of upstream’s users', () => {
  it.each([0, 1, 499, 500, 501, 1_750])('sees all %i users [users#list]', async (count) => {
    expect((await seenIn(listOf(names(count)))).size).toBe(count);
  });

  it('sees all users although upstream returns smaller pages than requested [users#list]', async () => {
    expect((await seenIn(listOf(names(320), { most: 100 }))).size).toBe(320);
  });

  it('skips no user while earlier ones disappear [users#list]', async () => {
    const users = names(1_200);
    const between = (call: number): void => void (call === 1 && users.splice(0, 40));
    const seen = await seenIn(listOf(users, { between }));
    expect(users.filter((user) => !seen.has(user))).toEqual([]);
  });

  it('goes back if more users disappeared than the pages overlap', async () => {
    const users = names(1_200);
    const between = (call: number): void => void (call === 1 && users.splice(0, 300));
    const seen = await seenIn(listOf(users, { between }));
    expect(users.filter((user) => !seen.has(user))).toEqual([]);
  });

  it('ends although new users keep arriving', async () => {
    const users = names(600);
    const between = (call: number): void => void users.push(`new${call}`);
    expect((await seenIn(listOf(users, { between }))).size).toBeGreaterThanOrEqual(600);
  });

  it.each<[string, ListUsers]>([
    ['counts more users than it lists', async () => ({ users: [{ user_id: 'a' }], listed: 1, total: 2 })],
    ['lists a user that cannot be read', async () => ({ users: [{ user_id: 'a' }], listed: 2, total: 2 })],
    [
      'returns pages that never overlap',
      async ({ offset }) => ({ users: [{ user_id: `${offset}` }], listed: 500, total: 5_000 }),
    ],
  ])('reports that it is incomplete when upstream %s', async (_, list) => {
    await expect(codeOf(scanUsers(list, () => undefined))).resolves.toBe('upstream_contract');
  });
});
