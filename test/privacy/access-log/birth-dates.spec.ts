import { START } from '../../support/environment.js';
import { TestApp } from '../../support/test-app.js';

interface Entry {
  readonly actor: string;
  readonly action: string;
  readonly account_id: string | null;
  readonly status: number;
}

const birthDate = '1980-02-29';

describe('a birth date', () => {
  let app: TestApp;

  beforeAll(async () => {
    app = await TestApp.create();
    await app.admin('POST', '/accounts', { account_id: 'cust-1', fallback_birth_date: birthDate });
  });

  afterAll(() => app.close());

  const recorded = async (): Promise<Entry[]> =>
    (await app.admin<{ data: Entry[] }>('GET', '/access-log?limit=500')).body.data;

  it.each(['viewer', 'reader', 'backend', 'operator'] as const)('read by a key of %s is recorded', async (role) => {
    const { body } = await app.admin('GET', '/accounts/cust-1', undefined, role);
    expect(body).toMatchObject({ fallback_birth_date: birthDate });
    expect(await recorded()).toContainEqual(
      expect.objectContaining({
        actor: role,
        action: 'GET /admin/v1/accounts/:account_id',
        account_id: 'cust-1',
        status: 200,
      }),
    );
  });

  it('is in no unrecorded response to a viewer', async () => {
    const { body: document } = await app.call<{ paths: Record<string, Record<string, { 'x-roles'?: string[] }>> }>(
      'GET',
      '/openapi.json',
    );
    const paths = Object.entries(document.paths).filter(([, { get }]) => get?.['x-roles']?.includes('viewer'));
    const showing: string[] = [];
    for (const [path] of paths) {
      const url = path
        .replace('/admin/v1', '')
        .replace('{account_id}', 'cust-1')
        .replace(/\{\w+\}/g, 'none');
      const query = path.endsWith('/explain') ? '?resource=sleep&day=2026-11-20' : '';
      const { body } = await app.admin('GET', url + query, undefined, 'viewer');
      if (JSON.stringify(body).includes(birthDate)) showing.push(path);
    }
    expect(paths.length).toBeGreaterThan(10);
    expect(showing).toEqual(['/admin/v1/accounts/{account_id}']);
    expect(app.clock.now()).toBe(START);
  });
});
