import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { build } from 'vite';
import { type Answer, type AnswerBody, callTo } from '../../support/http.js';
import { TestApp } from '../../support/test-app.js';

const KB = 1_024;
/** What a browser loads before it shows anything of the first page, and everything it can ever load. */
const FIRST_PAGE = 150 * KB;
const EVERYTHING = 450 * KB;

const folder = join(String(process.env['PULSEKEEP_TEST_BUILD']), 'console');
const assets = join(folder, 'assets');
const gzipped = (file: string): number => gzipSync(readFileSync(file), { level: 9 }).length;

describe('the console', () => {
  let app: TestApp;
  let page: string;
  let files: string[];

  beforeAll(async () => {
    await build({ configFile: 'console/vite.config.mjs', build: { outDir: folder } });
    page = readFileSync(join(folder, 'index.html'), 'utf8');
    files = readdirSync(assets).filter((file) => !file.endsWith('.gz'));
    app = await TestApp.create({ webhooks: false });
  });
  afterAll(() => app.close());

  const call = (path: string): Promise<Answer<string>> =>
    callTo<string>(app.url, { method: 'GET', path, headers: { 'accept-encoding': 'gzip' } });

  it('stays small', () => {
    const first = files.filter((file) => page.includes(file) || file.startsWith('overview-'));
    const size = (names: string[]): number => names.reduce((sum, name) => sum + gzipped(join(assets, name)), 0);
    expect(size(first)).toBeGreaterThan(10 * KB);
    expect(size(first)).toBeLessThan(FIRST_PAGE);
    expect(size(files)).toBeLessThan(EVERYTHING);
  });

  it('has no inline script or style and names no other host', () => {
    expect(page).not.toMatch(/<style|style="|\son\w+=|<script(?![^>]*\ssrc="\/console\/)/);
    expect(page).not.toMatch(/https?:\/\//);
  });

  it('refuses a sign-in with a problem, like every other route', async () => {
    const people = await TestApp.create({
      webhooks: false,
      env: { OIDC_ISSUER: 'https://login.example.com', OIDC_CLIENT_ID: 'console', OIDC_ROLES: 'groups:sre=operator' },
    });
    const call = { method: 'GET', path: '/console/sign-in', headers: { host: '[' } };
    const { status, headers, body } = await callTo<AnswerBody>(people.url, call);
    await people.close();
    expect([status, headers['content-type'], body.code]).toEqual([
      400,
      'application/problem+json; charset=utf-8',
      'invalid_request',
    ]);
  });

  it('is served under a policy without inline code, for every address of a view', async () => {
    for (const path of ['/console', '/console/', '/console/accounts/demo-user-01?day=2026-11-03']) {
      const { status, headers, body } = await call(path);
      expect([status, headers['cache-control'], headers['content-type']]).toEqual([
        200,
        'no-cache',
        'text/html; charset=utf-8',
      ]);
      expect(headers['content-security-policy']).toContain("default-src 'self'");
      expect(headers['content-security-policy']).toContain("require-trusted-types-for 'script'");
      expect(headers['content-security-policy']).not.toContain('unsafe');
      expect(body).toBe(page);
    }
  });

  it('is cached by browsers under names that change with the content, and sent compressed', async () => {
    const script = files.find((file) => file.startsWith('index-') && file.endsWith('.js')) ?? '';
    const { status, headers } = await call(`/console/assets/${script}`);
    expect([status, headers['cache-control'], headers['content-encoding']]).toEqual([
      200,
      'public, max-age=31536000, immutable',
      'gzip',
    ]);
    expect(Number(headers['content-length'])).toBe(statSync(join(assets, `${script}.gz`)).size);
    expect((await call('/console/assets/no-such.js')).status).toBe(404);
    expect((await call('/console/assets/..%2f..%2fpackage.json')).status).toBe(404);
  });
});
