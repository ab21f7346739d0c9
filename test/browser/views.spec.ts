import { consoleSpec, twoPeople } from './support/console-page.js';

/** Every address that shows a view, with a heading or text that only it has. */
const views: readonly (readonly [path: string, name: string, shows: string])[] = [
  ['/', 'overview', 'To do'],
  ['/messages', 'messages', 'Groups'],
  ['/messages/poisoned', 'message', 'Show the body'],
  ['/pulls', 'pulls', ', lag '],
  ['/pulls?list=recoveries', 'recoveries', 'Recover an outage'],
  ['/pulls?list=deletions', 'deletions', 'No deletion waits'],
  ['/pulls?list=historical', 'historical', 'quote the trace'],
  ['/access-log', 'access-log', 'Log intact'],
  ['/settings', 'settings', 'UPSTREAM_TIMEOUT_MS'],
  ['/accounts', 'accounts', 'demo-user-01'],
  ['/accounts/demo-user-01', 'account', 'oura'],
  ['/accounts?list=sign_ins', 'sign-ins', 'No app installation'],
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
  ] as const)('is readable and accessible: %o', async (look) => {
    await spec.open(look);
    const faults: string[] = [];
    for (const [path, name, shows] of views) {
      await spec.console.goTo(path, shows);
      faults.push(...(await spec.console.examine(name)));
    }
    expect(faults).toEqual([]);
  });
});
