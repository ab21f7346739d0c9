import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { TestApp } from '../support/test-app.js';
import { until } from '../support/until.js';
import { type ConsolePage, consoleSpec, type Look } from './support/console-page.js';

describe('the console: changes', () => {
  let endpoint: Server;
  let url: string;
  let received = 0;
  let pushed: Record<string, unknown>[] = [];
  const routingKey = 'R0'.repeat(16);

  const spec = consoleSpec(async () => {
    endpoint = createServer((request, response) => {
      received++;
      let text = '';
      request.on('data', (part) => void (text += String(part)));
      request.on('end', () => {
        pushed.push(JSON.parse(text) as Record<string, unknown>);
        response.end();
      });
    }).listen(0);
    await once(endpoint, 'listening');
    url = `http://127.0.0.1:${(endpoint.address() as AddressInfo).port}/changes`;
    const env = {
      PUSH_SIGNING_KEYS: 'a-key-of-pushes-for-tests-only-0123456789',
      PUSH_ALLOWED_NETWORKS: '127.0.0.0/8',
      PAGERDUTY_ROUTING_KEY: routingKey,
    };
    const app = await TestApp.create({ env });
    await app.as('person', 'POST', '/me/sign-in-token', {});
    await app.settle();
    return app;
  });

  const open = async (look?: Look): Promise<ConsolePage> => {
    const opened = await spec.open(look);
    await opened.goTo('/changes');
    return opened;
  };

  afterAll(() => void endpoint.close());

  it('are pushed to an endpoint that is added here, tested and shown with its log', async () => {
    const { page } = await open();
    await page.getByRole('button', { name: 'Add a subscription' }).click();
    await page.getByLabel('endpoint').fill(url);
    let release = (): void => undefined;
    const held = new Promise<void>((resolve) => (release = resolve));
    await page.route('**/admin/v1/subscriptions', async (route) => {
      if (route.request().method() === 'POST') await held;
      await route.continue();
    });
    await page.getByRole('button', { name: 'Add the subscription' }).click();
    await page.getByRole('button', { name: 'Add the subscription', disabled: true }).waitFor();
    await page.keyboard.press('Escape');
    expect(await page.getByRole('dialog', { name: 'Add a subscription' }).isVisible()).toBe(true);
    release();
    await page.getByText('Added. The secret is shown only once:').waitFor();
    await page.getByRole('row').filter({ hasText: url }).click();
    await page.getByRole('heading', { name: 'Push log' }).waitFor();
    await page.getByRole('button', { name: 'Send a test push' }).click();
    await page.getByText(/^The test was delivered: 200/).waitFor();
    await spec.app.as('another', 'POST', '/me/sign-in-token', {});
    await spec.app.settle();
    const pushes = page.getByRole('table', { name: 'Pushes' });
    await pushes.getByText('delivered').first().waitFor();
    const before = received;
    await pushes.getByRole('button', { name: 'Resend' }).first().click();
    await pushes.getByRole('row', { name: 'waiting' }).waitFor();
    await spec.app.settle();
    expect(received).toBe(before + 1);
    await page.getByRole('button', { name: 'Resend failed pushes' }).click();
    await page.getByRole('button', { name: 'Resend them' }).click();
    await page.getByText('0 pushes are being resent.').waitFor();
    await page.getByRole('button', { name: 'Rotate the secret' }).click();
    await page.getByRole('button', { name: 'Create a new secret' }).click();
    await page.getByRole('button', { name: 'Copy the new secret' }).waitFor();
    await page.getByRole('button', { name: 'Send a test push' }).click();
    await page.getByText(/^The test was delivered: 200/).waitFor();
    await page.getByRole('button', { name: 'Copy the new secret' }).click();
    expect(await page.evaluate('navigator.clipboard.readText()')).toMatch(/^whsec_/);
    await page.getByRole('button', { name: 'Read the feed' }).click();
    await page.getByRole('table', { name: 'Changes' }).waitFor();
    expect(await spec.console.examine('feed')).toEqual([]);
    await spec.console.pictureNarrow('feed');
  });

  it('of alarms open and resolve incidents of PagerDuty, once an endpoint is named that may get the key', async () => {
    const { page } = await open();
    await page.getByRole('button', { name: 'Add a subscription' }).click();
    const dialog = page.getByRole('dialog', { name: 'Add a subscription' });
    await dialog.getByLabel('payload').selectOption('pagerduty');
    await dialog.getByText('The service sends the key of PAGERDUTY_ROUTING_KEY.').waitFor();
    expect(await dialog.getByText('Kinds of changes').count()).toBe(0);
    expect(await spec.console.examine('pagerduty')).toEqual([]);
    await spec.console.pictureNarrow('pagerduty');
    await dialog.getByLabel('endpoint').fill('https://events.example.com/v2/enqueue');
    await dialog.getByRole('button', { name: 'Add the subscription' }).click();
    await dialog.getByText(/url must be https:\/\/events\.pagerduty\.com/).waitFor();
    // The browser itself reports the answer 400.
    expect(spec.console.troubles.splice(0).filter((trouble) => !trouble.includes('400'))).toEqual([]);
    await dialog.getByLabel('endpoint').fill(`${url}/pagerduty`);
    await dialog.getByRole('button', { name: 'Add the subscription' }).click();
    await page.getByText('Added. The secret is shown only once:').waitFor();
    pushed = [];
    await page
      .getByRole('row')
      .filter({ hasText: `${url}/pagerduty` })
      .click();
    await page.getByRole('button', { name: 'Send a test push' }).click();
    await page.getByText(/^The test was delivered: 200/).waitFor();
    expect(pushed).toMatchObject([{ routing_key: routingKey, event_action: 'trigger' }]);
    await spec.app.admin('PUT', '/token-issuance', { open: false });
    await spec.app.advance(60, 2);
    await spec.app.admin('PUT', '/token-issuance', { open: true });
    await spec.app.advance(60, 2);
    const events = (): unknown[] =>
      pushed.filter(({ dedup_key }) => String(dedup_key).endsWith('/tokens_closed')).map((one) => one['event_action']);
    await until(async () => events().length === 2);
    expect(events()).toEqual(['trigger', 'resolve']);
    expect(await page.content()).not.toContain(routingKey);
  });

  it.each([{ theme: 'light' }, { theme: 'dark' }, { theme: 'light', width: 320, height: 640 }] as const)(
    'are accessible and fit the page: %o',
    async (look) => {
      const { page } = await open(look);
      await page.getByText(/No consumer reports a position/).waitFor();
      expect(await spec.console.examine('changes')).toEqual([]);
    },
  );
});
