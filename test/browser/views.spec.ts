import { consoleSpec, pictureOf, twoPeople } from './support/console-page.js';

/** Every address that shows a view, with a heading or text that only it has. */
const views: readonly (readonly [path: string, name: string, shows: string])[] = [
  ['/', 'overview', 'To do'],
  ['/messages', 'messages', 'Groups'],
  ['/messages/poisoned', 'message', 'Show the body'],
  ['/pulls', 'pulls', ', lag '],
  ['/pulls?list=recoveries', 'recoveries', 'Recover an outage'],
  ['/pulls?list=historical&provider=none', 'historical-filtered', 'No historical pull matches these filters'],
  ['/pulls?list=deletions', 'deletions', 'No deletion waits'],
  ['/pulls?list=historical', 'historical', 'quote the trace'],
  ['/pulls?list=audits', 'audits-empty', 'No audit yet'],
  ['/access-log', 'access-log', 'Log intact'],
  ['/settings', 'settings', 'UPSTREAM_TIMEOUT_MS'],
  ['/accounts', 'accounts', 'demo-user-01'],
  ['/accounts/demo-user-01', 'account', 'oura'],
  ['/accounts?list=sources', 'sources', 'demo-user-01'],
  ['/accounts/demo-user-01?span=month', 'account-month', 'oura'],
  ['/accounts/demo-user-01?tab=proofs', 'proofs-empty', 'No compared day yet'],
  ['/changes', 'changes', 'No consumer reports'],
  ['/accounts?list=sign_ins', 'sign-ins', 'No app installation'],
  ['/accounts?list=erasures', 'erasures-empty', 'No account was erased'],
  ['/accounts/demo-user-01?tab=sources', 'account-sources', 'Fallback time zone'],
  ['/accounts/demo-user-01?tab=orders', 'account-orders', 'No lab orders'],
  ['/accounts/demo-user-01?tab=tokens', 'account-tokens', 'Issue a link token'],
  ['/orders?list=place', 'new-order', 'Place an order'],
  ['/orders', 'orders', 'Orders'],
  ['/orders?list=given_up', 'given-up', 'Every announced result'],
];

describe('every view', () => {
  const spec = consoleSpec(twoPeople);

  it.each([
    { theme: 'light', width: 1_280 },
    { theme: 'dark', width: 1_280 },
    { theme: 'light', width: 320 },
    { theme: 'light', width: 900 },
  ] as const)(
    'is readable and accessible: %o',
    async (look) => {
      await spec.open(look);
      const faults: string[] = [];
      for (const [path, name, shows] of views) {
        await spec.console.goTo(path, shows);
        faults.push(...(await spec.console.examine(name)));
      }
      expect(faults).toEqual([]);
    },
    120_000,
  );

  it('does not move while it loads at 390 pixels: a layout shift of at most 0.1', async () => {
    const { page } = await spec.open({ width: 390, height: 844 });
    await page.addInitScript(`
      window.shifts = 0;
      new PerformanceObserver((list) => {
        for (const { value, hadRecentInput } of list.getEntries()) if (!hadRecentInput) window.shifts += value;
      }).observe({ type: 'layout-shift', buffered: true });
    `);
    const moved: Record<string, number> = {};
    for (const [path, name, shows] of views) {
      await spec.console.goTo(path, shows);
      // The last frame has been laid out, and its shifts are reported.
      await page.evaluate(
        'new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(done))))',
      );
      moved[name] = Number((await page.evaluate<number>('window.shifts')).toFixed(3));
      await page.screenshot({ path: pictureOf(`${name}-light-390`), fullPage: true });
    }
    const heights = await page.evaluate(`[...document.querySelectorAll('.top')].flatMap((top) => {
      const [alarms, before] = [top.querySelector('.alarms'), top.offsetHeight];
      alarms.className = 'alarms some';
      return [before, ...['1 alarm', '4 alarms', '12 alarms'].map((text) => ((alarms.textContent = text), top.offsetHeight))];
    })`);
    expect(new Set(heights as number[]).size).toBe(1);
    process.stdout.write(`layout shifts at 390 pixels: ${JSON.stringify(moved)}\n`);
    expect(Object.entries(moved).filter(([, shift]) => shift > 0.1)).toEqual([]);
  });
});
