import type { OpenAPIObject } from '@nestjs/swagger';
import { isForApp, nowhere } from '../../support/environment.js';
import { TestApp } from '../../support/test-app.js';

/** Texts that are no id of anything, as they stand in a path. */
const malformed = [
  '%20',
  'x%20y',
  'a%2Fb',
  '..%2F..',
  '%0A',
  '%F0%9F%92%A5',
  '%3Cscript%3E',
  'x'.repeat(300),
  '-1',
  '0x1',
  '%25',
];

describe('a malformed id in a path', () => {
  let app: TestApp;

  beforeAll(async () => {
    app = await TestApp.create({ upstream: { url: nowhere } });
  });

  afterAll(() => app.close());

  it('is refused before upstream is called, on every route', async () => {
    const { paths } = (await app.call<OpenAPIObject>('GET', '/openapi.json')).body;
    const token = await app.appToken('customer-1');
    // An account may be called almost anything, so what is no id of one is a matter of its own.
    const about = Object.entries(paths).filter(([path]) => /\{(?!account_id|resource)/.test(path));
    const wrong: string[] = [];
    for (const [path, item] of about) {
      for (const method of ['get', 'post', 'put', 'patch', 'delete'].filter((name) => name in item)) {
        for (const id of malformed) {
          const response = await fetch(`${app.url}${path.replace(/\{\w+\}/g, id)}`, {
            method,
            headers: { authorization: `Bearer ${isForApp(path) ? token : 'operator-key'}` },
          });
          const { code } = (await response.json()) as { code: string };
          const told = `${method} ${path} ${id.slice(0, 20)}: ${response.status} ${code}`;
          const { responses } = (item as Record<string, { responses: object }>)[method] ?? { responses: {} };
          const isDescribed = String(response.status) in responses;
          if (![400, 404].includes(response.status) || !isDescribed) wrong.push(told);
        }
      }
    }
    expect(about.length).toBeGreaterThan(12);
    expect(wrong).toEqual([]);
    expect(await app.figures()).not.toMatch(/^pulsekeep_upstream_requests_total\{/m);
  });

  it.each(['%0A', '%00', 'x'.repeat(300), 'somebody%40example.com', '%2B49%2030%20123'])(
    'is refused as an account to issue tokens for: %s',
    async (id) => {
      for (const kind of ['sign-in-token', 'link-token']) {
        const { status } = await app.admin('POST', `/accounts/${id}/${kind}`, {});
        expect([kind, status]).toEqual([kind, 400]);
      }
      expect(await app.figures()).not.toMatch(/^pulsekeep_upstream_requests_total\{/m);
    },
  );
});
