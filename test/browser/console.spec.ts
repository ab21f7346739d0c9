import type { Browser, BrowserContext, Page } from 'playwright-core';
import { childEnvironment } from '../support/child-env.js';
import { ChildPulsekeep } from '../support/child-pulsekeep.js';
import { adminKeys } from '../support/environment.js';
import { callTo } from '../support/http.js';
import { signedMessage } from '../support/signed-message.js';
import type { TestApp } from '../support/test-app.js';
import { testDatabase } from '../support/test-store.js';
import { until } from '../support/until.js';
import { buildConsole, launch, pictureOf, twoPeople, violations, watch } from './support/console-page.js';

let browser: Browser;
let app: TestApp;
/** What no page may do, as it happens. */
let faults: string[];

beforeAll(async () => {
  buildConsole();
  [app, browser] = await Promise.all([twoPeople(), launch()]);
});

afterAll(async () => {
  await browser?.close();
  await app?.close();
});

beforeEach(() => {
  faults = [];
});

interface Look {
  readonly width?: number;
  readonly height?: number;
  readonly colorScheme?: 'light' | 'dark';
}

async function opened({
  width = 1_280,
  height = 800,
  colorScheme = 'light',
}: Look = {}): Promise<[BrowserContext, Page]> {
  const context = await browser.newContext({ viewport: { width, height }, colorScheme, reducedMotion: 'reduce' });
  context.setDefaultTimeout(20_000);
  await context.grantPermissions(['clipboard-read', 'clipboard-write'], { origin: app.url });
  const page = await context.newPage();
  noteFaults(page);
  return [context, page];
}

/** A service that a test has started for itself has another port. */
function noteFaults(page: Page): void {
  const { hostname } = new URL(app.url);
  watch(
    page,
    (url) => new URL(url).hostname === hostname,
    (fault) => faults.push(fault),
  );
}

async function signIn(page: Page, key: string = adminKeys.operator, url = app.url): Promise<void> {
  await page.goto(`${url}/console`);
  await page.getByLabel('Key of ADMIN_API_KEYS').fill(key);
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { name: 'Overview' }).waitFor();
}

async function signedIn(look: Look = {}, key?: string): Promise<Page> {
  const [, page] = await opened(look);
  await signIn(page, key);
  return page;
}

async function goTo(page: Page, path: string, shows: string): Promise<void> {
  await page.goto(`${app.url}/console${path}`);
  await page.getByText(shows, { exact: false }).first().waitFor();
  await page.locator('.loading').first().waitFor({ state: 'detached' });
}

