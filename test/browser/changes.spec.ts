import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { TestApp } from '../support/test-app.js';
import { type ConsolePage, consoleSpec, type Look } from './support/console-page.js';

describe('the console: changes', () => {
  let endpoint: Server;
  let url: string;
  let received = 0;

  const spec = consoleSpec(async () => {
    endpoint = createServer((request, response) => {
      received++;
      request.resume().on('end', () => response.end());
    }).listen(0);
    await once(endpoint, 'listening');
    url = `http://127.0.0.1:${(endpoint.address() as AddressInfo).port}/changes`;
    const env = {
      PUSH_SIGNING_KEYS: 'a-key-of-pushes-for-tests-only-0123456789',
      PUSH_ALLOWED_NETWORKS: '127.0.0.0/8',
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
    const adding = page.waitForRequest(
      (request) => request.method() === 'POST' && /subscriptions$/.test(request.url()),
    );
    await page.getByRole('button', { name: 'Add the subscription' }).click();
    await adding;
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
