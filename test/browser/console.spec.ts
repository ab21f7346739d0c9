import type { Request } from 'playwright-core';
import { childEnvironment } from '../support/child-env.js';
import { ChildPulsekeep } from '../support/child-pulsekeep.js';
import { adminKeys } from '../support/environment.js';
import { callTo } from '../support/http.js';
import { signedMessage } from '../support/signed-message.js';
import { testDatabase } from '../support/test-store.js';
import { until } from '../support/until.js';
import { consoleSpec, pictureOf, twoPeople, violations } from './support/console-page.js';

describe('a person', () => {
  const spec = consoleSpec(twoPeople);

  it('learns why a key is not accepted, signs in and signs out', async () => {
    const { page } = await spec.blank();
    await spec.console.goTo('/messages?sign_in_failed=refused&status=dead');
    await page.getByText('The identity provider did not sign you in.').waitFor();
    expect(await violations(page)).toEqual([]);
    await page.getByLabel('Admin key (ADMIN_API_KEYS)').fill('no-such-key');
    await page.keyboard.press('Enter');
    await page.getByText('The service does not accept this key.').waitFor();
    // The browser itself reports the answer 401.
    expect(spec.console.troubles.splice(0).filter((trouble) => !trouble.includes('401'))).toEqual([]);
    await page.getByLabel('Admin key (ADMIN_API_KEYS)').fill(adminKeys.viewer);
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Messages' }).waitFor();
    expect(new URL(page.url()).search).toBe('?status=dead');
    const [cookie] = await page.context().cookies();
    expect(cookie).toMatchObject({ httpOnly: true, sameSite: 'Strict', path: '/' });
    expect(
      await page.evaluate('document.cookie + JSON.stringify({ ...localStorage, ...sessionStorage })'),
    ).not.toContain(adminKeys.viewer);
    await page.locator('.you summary').click();
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByRole('button', { name: 'Sign in with the key' }).waitFor();
  });

  it('finds the way by keyboard alone', async () => {
    const { page } = await spec.open();
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
    expect(await page.evaluate(`document.activeElement.matches('[data-row]')`)).toBe(true);
    await page.keyboard.press('/');
    await page.keyboard.type('poison');
    await page.keyboard.press('Enter');
    await page.getByText('Show the body').waitFor();
    expect(page.url()).toContain('/console/messages/poisoned');
  });

  it('keeps the focus that moved on while a dialog closed', async () => {
    const { page } = await spec.open();
    await page.keyboard.press('Tab');
    await page.keyboard.press('?');
    await page.getByRole('dialog', { name: 'Keyboard' }).waitFor();
    await page.evaluate(`document.querySelector('dialog')
      .addEventListener('close', () => document.querySelector('#search').focus(), { capture: true })`);
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    // An effect of the page that comes later would take the focus away.
    await page.evaluate('new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)))');
    expect(await page.evaluate('document.activeElement.id')).toBe('search');
  });

  it('goes from the name of a person in a log line to the timeline, and from a source to its accounts', async () => {
    const { page } = await spec.open();
    const detail = await spec.app.admin<{ log_ref: string }>('GET', '/accounts/demo-user-01', undefined, 'viewer');
    await page.keyboard.press('/');
    await page.keyboard.type(detail.body.log_ref.slice(0, 10));
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'demo-user-01' }).waitFor();
    await page.getByRole('link', { name: 'Timeline' }).click();
    const timeline = page.getByRole('table', { name: 'Timeline' });
    await timeline.getByText('Oura was connected.').waitFor();
    await timeline.getByRole('link', { name: 'Open message' }).first().waitFor();
    expect(await timeline.getByText('An operator opened the account.').count()).toBe(0);
    expect(await spec.console.examine('timeline')).toEqual([]);
    await spec.console.pictureNarrow('timeline');
    await page.keyboard.press('/');
    await page.keyboard.type('no-such-id');
    await page.keyboard.press('Enter');
    await page
      .getByText(/Nothing found. Searched account ids by any part; .* message ids, order ids, order transaction ids by/)
      .waitFor();
    await spec.console.goTo('/', 'To do');
    const connected = page.getByRole('table', { name: 'Sources by provider' }).getByRole('link').first();
    await connected.click();
    await page.getByRole('table', { name: 'Sources' }).getByText('demo-user-02').waitFor();
    expect(new URL(page.url()).search).toBe('?list=sources&provider=fitbit&state=connected');
  });

  it('sees whether a replica of the database is used, how late it is, and why not', async () => {
    const { page } = await spec.open();
    for (const [replica, words] of [
      [{ used: true, reason: null, lag_seconds: 0.4 }, '0.4 s behindlists and exports read from it'],
      [{ used: false, reason: 'unreachable', lag_seconds: null }, '–not used: unreachable'],
    ] as const) {
      await page.route('**/admin/v1/overview', async (route) => {
        const response = await route.fetch();
        await route.fulfill({ response, json: { ...((await response.json()) as object), replica } });
      });
      await spec.console.goTo('/', 'Replica');
      const figure = page.locator('.figures > div').filter({ hasText: 'Replica' }).locator('dd');
      await until(async () => (await figure.textContent()) === words);
      await page.unroute('**/admin/v1/overview');
    }
  });

  it('sees how attempts at a message ended, and that a replay cannot help', async () => {
    const { page } = await spec.open();
    await spec.console.goTo('/messages/poisoned', 'Show the body');
    await page.getByText('A replay cannot help: the body is not JSON.').waitFor();
    await page.getByRole('button', { name: 'Replay this message' }).click();
    await page.getByText('It will be processed again.').waitFor();
    await spec.app.settle();
    await page.reload();
    const attempts = page.getByRole('table', { name: 'Attempts' });
    await attempts.getByText('not json').nth(1).waitFor();
    expect(await attempts.locator('tbody tr').count()).toBe(2);
    expect(await spec.console.examine('attempts')).toEqual([]);
    await spec.console.pictureNarrow('attempts');
  });

  it('reads a body only on request, which the access log records', async () => {
    const { page } = await spec.open();
    const bodies: string[] = [];
    page.on('response', (response) => {
      if (/\/admin\/v1\/messages\/poisoned$/.test(response.url())) bodies.push(response.url());
    });
    await spec.console.goTo('/messages/poisoned', 'Show the body');
    expect(bodies).toEqual([]);
    await page.getByRole('button', { name: 'Show the body' }).click();
    await page.locator('.body').waitFor();
    expect(bodies).toHaveLength(1);
    await spec.console.goTo('/access-log', 'Log intact');
    await page.getByText('GET /admin/v1/messages/:message_id').first().waitFor();
  });

  it('gets neither values nor actions with the role viewer', async () => {
    const { page } = await spec.open({ role: 'viewer' });
    await spec.console.goTo('/messages/poisoned', 'so it requires the role reader.');
    expect(await page.getByRole('button', { name: /Replay/ }).count()).toBe(0);
    await spec.console.goTo('/access-log', 'requires the role operator');
  });

  it('filters by the address, sees groups, and replays what matches after a count', async () => {
    const { page } = await spec.open();
    await spec.console.goTo('/messages?status=ignored', 'Groups');
    await page.getByRole('button', { name: 'Replay all matches' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByText('1 message will be processed again').waitFor();
    await dialog.getByRole('button', { name: 'Replay 1 message' }).click();
    await dialog.waitFor({ state: 'detached' });
    const replays = page.getByRole('table', { name: 'Replays' });
    await replays.getByText('0 of 1 applied, 1 left').waitFor();
    await spec.app.settle();
    await page.reload();
    await replays.getByText('0 of 1 applied, 1 ignored').waitFor();
    expect(await violations(page)).toEqual([]);
  });

  it('sees the messages of the last day as a chart with numbers, and whose upstream calls are shown', async () => {
    const { page } = await spec.open({ theme: 'dark', width: 320, height: 800 });
    await page.getByRole('img', { name: /messages processed in 24 hours/ }).waitFor();
    await page.locator('.chart canvas').waitFor();
    await page.getByText('Chart data').click();
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
    await page.getByText(/\(role: all\): at most .*; no other instance has reported/).waitFor();
    await page.getByText('Circuit closed: calls are allowed.').waitFor();
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
    await spec.console.close();
    spec.console.troubles.length = 0;
  });

  it.each([320, 900, 1_280])('opens a message at %i pixels without moving the list', async (width) => {
    const { page } = await spec.open({ width });
    await spec.console.goTo('/messages?status=done', 'Groups');
    const row = page.locator('[data-row]').nth(1);
    await row.scrollIntoViewIfNeeded();
    const before = await row.boundingBox();
    await row.getByText('done').click();
    await page.getByText('Show the body').waitFor();
    const after = await row.boundingBox();
    expect([after?.x, after?.y, after?.height]).toEqual([before?.x, before?.y, before?.height]);
    await page.screenshot({ path: pictureOf(`message-beside-light-${width}`) });
    expect(await violations(page)).toEqual([]);
    await page.keyboard.press('/');
    await page.keyboard.press('Escape');
    expect(await page.evaluate('document.activeElement.id')).not.toBe('search');
    expect(await page.getByText('Show the body').isVisible()).toBe(true);
    await page.keyboard.press('Escape');
    await page.getByText('Show the body').waitFor({ state: 'detached' });
  });

  it('learns after a while that a view has no response, keeps its data, and tries again', async () => {
    const { page } = await spec.blank();
    await page.clock.install();
    await spec.console.signIn();
    await spec.console.goTo('/messages', 'Groups');
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
      .filter({ hasText: 'The service did not respond within 20 s.' });
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
  });

  it('learns that an action without a response may have taken effect, and sees whether it has', async () => {
    const { page } = await spec.blank();
    await page.clock.install();
    await spec.console.signIn();
    await spec.console.goTo('/accounts/demo-user-02', 'fitbit');
    await page.getByText('Actions', { exact: true }).click();
    await page.getByRole('button', { name: 'Stop issuing tokens' }).click();
    await page.route('**/accounts/demo-user-02/block', (route) => route.fetch().then(() => undefined));
    const blocked = page.waitForRequest('**/accounts/demo-user-02/block');
    await page.getByRole('dialog').getByRole('button', { name: 'Stop issuing tokens' }).click();
    await blocked;
    await page.clock.fastForward(91_000);
    await page.getByText('It may still have taken effect: check before you repeat it.').waitFor();
    await page.getByRole('dialog', { name: 'Stop issuing tokens to demo-user-02' }).waitFor();
    await page.getByRole('button', { name: 'Back' }).click();
    await page.locator('.account-head').getByText('blocked').waitFor();
    await page.getByText('Actions', { exact: true }).click();
    await page.getByRole('button', { name: 'Resume issuing tokens' }).waitFor();
    await page.unroute('**/accounts/demo-user-02/block');
    await spec.app.admin('POST', '/accounts/demo-user-02/unblock');
  });

  it('chooses hours by a drag that leaves the chart at its top, while newer numbers arrive', async () => {
    const { page } = await spec.blank();
    await spec.console.signIn();
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
  });

  it('has the deployment diagnosed on request, and sees which webhook secret signed the last delivery', async () => {
    const { page } = await spec.open({ theme: 'dark' });
    await spec.console.goTo('/settings', 'Not run yet.');
    const secrets = page.getByRole('table', { name: 'Webhook secrets' });
    expect(await secrets.getByRole('row').count()).toBe(2);
    await page.getByRole('button', { name: 'Run doctor' }).click();
    const checks = page.getByRole('table', { name: 'Checks' });
    await checks.getByText('upstream key').waitFor();
    await page.screenshot({ path: pictureOf('doctor-dark-1280'), fullPage: true });
    expect(await violations(page)).toEqual([]);
    await spec.open({ role: 'viewer' });
    await spec.console.goTo('/settings', 'The doctor requires the role operator.');
  });

  it('copies an id and the equivalent command', async () => {
    const { page } = await spec.open();
    await spec.console.goTo('/messages?status=done', 'Groups');
    await page.getByRole('button', { name: 'Copy as a curl command' }).first().click();
    expect(await page.evaluate('navigator.clipboard.readText()')).toBe(
      `curl -H "Authorization: Bearer $PULSEKEEP_ADMIN_KEY" '${spec.app.url}/admin/v1/messages?status=done'`,
    );
    await page.getByRole('button', { name: 'Copy as a pulsekeep command' }).first().click();
    expect(await page.evaluate('navigator.clipboard.readText()')).toBe('pulsekeep messages --status done');
  });

  it('forecasts a recovery before it starts', async () => {
    const { page } = await spec.open();
    await spec.console.goTo('/pulls?list=recoveries', 'Recover an outage');
    await page.getByLabel('from').fill('2026-01-02T10:00');
    await page.getByLabel('to').fill('2026-01-02T12:00');
    await page.getByRole('button', { name: 'Estimate the cost' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByText('calls to upstream, at least').waitFor();
    expect(await violations(page)).toEqual([]);
    await dialog.getByRole('button', { name: /^Start \d+ pulls$/ }).click();
    await page.getByText('planning').or(page.getByText('pulling')).first().waitFor();
  });

  it('leads from a group to as many messages as it counts', async () => {
    const [known] = (await spec.app.admin<{ data: { event_type: string }[] }>('GET', '/messages?status=done')).body
      .data;
    const { page } = await spec.open();
    const group = { event_type: known?.event_type, reason: null, count: 1, message_id: 'm' };
    const at = new Date(spec.app.clock.now()).toISOString();
    const data = [{ ...group, status: 'received', first_received_at: at, last_received_at: at }];
    await page.route('**/messages/groups*', (route) => route.fulfill({ json: { data, searched: 1 } }));
    await spec.console.goTo('/messages', 'Groups');
    await page.locator('.groups button').click();
    await page.waitForURL(/event_type=/);
    expect(await page.getByRole('combobox', { name: 'state' }).inputValue()).toBe('received');
  });

  it('confirms a count of messages only while it is the present one', async () => {
    const { page } = await spec.open();
    await spec.console.goTo('/messages?status=ignored', 'Groups');
    const open = page.getByRole('button', { name: 'Replay all matches' });
    const replay = page.getByRole('dialog').getByRole('button', { name: /^Replay \d/ });
    await open.click();
    await until(() => replay.isEnabled());
    await page.getByRole('button', { name: 'Back' }).click();
    await page.clock.setFixedTime(spec.app.clock.now() + 60_000);
    let release = (): void => undefined;
    const held = new Promise<void>((resolve) => (release = resolve));
    await page.route('**/messages/replay', async (route) => {
      await held;
      await route.continue();
    });
    const counted = page.waitForRequest('**/messages/replay');
    await open.click();
    await counted;
    expect(await replay.isDisabled()).toBe(true);
    release();
    await until(() => replay.isEnabled());
  });

  it('starts the recovery of the window whose cost was shown', async () => {
    const { page } = await spec.open();
    await spec.console.goTo('/pulls?list=recoveries', 'Recover an outage');
    let release = (): void => undefined;
    const held = new Promise<void>((resolve) => (release = resolve));
    const bodies: { to: string; dry_run?: boolean }[] = [];
    await page.route('**/sync/recover', async (route) => {
      bodies.push(route.request().postDataJSON() as (typeof bodies)[number]);
      await held;
      await route.continue();
    });
    await page.getByLabel('from').fill('2026-02-02T10:00');
    await page.getByLabel('to').fill('2026-02-02T12:00');
    await page.getByRole('button', { name: 'Estimate the cost' }).click();
    await page.getByRole('button', { name: 'Estimating' }).waitFor();
    await page.getByLabel('to').fill('2026-02-03T12:00');
    release();
    await page.getByRole('button', { name: /^Start \d+ pulls$/ }).click();
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    expect(bodies.map(({ to, dry_run }) => [to, dry_run])).toEqual([
      ['2026-02-02T12:00:00.000Z', true],
      ['2026-02-02T12:00:00.000Z', undefined],
    ]);
  });

  it('learns why an action is refused, and can repeat what failed', async () => {
    const { page } = await spec.open();
    await spec.app.admin('POST', '/accounts/demo-user-02/block');
    await spec.console.goTo('/accounts/demo-user-02?tab=tokens');
    await page.getByRole('button', { name: 'Issue a link token' }).click();
    const alert = page.getByRole('alert');
    await alert.filter({ hasText: 'No token was issued.' }).waitFor();
    expect(await alert.innerText()).not.toContain('role');
    await spec.app.admin('POST', '/accounts/demo-user-02/unblock');

    const running = { replay_id: 9, state: 'running', filter: null, count: 9, left: 9, applied: 0, ignored: 0 };
    const replay = { ...running, retrying: 0, failed: 0, created_at: new Date().toISOString(), finished_at: null };
    await page.route('**/messages/replays?*', (route) =>
      route.fulfill({ json: { data: [replay], next_cursor: null } }),
    );
    await page.route('**/replays/9/cancel', (route) => route.abort());
    await spec.console.goTo('/messages', 'Groups');
    await page.getByRole('button', { name: 'Cancel the rest' }).click();
    await page.getByText('It may still have taken effect: check before you repeat it.').waitFor();
    const again = page.waitForRequest('**/replays/9/cancel');
    await page.getByRole('button', { name: 'Cancel the rest' }).click();
    await again;
    // The browser itself reports them.
    expect(spec.console.troubles.splice(0).filter((trouble) => !/403|ERR_FAILED/.test(trouble))).toEqual([]);
  });

  it('stays in the dialog of an action until its outcome is known', async () => {
    const { page } = await spec.open();
    await spec.console.goTo('/accounts/demo-user-02', 'fitbit');
    let release = (): void => undefined;
    const held = new Promise<void>((resolve) => (release = resolve));
    await page.route('**/accounts/demo-user-02/block', async (route) => {
      await held;
      await route.abort();
    });
    await page.getByText('Actions', { exact: true }).click();
    await page.getByRole('button', { name: 'Stop issuing tokens' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Stop issuing tokens' }).click();
    await page.getByRole('button', { name: 'Working' }).waitFor();
    await page.keyboard.press('Escape');
    expect(await page.getByRole('button', { name: 'Back' }).isDisabled()).toBe(true);
    release();
    await page.getByRole('dialog').getByText('It may still have taken effect').waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    expect(spec.console.troubles.splice(0).filter((trouble) => !trouble.includes('ERR_FAILED'))).toEqual([]);
  });

  it('signs out of a session that has ended, and learns if the sign-out fails', async () => {
    const { page } = await spec.open();
    await spec.console.goTo('/settings', 'UPSTREAM_TIMEOUT_MS');
    await page.route('**/admin/v1/sessions/*', (route) =>
      route.request().method() === 'DELETE' ? route.abort() : route.continue(),
    );
    await page.locator('.you summary').click();
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByText('You may still be signed in.').waitFor();
    await page.unroute('**/admin/v1/sessions/*');
    await page.context().clearCookies();
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByRole('button', { name: 'Sign in with the key' }).waitFor();
    expect(spec.console.troubles.splice(0).filter((trouble) => !/401|ERR_FAILED/.test(trouble))).toEqual([]);
  });

  it('finds nothing of the person before: no list and no reason for an access', async () => {
    const { page } = await spec.blank();
    await page.clock.install();
    await spec.console.signIn();
    const json = { code: 'access_reason_required', detail: 'A reason is required.' };
    const refusal = { status: 400, contentType: 'application/problem+json', json };
    await page.route('**/admin/v1/accounts/demo-user-01', (route) =>
      'x-access-reason' in route.request().headers() ? route.continue() : route.fulfill(refusal),
    );
    await spec.console.goTo('/accounts/demo-user-01', 'A reason is required.');
    await page.getByRole('textbox', { name: /A reason is required/ }).fill('ticket-1');
    await page.getByRole('button', { name: 'Submit the reason' }).click();
    await page.getByRole('link', { name: 'Accounts', exact: true }).click();
    await page.getByRole('row', { name: /demo-user-02/ }).waitFor();
    await page.getByRole('button', { name: 'Live updates: on' }).click();
    await page.context().clearCookies();
    await page.clock.fastForward(61_000);
    await page.getByText('Your session has ended.').waitFor();

    const reasons: (string | undefined)[] = [];
    await page.route(
      '**/admin/v1/accounts?*',
      (route) => void reasons.push(route.request().headers()['x-access-reason']),
    );
    await page.getByLabel('Admin key (ADMIN_API_KEYS)').fill(adminKeys.viewer);
    await page.keyboard.press('Enter');
    await page.getByText('Reading Accounts').waitFor({ state: 'attached' });
    expect(await page.getByRole('row', { name: /demo-user-02/ }).count()).toBe(0);
    await until(async () => reasons.length > 0);
    expect(reasons[0]).toBeUndefined();
    expect(spec.console.troubles.splice(0).filter((trouble) => !/401|400/.test(trouble))).toEqual([]);
  });

  it('ends the session of another browser', async () => {
    const { page: other, troubles } = await spec.open({ role: 'monitor' });
    const { page } = await spec.open();
    await spec.console.goTo('/settings', 'UPSTREAM_TIMEOUT_MS');
    await page.getByRole('button', { name: 'End the session of monitor' }).first().click();
    await page.getByRole('button', { name: 'End the session of monitor' }).waitFor({ state: 'detached' });
    await other.reload();
    await other.getByRole('button', { name: 'Sign in with the key' }).waitFor();
    expect(troubles.splice(0).filter((trouble) => !trouble.includes('401'))).toEqual([]);
  });

  it('learns that the session ended when an action fails, and continues at the same place', async () => {
    const { page } = await spec.open();
    await spec.console.goTo('/changes', 'Add a subscription');
    await page.getByRole('button', { name: 'Add a subscription' }).click();
    await page.getByLabel('endpoint').fill('https://hook.example/changes');
    await page.context().clearCookies();
    await page.getByRole('button', { name: 'Add the subscription' }).click();
    await page.getByText('Your session has ended.').waitFor();
    await page.getByLabel('Admin key (ADMIN_API_KEYS)').fill(adminKeys.operator);
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Changes', level: 1 }).waitFor();
    expect(spec.console.troubles.splice(0).filter((trouble) => !trouble.includes('401'))).toEqual([]);
  });

  it('has eight tabs open, and all of them work', async () => {
    const first = await spec.open();
    const tabs = await Promise.all(Array.from({ length: 7 }, () => first.tab()));
    for (const tab of tabs) await tab.goTo('/pulls', ', lag ');
    await first.goTo('/settings', 'UPSTREAM_TIMEOUT_MS');
  });

  it('sees new data in every tab through one stream of changes', async () => {
    const { page } = await spec.open();
    // Those that are open: a page that is left ends its own.
    const streams = new Set<Request>();
    const context = page.context();
    context.on('request', (request) => {
      if (request.url().includes('/v1/changes')) streams.add(request);
    });
    context.on('requestfailed', (request) => streams.delete(request));
    context.on('requestfinished', (request) => streams.delete(request));
    await spec.console.goTo('/accounts', 'demo-user-01');
    const other = await spec.console.tab();
    await other.goTo('/accounts', 'demo-user-01');
    while (streams.size === 0) await context.waitForEvent('request');
    await spec.app.as('demo-user-03', 'POST', '/me/sign-in-token', {});
    await spec.app.settle();
    await other.page.getByText('demo-user-03').first().waitFor({ timeout: 10_000 });
    await page.getByText('demo-user-03').first().waitFor({ timeout: 10_000 });
    expect(streams.size).toBe(1);
  });

  it('sees the earlier data while the service is down, and live data once it is back', async () => {
    const database = await testDatabase();
    const env = childEnvironment(database, spec.app.sandbox.url);
    let service = await ChildPulsekeep.start(env);
    try {
      const { url } = service;
      const delivery = async (): Promise<number> => {
        const { headers, body } = signedMessage('delivered-twice', { event_type: 'not.known' });
        return (await callTo(url, { method: 'POST', path: '/webhooks', headers, body })).status;
      };
      const { page } = await spec.blank({ url });
      await spec.console.signIn();
      await page.getByRole('button', { name: 'Live updates: on' }).waitFor();
      await page.getByRole('heading', { name: 'Sources' }).waitFor();
      expect(await delivery()).toBe(204);
      const headings = page.locator('main h1, main h2');
      const before = await headings.allInnerTexts();
      await page.evaluate('window.isTheSame = true');

      const killedAt = Date.now();
      await service.kill();
      const offline = page.getByRole('status').filter({ hasText: 'The service has not responded since' });
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
      await page.getByRole('button', { name: 'Live updates: on' }).waitFor();
      expect(await delivery()).toBe(204);
      await page.getByRole('link', { name: 'Overview', exact: true }).click();
      await page.getByRole('heading', { name: 'Sources' }).waitFor();
      expect(await headings.allInnerTexts()).toEqual(before);
      await page.getByRole('link', { name: 'Messages', exact: true }).click();
      await page.locator('[data-row]').first().waitFor();
      expect(await page.locator('[data-row]').count()).toBe(1);
      expect(await page.evaluate('window.isTheSame')).toBe(true);
      const expected = /ERR_CONNECTION_|ERR_INCOMPLETE_|ERR_EMPTY_|ERR_SOCKET/;
      expect(spec.console.troubles.splice(0).filter((trouble) => !expected.test(trouble))).toEqual([]);
      await spec.console.close();
    } finally {
      await service.stop();
      await database.drop();
    }
  });
});