describe('a person', () => {
  it('is told why a key is not accepted, signs in, and out', async () => {
    const [context, page] = await opened();
    await page.goto(`${app.url}/console/messages?status=dead`);
    expect(await violations(page)).toEqual([]);
    await page.getByLabel('Key of ADMIN_API_KEYS').fill('no-such-key');
    await page.keyboard.press('Enter');
    await page.getByText('The service does not know this key.').waitFor();
    // The browser itself reports the answer 401.
    expect(faults.splice(0).filter((fault) => !fault.includes('401'))).toEqual([]);
    await page.getByLabel('Key of ADMIN_API_KEYS').fill(adminKeys.viewer);
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Messages' }).waitFor();
    const [cookie] = await context.cookies();
    expect(cookie).toMatchObject({ httpOnly: true, sameSite: 'Strict', path: '/' });
    expect(
      await page.evaluate('document.cookie + JSON.stringify({ ...localStorage, ...sessionStorage })'),
    ).not.toContain(adminKeys.viewer);
    await page.locator('.you summary').click();
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByRole('button', { name: 'Sign in with the key' }).waitFor();
    expect(faults).toEqual([]);
    await context.close();
  });

  it('finds the way by keyboard alone', async () => {
    const page = await signedIn();
    for (const [letter, heading] of [
      ['m', 'Messages'],
      ['p', 'Pulls'],
      ['l', 'Access log'],
      ['s', 'Settings'],
      ['o', 'Overview'],
      ['m', 'Messages'],
    ] as const) {
      await page.keyboard.press('g');
      await page.keyboard.press(letter);
      await page.getByRole('heading', { name: heading, level: 1 }).waitFor();
    }
    await page.locator('[data-row]').first().waitFor();
    await page.keyboard.press('j');
    await page.keyboard.press('j');
    await page.keyboard.press('k');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Message', exact: true }).waitFor();
    await page.keyboard.press('?');
    await page.getByRole('dialog', { name: 'Keyboard' }).waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await page.keyboard.press('/');
    await page.keyboard.type('poisoned');
    await page.getByRole('button', { name: 'Message poisoned' }).focus();
    await page.keyboard.press('Enter');
    await page.getByText('Show the body').waitFor();
    expect(page.url()).toContain('/console/messages/poisoned');
    expect(faults).toEqual([]);
    await page.context().close();
  });

  it('reads a body only on request, which the access log records', async () => {
    const page = await signedIn();
    const bodies: string[] = [];
    page.on('response', (response) => {
      if (/\/admin\/v1\/messages\/poisoned$/.test(response.url())) bodies.push(response.url());
    });
    await goTo(page, '/messages/poisoned', 'Show the body');
    expect(bodies).toEqual([]);
    await page.getByRole('button', { name: 'Show the body' }).click();
    await page.locator('.body').waitFor();
    expect(bodies).toHaveLength(1);
    await goTo(page, '/access-log', 'The chain of');
    await page.getByText('GET /admin/v1/messages/:message_id').first().waitFor();
    expect(faults).toEqual([]);
    await page.context().close();
  });

  it('never gets a value with the role viewer, and no act either', async () => {
    const page = await signedIn({}, adminKeys.viewer);
    await goTo(page, '/messages/poisoned', 'People with the role reader see it.');
    expect(await page.getByRole('button', { name: /Replay/ }).count()).toBe(0);
    await goTo(page, '/access-log', 'is shown to people with the role operator');
    expect(faults).toEqual([]);
    await page.context().close();
  });

  it('filters by the address, sees groups, and replays what matches after a count', async () => {
    const page = await signedIn();
    await goTo(page, '/messages?status=ignored', 'Groups');
    await page.getByRole('button', { name: 'Replay all that match' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByText('1 message is processed again').waitFor();
    await dialog.getByRole('button', { name: 'Replay 1 message' }).click();
    await dialog.waitFor({ state: 'detached' });
    const replays = page.getByRole('table', { name: 'Replays' });
    await replays.getByText('0 of 1 applied, 1 left').waitFor();
    await app.settle();
    await page.reload();
    await replays.getByText('0 of 1 applied, 1 ignored').waitFor();
    expect(await violations(page)).toEqual([]);
    expect(faults).toEqual([]);
    await page.context().close();
  });

  it('sees the messages of the last day as a chart with its numbers, and of which process the upstream calls are', async () => {
    const page = await signedIn({ colorScheme: 'dark', width: 320 });
    await page.getByRole('img', { name: /messages processed in 24 hours/ }).waitFor();
    await page.locator('.chart canvas').waitFor();
    await page.getByText('The numbers of the chart').click();
    expect(await page.getByRole('table', { name: 'Messages by hour' }).getByRole('row').count()).toBe(24);
    const hour = page.getByRole('table', { name: 'Messages by hour' }).locator('[data-row]').first();
    await hour.scrollIntoViewIfNeeded();
    const before = await hour.boundingBox();
    await hour.click();
    await page.getByRole('button', { name: 'Show all times' }).waitFor();
    expect(await hour.boundingBox()).toEqual(before);
    await page.getByRole('link', { name: 'Messages', exact: true }).first().click();
    await page.getByRole('heading', { name: 'Messages', level: 1 }).waitFor();
    expect([...new URL(page.url()).searchParams.keys()]).toEqual(['from', 'to']);
    await page.getByRole('button', { name: 'Show all times' }).click();
    expect(new URL(page.url()).search).toBe('');
    await page.goBack();
    await page.getByText(/role all, at most .*; no other process is known/).waitFor();
    await page.getByText('Circuit closed: calls are made.').waitFor();
    await page.screenshot({ path: pictureOf('activity-dark-320'), fullPage: true });
    expect(await violations(page)).toEqual([]);
    const away = '**/admin/v1/overview/activity';
    await page.route(away, (route) =>
      route.fulfill({ status: 503, contentType: 'application/problem+json', body: '{}' }),
    );
    await page.reload();
    await page.getByRole('heading', { name: 'Deliveries' }).waitFor();
    await page.getByRole('alert').first().waitFor();
    await page.screenshot({ path: pictureOf('activity-failed-320'), fullPage: true });
    faults = [];
    await page.context().close();
  });

  it.each([320, 900, 1_280])('opens a message at %i pixels without moving the list', async (width) => {
    const page = await signedIn({ width });
    await goTo(page, '/messages?status=done', 'Groups');
    const row = page.locator('[data-row]').nth(1);
    await row.scrollIntoViewIfNeeded();
    const before = await row.boundingBox();
    await row.getByText('done').click();
    await page.getByText('Show the body').waitFor();
    const after = await row.boundingBox();
    expect([after?.x, after?.y, after?.height]).toEqual([before?.x, before?.y, before?.height]);
    await page.screenshot({ path: pictureOf(`message-beside-light-${width}`) });
    expect(await violations(page)).toEqual([]);
    await page.keyboard.press('Escape');
    await page.getByText('Show the body').waitFor({ state: 'detached' });
    expect(faults).toEqual([]);
    await page.context().close();
  });

  it('is told after a while that a view is not answered, keeps what it read, and tries again', async () => {
    const [context, page] = await opened();
    await page.clock.install();
    await signIn(page);
    await goTo(page, '/messages', 'Groups');
    await page.getByRole('table', { name: 'Messages' }).getByRole('row').nth(1).waitFor();
    const rows = await page.getByRole('table', { name: 'Messages' }).getByRole('row').count();
    // Accepted, and never answered.
    await page.route(/admin\/v1\/messages\?/, () => undefined);
    const asked = page.waitForRequest(/admin\/v1\/messages\?/);
    await page.clock.fastForward(21_000);
    await asked;
    await page.clock.fastForward(21_000);
    const alert = page
      .locator('.list')
      .getByRole('alert')
      .filter({ hasText: 'The service did not answer within 20 s.' });
    await alert.waitFor();
    await page.locator('.former').getByRole('table', { name: 'Messages' }).waitFor();
    expect(await page.getByRole('table', { name: 'Messages' }).getByRole('row').count()).toBe(rows);
    expect(await violations(page)).toEqual([]);
    const again = page.waitForRequest(/admin\/v1\/messages\?/);
    await alert.getByRole('button', { name: 'Try again' }).click();
    await again;
    await page.unroute(/admin\/v1\/messages\?/);
    // The try that hangs ends first, and the next one comes after an interval that begins then.
    await until(async () => {
      await page.clock.fastForward(21_000);
      return (await page.locator('.former').count()) + (await alert.count()) === 0;
    });

    await page.route(/admin\/v1\/accounts\?/, () => undefined);
    const list = page.waitForRequest(/admin\/v1\/accounts\?/);
    await page.getByRole('link', { name: 'Accounts', exact: true }).click();
    await list;
    await page.clock.fastForward(6_000);
    await page.getByText('Reading Accounts: the service takes longer than usual.').waitFor();
    expect(faults).toEqual([]);
    await context.close();
  });

  it('is told that an act without an answer may have happened, and sees whether it has', async () => {
    const [context, page] = await opened();
    await page.clock.install();
    await signIn(page);
    await goTo(page, '/accounts/demo-user-02', 'fitbit');
    await page.getByText('Acts', { exact: true }).click();
    await page.getByRole('button', { name: 'Block the account' }).click();
    await page.route('**/accounts/demo-user-02/block', (route) => route.fetch().then(() => undefined));
    const blocked = page.waitForRequest('**/accounts/demo-user-02/block');
    await page.getByRole('dialog').getByRole('button', { name: 'Block the account' }).click();
    await blocked;
    await page.clock.fastForward(91_000);
    await page.getByText('It may have happened all the same: look before you do it again.').waitFor();
    await page.getByRole('dialog', { name: 'Block demo-user-02' }).waitFor();
    await page.getByRole('button', { name: 'Leave it' }).click();
    await page.locator('.account-head').getByText('blocked').waitFor();
    await page.getByText('Acts', { exact: true }).click();
    await page.getByRole('button', { name: 'Unblock the account' }).waitFor();
    await page.unroute('**/accounts/demo-user-02/block');
    await app.admin('POST', '/accounts/demo-user-02/unblock');
    expect(faults).toEqual([]);
    await context.close();
  });

  it('chooses hours by a drag that leaves the chart at its top, while newer numbers arrive', async () => {
    const page = await signedIn({ width: 1280 });
    const chart = page.locator('.chart .u-over');
    await chart.scrollIntoViewIfNeeded();
    const { x = 0, y = 0, width = 0 } = (await chart.boundingBox()) ?? {};
    const hour = width / 24;
    await page.mouse.move(x + 6.5 * hour, y + 40);
    await page.mouse.down();
    await page.mouse.move(x + 9.5 * hour, y + 20, { steps: 4 });
    const newer = page.waitForResponse('**/admin/v1/overview/activity');
    await page.route('**/admin/v1/overview/activity', async (route) => {
      const response = await route.fetch();
      const activity = (await response.json()) as { messages: { processed: number }[] };
      for (const one of activity.messages) one.processed += 7;
      await route.fulfill({ response, json: activity });
    });
    await page.evaluate("setInterval(() => window.dispatchEvent(new Event('visibilitychange')), 250)");
    await newer;
    await page.mouse.move(x + 9.5 * hour, y - 60, { steps: 4 });
    await page.mouse.up();
    await page.getByRole('button', { name: 'Show all times' }).waitFor();
    const { searchParams } = new URL(page.url());
    const [from, to] = ['from', 'to'].map((name) => Date.parse(searchParams.get(name) ?? ''));
    expect(Number(to) - Number(from)).toBe(4 * 3_600_000);
    await page.context().close();
  });

  it('has the deployment examined on request, and sees which webhook secret signed the last delivery', async () => {
    const page = await signedIn({ colorScheme: 'dark' });
    await goTo(page, '/settings', 'Nothing was examined yet.');
    const secrets = page.getByRole('table', { name: 'Webhook secrets' });
    expect(await secrets.getByRole('row').count()).toBe(2);
    await page.getByRole('button', { name: 'Run doctor' }).click();
    const checks = page.getByRole('table', { name: 'Checks' });
    await checks.getByText('upstream key').waitFor();
    await page.screenshot({ path: pictureOf('doctor-dark-1280'), fullPage: true });
    expect(await violations(page)).toEqual([]);
    expect(faults).toEqual([]);
    await page.context().close();
    const viewer = await signedIn({}, adminKeys.viewer);
    await goTo(viewer, '/settings', 'What the doctor finds is shown to people with the role operator.');
    await viewer.context().close();
  });

  it('copies an id and the equal command', async () => {
    const page = await signedIn();
    await goTo(page, '/messages?status=done', 'Groups');
    await page.getByRole('button', { name: 'Copy the equal curl command' }).first().click();
    expect(await page.evaluate('navigator.clipboard.readText()')).toBe(
      `curl -H "Authorization: Bearer $PULSEKEEP_ADMIN_KEY" '${app.url}/admin/v1/messages?status=done'`,
    );
    await page.getByRole('button', { name: 'Copy the equal pulsekeep command' }).first().click();
    expect(await page.evaluate('navigator.clipboard.readText()')).toBe('pulsekeep messages --status done');
    expect(faults).toEqual([]);
    await page.context().close();
  });

  it('forecasts a recovery before it starts', async () => {
    const page = await signedIn();
    await goTo(page, '/pulls?list=recoveries', 'Recover an outage');
    await page.getByLabel('from').fill('2026-01-02T10:00');
    await page.getByLabel('to').fill('2026-01-02T12:00');
    await page.getByRole('button', { name: 'Forecast the cost' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByText('calls to upstream, at least').waitFor();
    expect(await violations(page)).toEqual([]);
    await dialog.getByRole('button', { name: /^Start \d+ pulls$/ }).click();
    await page.getByText('planning').or(page.getByText('pulling')).first().waitFor();
    expect(faults).toEqual([]);
    await page.context().close();
  });

  it('ends the session of another browser', async () => {
    const page = await signedIn();
    const other = await signedIn({}, adminKeys.monitor);
    await goTo(page, '/settings', 'UPSTREAM_TIMEOUT_MS');
    await page.getByRole('button', { name: 'End the session of monitor' }).first().click();
    await page.getByRole('button', { name: 'End the session of monitor' }).waitFor({ state: 'detached' });
    await other.reload();
    await other.getByRole('button', { name: 'Sign in with the key' }).waitFor();
    expect(faults.filter((fault) => !fault.includes('401'))).toEqual([]);
    await page.context().close();
    await other.context().close();
  });

  it('is told that the session ended when an act finds it out, and goes on where it was', async () => {
    const page = await signedIn();
    await goTo(page, '/changes', 'Add a subscription');
    await page.getByRole('button', { name: 'Add a subscription' }).click();
    await page.getByLabel('endpoint').fill('https://hook.example/changes');
    await page.context().clearCookies();
    await page.getByRole('button', { name: 'Add the subscription' }).click();
    await page.getByText('Your session has ended.').waitFor();
    await page.getByLabel('Key of ADMIN_API_KEYS').fill(adminKeys.operator);
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Changes', level: 1 }).waitFor();
    expect(faults.filter((fault) => !fault.includes('401'))).toEqual([]);
    await page.context().close();
  });

  it('has eight tabs open, and every one answers', async () => {
    const page = await signedIn();
    const tabs = await Promise.all(
      Array.from({ length: 7 }, async () => {
        const tab = await page.context().newPage();
        noteFaults(tab);
        return tab;
      }),
    );
    for (const tab of tabs) await goTo(tab, '/pulls', ', lag ');
    await goTo(page, '/settings', 'UPSTREAM_TIMEOUT_MS');
    expect(faults).toEqual([]);
    await page.context().close();
  });

  it('sees in every tab what is new, by one stream of changes', async () => {
    const page = await signedIn();
    const streams: string[] = [];
    const noted = (tab: Page): void =>
      void tab.on('request', (request) => {
        if (request.url().includes('/v1/changes')) streams.push(request.url());
      });
    noted(page);
    await goTo(page, '/accounts', 'demo-user-01');
    const other = await page.context().newPage();
    noteFaults(other);
    noted(other);
    await goTo(other, '/accounts', 'demo-user-01');
    while (streams.length === 0) await page.waitForRequest(/v1\/changes/);
    await app.as('demo-user-03', 'POST', '/me/sign-in-token', {});
    await app.settle();
    await other.getByText('demo-user-03').first().waitFor({ timeout: 10_000 });
    await page.getByText('demo-user-03').first().waitFor({ timeout: 10_000 });
    expect(streams).toHaveLength(1);
    expect(faults).toEqual([]);
    await page.context().close();
  });

  it('sees what was read before while the service is dead, and is live again when it is back', async () => {
    const database = await testDatabase();
    const env = childEnvironment(database, app.sandbox.url);
    let service = await ChildPulsekeep.start(env);
    try {
      const { url } = service;
      const delivery = async (): Promise<number> => {
        const { headers, body } = signedMessage('delivered-twice', { event_type: 'not.known' });
        return (await callTo(url, { method: 'POST', path: '/webhooks', headers, body })).status;
      };
      const [context, page] = await opened();
      await signIn(page, adminKeys.operator, url);
      await page.getByRole('button', { name: 'live' }).waitFor();
      await page.getByRole('heading', { name: 'Linking' }).waitFor();
      expect(await delivery()).toBe(204);
      const headings = page.locator('main h1, main h2');
      const before = await headings.allInnerTexts();
      await page.evaluate('window.isTheSame = true');

      const killedAt = Date.now();
      await service.kill();
      const offline = page.getByRole('status').filter({ hasText: 'The service has not answered since' });
      await offline.waitFor();
      await page.getByRole('button', { name: 'offline' }).waitFor();
      const since = Date.parse((await offline.locator('time').getAttribute('datetime')) ?? '');
      expect(since).toBeGreaterThanOrEqual(killedAt);
      expect(await headings.allInnerTexts()).toEqual(before);
      // A view whose code was not loaded yet.
      await page.getByRole('link', { name: 'Pulls', exact: true }).click();
      await page.locator('main').getByText('Reading the page').waitFor();
      expect(await page.getByRole('alert').count()).toBe(0);

      service = await ChildPulsekeep.start({ ...env, PORT: new URL(url).port });
      await offline.waitFor({ state: 'detached' });
      await page.getByRole('heading', { name: 'Pulls', level: 1 }).waitFor();
      await page.getByRole('button', { name: 'live' }).waitFor();
      expect(await delivery()).toBe(204);
      await page.getByRole('link', { name: 'Overview', exact: true }).click();
      await page.getByRole('heading', { name: 'Linking' }).waitFor();
      expect(await headings.allInnerTexts()).toEqual(before);
      await page.getByRole('link', { name: 'Messages', exact: true }).click();
      await page.locator('[data-row]').first().waitFor();
      expect(await page.locator('[data-row]').count()).toBe(1);
      expect(await page.evaluate('window.isTheSame')).toBe(true);
      expect(faults.filter((fault) => !/ERR_CONNECTION_|ERR_INCOMPLETE_|ERR_EMPTY_|ERR_SOCKET/.test(fault))).toEqual(
        [],
      );
      await context.close();
    } finally {
      await service.stop();
      await database.drop();
    }
  });
});
