import { readFileSync } from 'node:fs';
import type { ErasureDto } from '../../clients/typescript/src/api.js';
import { driveCli } from '../operations/cli/support/run-cli.js';
import { DAY } from '../support/environment.js';
import { TestApp } from '../support/test-app.js';
import { type ConsolePage, consoleSpec, pictureOf } from './support/console-page.js';

describe('the console: accounts', () => {
  const users: Record<string, string> = {};

  const spec = consoleSpec(async () => {
    const app = await TestApp.create();
    for (const account of ['person-a', 'person-b']) {
      const { body } = await app.as<{ user_id: string }>(account, 'POST', '/me/sign-in-token', {});
      users[account] = body.user_id;
      const history = { days: 40, per_day: 2 };
      await app.sandbox.control.connect({ user_id: body.user_id, provider: 'oura', history });
    }
    await app.advance(600, 4);
    return app;
  });

  const calendar = (): ReturnType<ConsolePage['page']['getByRole']> =>
    spec.console.page.getByRole('application', { name: 'Coverage by source, resource and day' });

  it('lead by keyboard alone from the list to the explanation of a day', async () => {
    const { page } = await spec.open();
    await page.getByRole('heading', { name: 'Overview' }).waitFor();
    await page.keyboard.press('g');
    await page.keyboard.press('a');
    await page.getByRole('row', { name: /person-a/ }).waitFor();
    await page.keyboard.press('j');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'person-a' }).waitFor();
    await calendar().focus();
    for (const key of ['PageUp', 'ArrowLeft', 'ArrowDown', 'Enter']) await page.keyboard.press(key);
    await page.locator('.conclusion').waitFor();
    expect(await page.locator('.conclusion').innerText()).toMatch(/records? .*(is|are) stored/);
    expect(new URL(page.url()).searchParams.get('day')).toBe('2026-10-22');
    expect(await page.getByRole('list', { name: 'Evidence' }).locator('.decisive').count()).toBeGreaterThan(0);
    await page.getByRole('button', { name: /^Pull .* of this day again$/ }).click();
    await page.getByText(/^Requested:/).waitFor();
    await page.getByRole('button', { name: 'Show as a table' }).click();
    await page.getByRole('table', { name: 'Coverage by source and resource' }).getByText('sleep').first().waitFor();
  });

  it.each([{ theme: 'light' }, { theme: 'dark' }, { theme: 'light', width: 320, height: 640 }] as const)(
    'are accessible and fit the page: %o',
    async (look) => {
      const { page } = await spec.open(look);
      await spec.console.goTo('/accounts');
      await page.getByText('person-b').first().waitFor();
      expect(await spec.console.examine('accounts')).toEqual([]);
      await spec.console.goTo('/accounts/person-a?day=2026-11-10&provider=oura&resource=sleep');
      await page.locator('.conclusion').waitFor();
      expect(await spec.console.examine('account')).toEqual([]);
      expect(await page.getByRole('list', { name: 'States' }).getByRole('listitem').count()).toBe(6);
    },
  );

  it('are compared with upstream from the console, and each day is seen with its proof', async () => {
    const { page } = await spec.open();
    await spec.console.goTo('/accounts/person-a?tab=proofs', 'No compared day yet');
    await page.getByLabel('compare from').fill('2026-11-10');
    await page.getByLabel('to', { exact: true }).fill('2026-11-12');
    await page.getByRole('button', { name: 'Compare with upstream' }).click();
    const started = page.getByRole('link', { name: /^audit \d+$/ });
    await started.waitFor();
    await spec.app.advance(600, 4);
    await started.click();
    const audits = page.getByRole('table', { name: 'Audits' });
    await audits.getByText(/^\d+ of \d+ days proven/).waitFor();
    expect(await spec.console.examine('audits')).toEqual([]);
    await spec.console.pictureNarrow('audits');
    await audits.getByRole('link', { name: 'person-a' }).first().click();
    const proofs = page.getByRole('table', { name: 'Compared days' });
    await proofs.getByText('proven', { exact: true }).first().waitFor();
    expect(new URL(page.url()).searchParams.get('first_day')).toBe('2026-11-10');
    expect(await spec.console.examine('proofs')).toEqual([]);
    await spec.console.pictureNarrow('proofs');
    await page.getByRole('combobox', { name: 'state' }).selectOption('different');
    await page.getByText('No compared day matches these filters').waitFor();
    await spec.console.close();

    const viewer = await spec.open({ role: 'viewer' });
    await spec.console.goTo('/accounts/person-a?tab=proofs', 'oura · sleep');
    expect(await viewer.page.getByRole('button', { name: 'Compare with upstream' }).count()).toBe(0);
  });

  it('show values only on request, and never to a viewer', async () => {
    const { page } = await spec.open();
    const asked: string[] = [];
    page.on('request', (request) => asked.push(new URL(request.url()).pathname));
    await spec.console.goTo('/accounts/person-a?tab=records&resource=sleep');
    await page.getByText('Values are read only on request').waitFor();
    expect(asked.filter((path) => path.includes('/records/'))).toEqual([]);
    await page.getByRole('button', { name: 'Show values of sleep' }).click();
    await page
      .getByRole('row', { name: /oura ring/ })
      .first()
      .waitFor();
    await page.getByRole('img', { name: /^total of 13 records/ }).waitFor();
    await page.getByRole('combobox', { name: 'resource' }).selectOption({ index: 1 });
    await page.getByRole('combobox', { name: 'resource' }).selectOption('sleep');
    await page.getByRole('button', { name: 'Show values of sleep' }).click();
    await page
      .getByRole('row', { name: /oura ring/ })
      .first()
      .waitFor();
    expect(await spec.console.examine('records')).toEqual([]);
    await spec.console.pictureNarrow('records');
    await spec.console.goTo('/accounts/person-a?tab=totals&resource=blood_pressure');
    await page.getByRole('button', { name: 'Show days of blood pressure' }).click();
    await page.getByRole('table', { name: 'Days of blood_pressure' }).waitFor();
    expect(await spec.console.examine('daily-numbers')).toEqual([]);
    await spec.console.pictureNarrow('daily-numbers');
    await spec.console.close();

    const viewer = await spec.open({ role: 'viewer' });
    await spec.console.goTo('/accounts/person-a?tab=records&resource=sleep');
    await viewer.page.getByText('Health data requires the role reader.').waitFor();
    expect(await viewer.page.getByRole('button', { name: /Show values/ }).count()).toBe(0);
  });

  it('show the content below the calendar only after the calendar, so that nothing moves under the mouse', async () => {
    const { page } = await spec.open();
    let send = (): void => undefined;
    const sent = new Promise<void>((resolve) => {
      send = resolve;
    });
    await page.route('**/coverage?*', (route) => sent.then(() => route.continue()));
    await spec.console.goTo('/accounts/person-a?tab=records&resource=sleep');
    await page.getByRole('list', { name: 'Sources in brief' }).waitFor();
    const act = page.getByRole('button', { name: 'Show values of sleep' });
    expect(await act.isVisible()).toBe(false);
    send();
    await act.waitFor();
    const before = await act.boundingBox();
    await calendar().waitFor();
    expect(await act.boundingBox()).toEqual(before);
  });

  it('draw a year of 60 rows, and move in it; prints how long a frame took', async () => {
    const { page } = await spec.open();
    const states = ['received', 'confirmed_empty', 'pending', 'failed_upstream', 'unknown'];
    const streams = Array.from({ length: 60 }, (_, row) => ({
      ...{ provider: `source_${row % 6}`, resource: `resource_${row}` },
      ...{ complete: false, whole_through: null, days_in: ['utc'] },
      runs: Array.from({ length: 365 }, (_, day) => {
        const date = new Date(Date.UTC(2025, 10, 21 + day)).toISOString().slice(0, 10);
        const state = states[(row + day) % 5];
        const rest = { days: 1, whole: false, reason: 'not_proven', records: state === 'received' ? 1 : 0 };
        return { first_day: date, last_day: date, state, more: false, gone: 0, ...rest };
      }),
    }));
    await page.route('**/coverage?*', (route) => route.fulfill({ json: { data: streams, next_cursor: null } }));
    await spec.console.goTo('/accounts/person-a');
    await calendar().focus();
    await page.evaluate(`
      window.frames_ = []; let last = performance.now();
      const tick = (now) => { frames_.push(now - last); last = now; requestAnimationFrame(tick); };
      requestAnimationFrame(tick);
    `);
    for (let step = 0; step < 40; step++) await page.keyboard.press(step % 2 === 0 ? 'ArrowLeft' : 'ArrowDown');
    const frames = await page.evaluate<number[]>('frames_.slice(1)');
    const median = frames.sort((one, other) => one - other)[Math.floor(frames.length / 2)] ?? 0;
    process.stdout.write(`calendar of 60 rows: ${frames.length} frames, the median took ${median.toFixed(1)} ms\n`);
    await page.keyboard.press('Enter');
    await page.waitForURL(/[?&]day=2026-10-31&provider=source_2&resource=resource_20$/);
  });

  it('get tokens again through the alarm that none are issued', async () => {
    const { app } = spec;
    await app.admin('PUT', '/token-issuance', { open: false });
    await app.advance(30, 2);
    const { page } = await spec.open();
    await page.getByText('Enable token issuance once its reason is gone.').waitFor();
    await page.screenshot({ path: pictureOf('alarm-light-1280') });
    await page.setViewportSize({ width: 390, height: 844 });
    await page.screenshot({ path: pictureOf('alarm-light-390') });
    await page.setViewportSize({ width: 1_280, height: 900 });
    const issued = page.waitForResponse('**/token-issuance');
    await page.getByRole('button', { name: 'Enable token issuance' }).click();
    await issued;
    expect((await app.admin('GET', '/token-issuance')).body).toMatchObject({ open: true });
    await page.route('**/admin/v1/overview', async (route) => {
      const answer = await route.fetch();
      const overview = (await answer.json()) as { at: string; alarms: object[] };
      const { at: since } = overview;
      const known = { count: 1, since, raised_at: since, providers: [], acknowledged: null, runbook: '' };
      const failing = { ...known, code: 'push_failing', message: 'Pushes fail.', reasons: ['address_refused'] };
      await route.fulfill({ json: { ...overview, alarms: [failing] } });
    });
    await page.reload();
    await page.getByText('reasons: address_refused').waitFor();
  });

  it('have a failed pull repeated from its row', async () => {
    const { page } = await spec.open();
    const pull = { id: 7, status: 'failed', account_id: 'person-a', resource: 'sleep', provider: 'oura' };
    const rest = { origin: 'schedule', last_error: 'upstream_contract', pages: 0, written: 0, records: 0, attempts: 5 };
    const failed = { ...pull, ...rest, due_at: null, finished_at: new Date(spec.app.clock.now()).toISOString() };
    await page.route('**/sync/tasks?*', (route) => route.fulfill({ json: { data: [failed], next_cursor: null } }));
    await spec.console.goTo('/pulls?status=failed');
    await page.getByRole('button', { name: 'Pull again' }).click();
    await page.getByText(/^requested: pull \d+$/).waitFor();
  });

  it('have held deletions that wait until an operator hides or keeps the records', async () => {
    const { app } = spec;
    const daysAgo = (days: number): string => new Date(app.clock.now() - days * DAY).toISOString();
    for (const [account, user_id] of Object.entries(users)) {
      const range = { resource: 'mindfulness_minutes', start: daysAgo(30), end: daysAgo(5) };
      await app.sandbox.control.remove({ user_id, ...range });
      await app.admin('POST', `/accounts/${account}/sync`, {});
    }
    await app.settle();
    const { page } = await spec.open();
    await spec.console.goTo('/pulls?list=deletions');
    const stale = await page.context().newPage();
    await stale.goto(page.url());
    await stale.getByRole('row').filter({ hasText: 'person-a' }).waitFor();
    await stale.getByRole('button', { name: 'Live updates: on' }).click();
    const decide = async (account: string, act: 'Hide' | 'Keep', tab = page): Promise<void> => {
      const row = tab.getByRole('row').filter({ hasText: account });
      await row.getByRole('button', { name: act }).click();
      await tab.getByLabel(/^Reason/).fill('as agreed with upstream');
      if (act === 'Hide') await tab.getByLabel(/to confirm/).fill(account);
      await tab
        .getByRole('dialog')
        .getByRole('button', { name: new RegExp(`^${act} \\d+ records$`) })
        .click();
      await row.waitFor({ state: 'detached' });
    };
    await decide('person-a', 'Keep');
    await decide('person-a', 'Hide', stale);
    await stale.getByText('These deletions were already rejected.').waitFor();
    await stale.getByText('Nothing was changed.').waitFor();
    // The browser itself reports the answer 409.
    expect(spec.console.troubles.splice(0).filter((trouble) => !trouble.includes('409'))).toEqual([]);
    await decide('person-b', 'Hide');
    await page.getByText('No deletion waits for a decision.', { exact: false }).waitFor();
    for (const [state, account] of [
      ['rejected', 'person-a'],
      ['released', 'person-b'],
    ] as const) {
      await page.getByRole('combobox', { name: 'state' }).selectOption(state);
      await page
        .getByRole('row', { name: `${account} oura` })
        .getByText('operator: as agreed with upstream')
        .waitFor();
    }
  });

  it('can be pulled again, exported, blocked, disconnected and relinked', async () => {
    const { app } = spec;
    const { page } = await spec.open();
    await spec.console.goTo('/accounts/person-a');
    const act = async (name: string): Promise<void> => {
      await page.getByText('Actions', { exact: true }).click();
      await page.getByRole('button', { name, exact: true }).click();
    };
    const [download] = await Promise.all([page.waitForEvent('download'), act('Export the account')]);
    expect(download.suggestedFilename()).toBe('person-a.ndjson');
    expect(readFileSync(await download.path(), 'utf8')).toContain('"resource":"sleep"');

    await page.reload();
    await act('Re-sync all sources');
    await page.getByRole('button', { name: 'Pull again', exact: true }).click();
    await page.getByText(/^\d+ pulls requested\.$/).waitFor();
    await act('Stop issuing tokens');
    await page.getByRole('dialog').getByRole('button', { name: 'Stop issuing tokens' }).click();
    await page.getByText('No tokens are issued.').waitFor();
    expect((await app.as('person-a', 'POST', '/me/sign-in-token', {})).status).toBe(403);
    await act('Resume issuing tokens');
    await page.getByRole('dialog').getByRole('button', { name: 'Resume issuing tokens' }).click();
    await page.getByText('Tokens are issued again.').waitFor();

    await page.getByRole('link', { name: 'sources' }).click();
    await page.getByRole('button', { name: 'Disconnect oura' }).click();
    await page.getByLabel(/to confirm/).fill('person-a');
    await page.getByRole('dialog').getByRole('button', { name: 'Disconnect oura' }).click();
    await page.getByText(/^oura: /).waitFor();
    const upstream = (await app.sandbox.control.truthUsers()).users;
    expect(upstream.find(({ user_id }) => user_id === users['person-a'])?.providers).toEqual([]);

    await app.sandbox.control.eraseUser(users['person-a'] ?? '');
    await app.admin('POST', '/accounts', { account_id: 'person-a' });
    await page.reload();
    await act('Relink the account');
    await page.getByLabel(/to confirm/).fill('person-a');
    await page.getByRole('button', { name: 'Create a new upstream user' }).click();
    await page.getByText('A new upstream user was created.', { exact: false }).waitFor();
    expect((await app.as('person-a', 'POST', '/me/sign-in-token', {})).body.user_id).not.toBe(users['person-a']);
  });

  it('are erased only after their id is typed, and leave a receipt', async () => {
    const { page } = await spec.open();
    await spec.console.goTo('/accounts/person-b');
    await page.getByText('Actions', { exact: true }).click();
    await page.getByRole('button', { name: 'Erase the account' }).click();
    const act = page.getByRole('button', { name: 'Erase person-b' });
    expect(await act.isDisabled()).toBe(true);
    await page.getByLabel(/to confirm/).fill('person-b');
    await act.click();
    await page.getByText('Keep this receipt.').waitFor();
    expect(await page.getByText('rows deleted', { exact: false }).count()).toBeGreaterThan(0);
    await spec.app.settle();
    await spec.app.advance(60);
    await page.clock.setFixedTime(spec.app.clock.now() + 60_000);
    await page.evaluate("window.dispatchEvent(new Event('visibilitychange'))");
    await page.getByText('No account has this id.').waitFor();
    await page.getByText('Keep this receipt.').waitFor();
    expect(spec.console.troubles.splice(0).filter((trouble) => !trouble.includes('404'))).toEqual([]);

    const [waiting] = (await spec.app.admin<{ data: ErasureDto[] }>('GET', '/erasures')).body.data;
    expect(waiting).toMatchObject({ state: 'waiting', verified_at: null });
    await spec.console.close();
    await spec.app.advance(8 * 86_400 + 3_600, 2);
    const shown = await driveCli(spec.app.url, ['accounts', 'get-erasure', String(waiting?.erasure_id)]);
    expect([shown.code, shown.out]).toEqual([0, expect.stringMatching(/^state +done$/m)]);
    const { page: later } = await spec.open();
    await spec.console.goTo('/accounts?list=erasures', 'Deleted upstream');
    const row = later.getByRole('table', { name: 'Erasures' }).locator('tbody tr').first();
    expect(await row.innerText()).toContain('done');
    expect(await spec.console.examine('erasures')).toEqual([]);
    await spec.console.pictureNarrow('erasures');
  });
});
