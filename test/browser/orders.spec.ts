import type { Page } from 'playwright-core';
import type { ResultDto } from '../../src/labs/results/results.dto.js';
import { placedUpstream } from '../support/ordering.js';
import { TestApp } from '../support/test-app.js';
import { until } from '../support/until.js';
import { consoleSpec, pictureOf } from './support/console-page.js';

describe('the console: orders', () => {
  let redraw: string;
  let critical: string;
  let third: string;
  let lost: string;

  const spec = consoleSpec(async () => {
    const app = await TestApp.create();
    const { control } = app.sandbox;
    const { body } = await app.as<{ user_id: string }>('person', 'POST', '/me/sign-in-token', {});
    const [first, second, last] = await Promise.all(
      [0, 1, 2].map(async () => (await control.createOrder({ user_id: body.user_id })).order.id),
    );
    await control.walkOrder(first ?? '', { to: 'requisition_created' });
    redraw = (await control.redraw(first ?? '', {})).redraw.id;
    critical = second ?? '';
    third = last ?? '';
    await control.walkOrder(critical);
    await control.critical(critical);
    await control.walkOrder(third, { to: 'requisition_created' });
    await control.createUnmatchedResult({ order_ids: [third] });
    lost = (await control.createOrder({ user_id: body.user_id })).order.id;
    await control.walkOrder(lost, { to: 'sample_error' });
    await app.advance(600, 4);
    await app.store.lane.run(async (tx) => {
      const sql = `INSERT INTO parsing_jobs (job_id, account_id, status, content, first_seen_at, observed_at, due_at, error_code)
        SELECT ?, id, ?, '{}', ?, ?, NULL, ? FROM accounts LIMIT 1`;
      const now = app.clock.now();
      for (const [id, status, error] of [
        ['report-1', 'completed', null],
        ['report-2', 'started', 'not_found'],
      ])
        await tx.execute(sql, [id ?? '', status ?? '', now, now, error ?? null]);
    });
    return app;
  });

  it('are listed by what somebody must do, most urgent first, each with where it is done', async () => {
    for (const [width, name] of [
      [1_280, 'work'],
      [390, 'work-narrow'],
    ] as const) {
      const { page } = await spec.open({ width });
      await spec.console.goTo('/orders?list=work');
      const work = page.getByRole('table', { name: 'What to do' });
      const acts = work.getByRole('link', { name: /^(Notify patient|Decide)$/ });
      await acts.nth(2).waitFor();
      expect(await acts.allInnerTexts()).toEqual(['Notify patient', 'Notify patient', 'Decide']);
      expect(await spec.console.examine(name)).toEqual([]);
      await acts.first().click();
      await page.getByRole('heading', { name: `Order ${critical}` }).waitFor();
      await page.goBack();
      await page.getByLabel('kind').selectOption('decide');
      await until(async () => (await acts.count()) === 1);
      await acts.click();
      await page.getByText('Attach to this order').waitFor();
      await page.getByRole('link', { name: 'everything to do' }).click();
      await acts.nth(2).waitFor();
      await spec.console.close();
    }
  });

  it('have a list of lab reports with their states and what to do', async () => {
    const { page } = await spec.open({ width: 1_280 });
    await spec.console.goTo('/orders?list=reports');
    const reports = page.getByRole('table', { name: 'Lab reports' });
    await reports.getByText('Ask upstream, or upload it again').waitFor();
    await reports.getByText('parsed', { exact: true }).waitFor();
    expect(await spec.console.examine('reports')).toEqual([]);
    await spec.console.pictureNarrow('reports');
    await page.getByLabel('end').selectOption('given up');
    await until(async () => (await reports.getByText('parsed', { exact: true }).count()) === 0);
  });

  it('record that a lost sample was replaced, which takes it off the list', async () => {
    const { page } = await spec.open();
    await spec.console.goTo('/orders?list=work&kind=replace');
    await page.getByRole('link', { name: 'Order again' }).waitFor();
    await spec.console.goTo(`/orders/${lost}`);
    await page.getByRole('button', { name: 'Record that it was replaced' }).click();
    await page.getByRole('button', { name: 'Record it' }).click();
    await page.getByText(/^Replacement recorded by operator/).waitFor();
    await spec.console.goTo('/orders?list=work&kind=replace');
    await page.getByText('Nothing about lab orders waits for a person.').waitFor();
  });

  it('draw the chain of a redraw and record that the patient was told', async () => {
    const { page } = await spec.open();
    await spec.console.goTo('/orders?list=redraws');
    await page.getByText('Notify patient').waitFor();
    await page.keyboard.press('j');
    await page.keyboard.press('Enter');
    await page.locator('.chain .next').waitFor();
    expect(new URL(page.url()).pathname).toBe(`/console/orders/${redraw}`);
    expect(await page.locator('.chain li').count()).toBe(2);
    expect(await page.locator('.chain .next').innerText()).toMatch(/redraw[\s\S]*Notify patient/);
    await page.getByRole('button', { name: 'Record that the patient was informed' }).click();
    await page.getByLabel('How').selectOption('in_person');
    await page.getByRole('button', { name: 'Record it' }).click();
    await page.getByText(/^Informed by operator \(in person\)/).waitFor();
    expect(await page.locator('.chain .next').innerText()).toContain('Book appointment');
    await spec.console.goTo('/orders?list=redraws');
    await page.getByText('No patient has to be informed of a second draw.').waitFor();
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

  it('offer the documents of an order, and say why there is none', async () => {
    const { page } = await spec.open();
    await spec.console.goTo(`/orders/${third}`);
    const saved = page.waitForEvent('download');
    await page.getByRole('button', { name: 'Requisition' }).click();
    expect((await saved).suggestedFilename()).toBe('requisition.pdf');
    await page.getByRole('button', { name: 'Advance beneficiary notice' }).click();
    await page.getByText('only orders with has_abn have one', { exact: false }).waitFor();
    await page.screenshot({ path: pictureOf('order-documents'), fullPage: true });
    spec.console.troubles.length = 0;
  });

  it.each(['none', 'c0ffee00-0000-4000-8000-000000000000'])('report that an order is unknown: %s', async (id) => {
    const { page } = await spec.open();
    await spec.console.goTo(`/orders/${id}`);
    await page.getByText('No order or transaction has this id.').waitFor();
    expect(await page.getByRole('button', { name: 'Try again' }).count()).toBe(0);
    spec.console.troubles.length = 0;
  });

  it('report that upstream no longer has an order, and when it was last seen there', async () => {
    const gone = `INSERT INTO due_reads (kind, scope, subject_id, requested_at, due_at, attempts, error_code)
      VALUES ('order', 'order', ?, 0, NULL, 1, 'not_found')`;
    await spec.app.store.lane.run((tx) => tx.execute(gone, [third]));
    const { page } = await spec.open();
    await spec.console.goTo(`/orders/${third}`);
    await page.getByText('none: upstream no longer has this order').waitFor();
    expect(await page.locator('.order-facts').innerText()).toMatch(/last seen upstream\s+\d+ \w+/i);
    await spec.app.store.lane.run((tx) => tx.execute('DELETE FROM due_reads'));
  });

  it('show a critical result on request, and record once that the patient was told, even from another tab', async () => {
    const { page } = await spec.open();
    await spec.console.goTo(`/orders/${critical}`);
    const isUntold = { hasText: 'no record shows that the patient was informed' };
    await page.locator('.notice', isUntold).waitFor();
    const [other, paused] = [await page.context().newPage(), await page.context().newPage()];
    for (const tab of [other, paused]) {
      await tab.goto(page.url());
      await tab.locator('.notice', isUntold).waitFor();
    }
    await paused.getByRole('button', { name: 'Live updates: on' }).click();
    await page.getByRole('button', { name: 'Show the result' }).click();
    await page.getByRole('table', { name: 'Markers' }).waitFor();
    await page.getByRole('button', { name: 'Record that the patient was informed' }).click();
    const sending = page.waitForRequest((request) => request.method() === 'POST');
    await page.getByRole('button', { name: 'Record it' }).click();
    // Of what the page shows, so that a critical value which arrives meanwhile stays on the list.
    expect((await sending).postDataJSON()).toEqual({ how: 'phone', result_version: 1 });
    await page.getByText('the patient was informed.', { exact: false }).waitFor();
    await other.getByText('the patient was informed.', { exact: false }).waitFor();
    await paused.getByRole('button', { name: 'Record that the patient was informed' }).click();
    await paused.getByLabel('How').selectOption('letter');
    await paused.getByRole('button', { name: 'Record it' }).click();
    await paused.getByText(/^operator had recorded it before \(phone, /).waitFor();
    await paused.getByText(/^Informed by operator \(phone\)/).waitFor();
  });

  it('compare the versions of a result only once both have been read', async () => {
    const { page } = await spec.open();
    const read = await spec.app.admin<ResultDto>('GET', `/orders/${critical}/result`, undefined, 'reader');
    const [marker] = read.body.results as unknown as readonly Record<string, unknown>[];
    const [latest] = read.body.versions;
    const versions = [1, 2, 3].map((version) => ({ ...latest, version }));
    let release = (): void => undefined;
    const held = new Promise<void>((resolve) => (release = resolve));
    await page.route(/\/result(\?|$)/, async (route) => {
      const version = Number(new URL(route.request().url()).searchParams.get('version') ?? 3);
      if (version === 1) await held;
      const results = [{ ...marker, result: `${version}0.5`, value: version * 10.5 }];
      await route.fulfill({ json: { ...read.body, version, versions, results } });
    });
    await spec.console.goTo(`/orders/${critical}`);
    await page.getByRole('button', { name: 'Show the result' }).click();
    const markers = page.getByRole('table', { name: 'Markers' });
    await markers.getByText(/^was 20.5/).waitFor();
    await page.getByRole('table', { name: 'Versions of the result' }).getByRole('row', { name: /^2/ }).click();
    await markers.getByText('20.5').waitFor();
    expect(await markers.getByText('the same').count()).toBe(0);
    release();
    await markers.getByText(/^was 10.5/).waitFor();
  });

  /** Lets requests of a path reach the service and loses the answers; returns their idempotency keys so far. */
  async function loseAnswers(page: Page, path: string): Promise<string[]> {
    const keys: string[] = [];
    await page.route(`**${path}`, async (route) => {
      if (route.request().method() !== 'POST') return route.continue();
      keys.push(route.request().headers()['idempotency-key'] ?? 'none');
      await route.fetch();
      await route.abort().catch(() => undefined);
    });
    return keys;
  }

  it('are placed, booked and cancelled once each, even if responses are lost and buttons pressed twice', async () => {
    const { app } = spec;
    const { control } = app.sandbox;
    const { page } = await spec.open();
    await spec.console.goTo('/orders?list=place');
    const key = page.locator('.order-form .id code').first();
    const before = await key.getAttribute('title');
    await page.reload();
    expect(await key.getAttribute('title')).toBe(before);

    const { orders } = await placedUpstream(control);
    await fillIn(page);
    const submit = page.getByRole('button', { name: 'Place the order' });
    const placing = await loseAnswers(page, '/admin/v1/orders/place');
    await submit.dblclick();
    await page.getByText('the key are kept, so retrying is safe', { exact: false }).waitFor();
    await page.unroute('**/admin/v1/orders/place');
    await submit.click();
    await page.getByText('The order was placed earlier, with the same key.').waitFor();
    expect(new Set(placing)).toEqual(new Set([before]));
    expect((await placedUpstream(control)).orders).toBe(orders + 1);

    const opened = page.getByRole('link', { name: /^Open order/ });
    const orderId = ((await opened.getAttribute('href')) ?? '').split('/').at(-1) ?? '';
    await control.walkOrder(orderId, { to: 'requisition_created' });
    await app.settle();
    await opened.click();
    await page.getByRole('button', { name: 'Book an appointment' }).click();
    await page.getByLabel('zip code').fill('10001');
    await page.getByRole('button', { name: 'Search slots' }).click();
    const slot = page.getByRole('button', { name: 'Book', exact: true }).first();
    const booking = await loseAnswers(page, '/appointment');
    await slot.dblclick();
    await page.getByText('Retrying the same slot never books it twice.').waitFor();
    await page.unroute('**/appointment');
    await slot.click();
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await page.getByRole('table', { name: 'Appointments' }).getByText('confirmed').waitFor();
    expect(new Set(booking).size).toBe(1);
    const { messages } = await control.messages({ event_type: 'labtest.appointment.created' });
    expect(messages).toHaveLength(1);

    const cancel = page.getByRole('dialog').getByRole('button', { name: 'Cancel the appointment' });
    const asked = '**/labs/cancellation-reasons';
    await page.route(asked, (route) =>
      route.fulfill({
        status: 502,
        contentType: 'application/problem+json',
        json: { code: 'upstream_contract', detail: 'No.' },
      }),
    );
    await page.getByRole('button', { name: 'Cancel the appointment' }).click();
    await page.getByText('The reasons cannot be read, so nothing can be cancelled now.').waitFor();
    await page.unroute(asked);
    await page.route(asked, (route) => route.fulfill({ json: { data: [] } }));
    await page.getByRole('dialog').getByRole('button', { name: 'Try again' }).click();
    await until(() => cancel.isEnabled());
    await page.route('**/appointment', (route) => route.abort());
    await cancel.click();
    await page.getByRole('dialog').getByText('It may still have taken effect').waitFor();
    await page.unroute('**/appointment');
    await page.unroute(asked);
    await page.reload();
    await page.getByRole('button', { name: 'Cancel the appointment' }).click();
    const reasons = page.getByLabel(/^Reason/);
    await reasons.locator('option').nth(1).waitFor({ state: 'attached' });
    await reasons.selectOption({ index: 1 });
    await page.getByRole('dialog').getByRole('button', { name: 'Cancel the appointment' }).click();
    await page.getByRole('table', { name: 'Appointments' }).getByText('cancelled').first().waitFor();
    await page.getByRole('button', { name: 'Cancel the order' }).click();
    await page.getByLabel(/to confirm/).fill(orderId);
    await page.getByRole('dialog').getByRole('button', { name: 'Cancel the order' }).click();
    await page.getByText(/^Cancelled\./).waitFor();
    // The next order is another one.
    await spec.console.goTo('/orders?list=place');
    expect(await key.getAttribute('title')).not.toBe(before);
    // The browser itself reports the answers that were lost.
    expect(spec.console.troubles.splice(0).filter((trouble) => !/ERR_FAILED|502/.test(trouble))).toEqual([]);
  });

  async function fillIn(page: Page): Promise<void> {
    const fields = {
      ...{ account_id: 'person', first_name: 'Ada', last_name: 'Sample', dob: '1980-02-03' },
      ...{ phone_number: '+10000000000', email: 'ada@sandbox.example', first_line: '1 Street', city: 'New York' },
      ...{ state: 'NY', zip: '10001', country: 'US' },
    };
    for (const [name, value] of Object.entries(fields)) {
      await page.locator(`.order-form [name=${name}]`).first().fill(value);
    }
    await page.getByLabel('gender').selectOption('female');
    await page.getByLabel('lab test').selectOption({ label: await nameOfWalkIn(page) });
  }

  it('are placed with a new key if the input was changed after an unknown outcome', async () => {
    const { control } = spec.app.sandbox;
    const { page } = await spec.open();
    await spec.console.goTo('/orders?list=place');
    const { orders } = await placedUpstream(control);
    await fillIn(page);
    const submit = page.getByRole('button', { name: 'Place the order' });
    const keys = await loseAnswers(page, '/admin/v1/orders/place');
    await submit.click();
    await page.getByText('the key are kept, so retrying is safe', { exact: false }).waitFor();
    await page.unroute('**/admin/v1/orders/place');
    await page.locator('.order-form [name=zip]').fill('10002');
    await submit.click();
    await page.getByText('An order may have been placed with this key already', { exact: false }).waitFor();
    expect(await spec.console.examine('spent-key')).toEqual([]);
    await page.getByRole('button', { name: 'Use a new key' }).click();
    expect(keys).not.toContain(await page.locator('.order-form .id code').first().getAttribute('title'));
    await submit.click();
    await page.getByText('The order was placed.').waitFor();
    expect((await placedUpstream(control)).orders).toBe(orders + 2);
    expect(spec.console.troubles.splice(0).filter((trouble) => !/ERR_FAILED|422/.test(trouble))).toEqual([]);
  });

  async function nameOfWalkIn(page: Page): Promise<string> {
    const options = page.getByLabel('lab test').locator('option', { hasText: 'walk in test' });
    await options.first().waitFor({ state: 'attached' });
    return options.first().innerText();
  }

  it('are listed by the alarm about withdrawn results', async () => {
    const read = () => spec.app.admin('GET', `/orders/${critical}/result`, undefined, 'reader');
    expect((await read()).status).toBe(200);
    await spec.app.sandbox.control.setResult(critical, { withdrawn: true });
    expect((await read()).body).toMatchObject({ status: 'withdrawn' });
    await spec.app.advance(60);
    const { page } = await spec.open();
    await page.getByRole('link', { name: 'Withdrawn results' }).first().click();
    await page.getByRole('row', { name: new RegExp(critical.slice(0, 8)) }).waitFor();
    expect(await spec.console.examine('withdrawn')).toEqual([]);
    await spec.console.pictureNarrow('withdrawn');
  });

  it('are paired with their person if they were placed elsewhere', async () => {
    const { page } = await spec.open();
    await spec.console.goTo('/orders?list=place');
    const form = page.locator('form', { has: page.getByRole('button', { name: 'Register the order' }) });
    await form.getByLabel('account').fill('person');
    await form.getByLabel('order id').fill(critical);
    await form.getByRole('button', { name: 'Register the order' }).click();
    await form.getByRole('link', { name: 'Open the order' }).click();
    await page.getByRole('heading', { name: `Order ${critical}` }).waitFor();
  });

  it('show the content of an unmatched result to readers alone, and attach it to the chosen order', async () => {
    const { page } = await spec.open({ role: 'viewer' });
    await spec.console.goTo('/orders?list=review');
    await page.locator('[data-row]').first().click();
    await page.getByText('The content of the item requires the role reader.').waitFor();
    expect(await page.getByRole('button', { name: 'Attach to this order' }).count()).toBe(0);
    await spec.console.close();

    const operator = (await spec.open()).page;
    await spec.console.goTo('/orders?list=review');
    await operator.locator('[data-row]').first().click();
    await operator.getByRole('button', { name: 'Attach to this order' }).waitFor();
    expect(await spec.console.examine('review-open')).toEqual([]);
    await spec.console.pictureNarrow('review-open');
    await operator.getByRole('button', { name: 'Attach to this order' }).click();
    await operator.getByLabel(/to confirm/).fill(third);
    await operator.getByRole('button', { name: 'Attach it to the order of person' }).click();
    await operator.getByRole('dialog').waitFor({ state: 'detached' });
    await operator.getByText('No result waits for a decision', { exact: false }).waitFor();
  });
});
