import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Browser, Page } from 'playwright-core';
import type { AnswerBody } from '../support/http.js';
import { TestApp } from '../support/test-app.js';
import { launch, violations, watch } from './support/console-page.js';

describe('the local page behind a link_web_url', () => {
  let app: TestApp;
  let browser: Browser;
  let ownPage: Server;
  let origin: string;
  let page: Page;
  const troubles: string[] = [];

  beforeAll(async () => {
    ownPage = createServer((_, response) => {
      response.setHeader('content-type', 'text/html');
      response.end('<!doctype html><link rel="icon" href="data:,"><h1>The app</h1>');
    }).listen(0, '127.0.0.1');
    await once(ownPage, 'listening');
    origin = `http://127.0.0.1:${(ownPage.address() as AddressInfo).port}`;
    [app, browser] = await Promise.all([
      TestApp.create({ env: { APP_LINK_REDIRECT_ORIGINS: origin, SYNC_RESOURCES: 'sleep,sleep_cycle' } }),
      launch(),
    ]);
  });

  beforeEach(async () => {
    const context = await browser.newContext({ viewport: { width: 390, height: 844 }, timezoneId: 'Asia/Tokyo' });
    context.setDefaultTimeout(120_000);
    watch(
      context,
      (url) => url.startsWith(app.sandbox.url) || url.startsWith(origin) || url.startsWith('data:'),
      (trouble) => troubles.push(trouble),
    );
    page = await context.newPage();
  });

  afterEach(async () => {
    await page.context().close();
    expect(troubles.splice(0)).toEqual([]);
  });

  afterAll(async () => {
    await browser.close();
    await app.close();
    ownPage.close();
  });

  async function open(account: string, body: object = {}): Promise<AnswerBody> {
    const link = await app.as(account, 'POST', '/me/link-token', { redirect_url: `${origin}/done`, ...body });
    await page.goto(link.body.link_web_url);
    await page.getByRole('heading', { name: 'Connect a source' }).waitFor();
    return link.body;
  }

  const outcome = (): Readonly<Record<string, string>> => Object.fromEntries(new URL(page.url()).searchParams);

  it('connects a source with a history of nights of the place of the browser', async () => {
    const { link_attempt_id } = await open('anna');
    expect(await violations(page)).toEqual([]);
    await page.getByRole('combobox', { name: 'source' }).selectOption('garmin');
    await page.getByRole('button', { name: 'Connect it' }).click();
    await page.getByRole('heading', { name: 'The app' }).waitFor();
    expect(outcome()).toEqual({ link_attempt_id, state: 'success' });
    await app.as('anna', 'POST', '/me/link-outcomes', { link_attempt_id, outcome: 'success' });
    await app.advance(600, 4);
    const me = await app.as<{ sources: object[] }>('anna', 'GET', '/me');
    expect(me.body.sources).toMatchObject([{ provider: 'garmin', status: 'connected' }]);
    interface Rows {
      data: { id: string; timezone_offset: number; data: Record<string, unknown> }[];
    }
    const newest = '?order=newest&limit=1';
    const { body: nights } = await app.as<Rows>('anna', 'GET', `/me/records/sleep${newest}`);
    const { body: cycles } = await app.as<Rows>('anna', 'GET', `/me/records/sleep_cycle${newest}`);
    expect(nights.data).toMatchObject([{ timezone_offset: 9 * 3_600 }]);
    expect(cycles.data[0]?.data['sleep_id']).toBe(nights.data[0]?.id);
  });

  it('shows that the person cancelled, and returns to the app with the error of a provider', async () => {
    await open('ben', { provider: 'oura' });
    await page.getByRole('button', { name: 'Cancel as the person' }).click();
    await page.getByText(/^The source is not connected: user_cancelled/).waitFor();

    const { link_attempt_id } = await open('ben', { provider: 'oura' });
    await page.getByRole('combobox', { name: 'error' }).selectOption('provider_api_error');
    await page.getByRole('button', { name: 'Fail as the provider' }).click();
    await page.getByRole('heading', { name: 'The app' }).waitFor();
    expect(outcome()).toMatchObject({ link_attempt_id, state: 'error', error_type: 'provider_api_error' });
    expect((await app.as<{ sources: object[] }>('ben', 'GET', '/me')).body.sources).toEqual([]);
  });

  it('says what to do about a link that was used', async () => {
    const { link_web_url } = await open('carl', { provider: 'oura' });
    await page.getByRole('button', { name: 'Connect it' }).click();
    await page.getByRole('heading', { name: 'The app' }).waitFor();
    await page.goto(link_web_url);
    await page.getByText('Request a new link token.').waitFor();
  });
});
