import { TestApp } from '../support/test-app.js';
import { consoleSpec } from './support/console-page.js';

describe('the console: orders', () => {
  let redraw: string;
  let critical: string;

  const spec = consoleSpec(async () => {
    const app = await TestApp.create();
    const { control } = app.sandbox;
    const { body } = await app.as<{ user_id: string }>('person', 'POST', '/me/sign-in-token', {});
    const [first, second, third] = await Promise.all(
      [0, 1, 2].map(async () => (await control.createOrder({ user_id: body.user_id })).order.id),
    );
    await control.walkOrder(first ?? '', { to: 'requisition_created' });
    redraw = (await control.redraw(first ?? '', {})).redraw.id;
    critical = second ?? '';
    await control.walkOrder(critical);
    await control.critical(critical);
    await control.walkOrder(third ?? '', { to: 'requisition_created' });
    await control.createUnmatchedResult({ order_ids: [third ?? ''] });
    await app.advance(600, 4);
    return app;
  });

  it('draw the chain of a redraw and record that the patient was told', async () => {
    const { page } = await spec.open();
    await spec.console.goTo('/orders?list=redraws');
    await page.getByText('tell the patient').waitFor();
    await page.keyboard.press('j');
    await page.keyboard.press('Enter');
    await page.locator('.chain .next').waitFor();
    expect(new URL(page.url()).pathname).toBe(`/console/orders/${redraw}`);
    expect(await page.locator('.chain li').count()).toBe(2);
    expect(await page.locator('.chain .next').innerText()).toMatch(/redraw[\s\S]*tell the patient/);
    await page.getByRole('button', { name: 'Record that the patient was told' }).click();
    await page.getByLabel('How').selectOption('in_person');
    await page.getByRole('button', { name: 'Record it' }).click();
    await page.getByText(/^Told by operator \(in person\)/).waitFor();
    expect(await page.locator('.chain .next').innerText()).toContain('book the draw');
    await spec.console.goTo('/orders?list=redraws');
    await page.getByText('No patient has to be told of a second draw.').waitFor();
  });

  it.each([{ theme: 'light' }, { theme: 'dark' }, { theme: 'light', width: 320, height: 640 }] as const)(
    'are accessible and fit the page: %o',
    async (look) => {
      const { page } = await spec.open(look);
      await spec.console.goTo('/orders');
      await page.getByRole('table', { name: 'Order transactions' }).waitFor();
      expect(await spec.console.examine('orders')).toEqual([]);
      await spec.console.goTo(`/orders/${redraw}`);
      await page.locator('.chain li').nth(1).waitFor();
      expect(await spec.console.examine('order')).toEqual([]);
      const [one, other] = await Promise.all([0, 1].map((index) => page.locator('.chain li').nth(index).boundingBox()));
      if (look.theme === 'light' && 'width' in look) expect(other?.y).toBeGreaterThan(one?.y ?? 0);
      else expect(other?.x).toBeGreaterThan(one?.x ?? 0);
      await spec.console.goTo('/orders?list=place');
      await page.getByRole('button', { name: 'Place the order' }).waitFor();
      expect(await spec.console.examine('place')).toEqual([]);
      await spec.console.goTo('/orders?list=review');
      await page.getByText('not read yet').or(page.getByText('quest')).first().waitFor();
      expect(await spec.console.examine('review')).toEqual([]);
    },
  );

  it('show a critical result when asked, and record that the patient was told', async () => {
    const { page } = await spec.open();
    await spec.console.goTo(`/orders/${critical}`);
    await page.getByText('no record says that the patient was informed', { exact: false }).waitFor();
    await page.getByRole('button', { name: 'Show the result' }).click();
    await page.getByRole('table', { name: 'Markers' }).waitFor();
    await page.getByRole('button', { name: 'Record that the patient was told' }).click();
    await page.getByRole('button', { name: 'Record it' }).click();
    await page.getByText('the patient was informed.', { exact: false }).waitFor();
  });

  it('keep the key of an order that is being placed over a reload', async () => {
    const { page } = await spec.open();
    await spec.console.goTo('/orders?list=place');
    const key = page.locator('.order-form .id code').first();
    const before = await key.getAttribute('title');
    await page.reload();
    expect(await key.getAttribute('title')).toBe(before);
  });

  it('show the content of a result to decide to readers alone', async () => {
    const { page } = await spec.open({ role: 'viewer' });
    await spec.console.goTo('/orders?list=review');
    await page.locator('[data-row]').first().click();
    await page.getByText('The content of the item is shown to people with the role reader.').waitFor();
    expect(await page.getByRole('button', { name: 'It belongs to this order' }).count()).toBe(0);
  });
});
