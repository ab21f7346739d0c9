import { newAccountId } from '../support/environment.js';
import { TestApp } from '../support/test-app.js';

interface Entry {
  at: string;
  kind: string;
  title: string;
  ref: { type: string; id: string };
  details: Record<string, unknown>;
}

interface Link {
  link_token: string;
  link_attempt_id: string;
}

describe('the timeline of a person, as an operator reads it', () => {
  let app: TestApp;
  let account_id: string;

  beforeEach(async () => {
    app = await TestApp.create();
    account_id = newAccountId();
  });

  afterEach(() => app.close());

  const timeline = async (query = ''): Promise<Entry[]> => {
    const path = `/accounts/${account_id}/timeline?limit=500&${query}`;
    return (await app.admin<{ data: Entry[] }>('GET', path, undefined, 'viewer')).body.data;
  };
  const attempts = async (): Promise<unknown[]> =>
    (await app.admin<{ data: unknown[] }>('GET', `/link-attempts?account_id=${account_id}`, undefined, 'viewer')).body
      .data;
  const begin = async (): Promise<Link> => {
    const redirect_url = 'https://app.example.com/linked';
    return (await app.as<Link>(account_id, 'POST', '/me/link-token', { redirect_url, on_error: 'redirect' })).body;
  };
  const tell = (link_attempt_id: string, told: object): Promise<unknown> =>
    app.as(account_id, 'POST', '/me/link-outcomes', { link_attempt_id, ...told });

  it('shows the first login, a failed link, success, history, an order and an act of an operator', async () => {
    const login = await app.as<{ user_id: string; sign_in_token: string }>(account_id, 'POST', '/me/sign-in-token', {
      installation_id: 'phone-1',
    });
    await app.advance(60);
    const failed = await begin();
    const sent = await app.sandbox.control.link({
      link_token: failed.link_token,
      provider: 'oura',
      outcome: 'provider_credential_error',
    });
    const redirected = new URL(sent.redirect_to ?? '').searchParams;
    await tell(redirected.get('link_attempt_id') ?? '', {
      outcome: redirected.get('state'),
      error_type: redirected.get('error_type'),
      source: 'redirect',
    });
    await app.advance(60);
    const second = await begin();
    await app.advance(30);
    const history = { days: 20, per_day: 4 };
    await app.sandbox.control.link({ link_token: second.link_token, provider: 'oura', history });
    await app.settle();
    await app.advance(900, 10);
    const { user_id } = login.body;
    const { order } = await app.sandbox.control.createOrder({ user_id });
    await app.advance(60);
    await app.sandbox.control.redraw(order.id);
    await app.advance(60);
    await app.admin('POST', `/accounts/${account_id}/sync`, { resources: ['sleep'] });
    await app.advance(60);
    await app.sandbox.control.breakConnection({ user_id, provider: 'oura', error_type: 'token_refresh_failed' });
    await app.advance(60);

    const story = (await timeline()).reverse();
    const told = story.map(({ kind, title }) => `${kind}: ${title.replace(/\d+ records?/, 'N records')}`);
    const inOrder = [
      'account_created: The account was created.',
      'account_linked: The account was linked to an upstream user.',
      'sign_in_token: A sign-in token was issued.',
      'link_token: A link token was requested.',
      'link_outcome: A link attempt failed.',
      'link_token: A link token was requested.',
      'message: The message provider.connection.created arrived.',
      'link_outcome: A link attempt succeeded.',
      'connection: Oura was connected.',
      'history_pull: Oura sleep: upstream pulled the history.',
      'pull_requested: Oura sleep: a pull was requested.',
      'pull_done: Oura sleep pulled: N records.',
      'order: A lab order was placed.',
      'order: A redraw order was placed.',
      'operator_act: An operator started an action.',
      'operator_act: An action by an operator was completed.',
      'connection: Oura stopped working and must be reconnected.',
    ];
    expect(subsequence(inOrder, told)).toEqual(inOrder);
    expect(story.filter(({ kind }) => kind === 'pull_failed' || kind === 'message_given_up')).toEqual([]);

    const outcomes = (await timeline('kind=link_outcome')).map(({ ref, details }) => ({ id: ref.id, ...details }));
    expect(outcomes).toEqual([
      {
        id: second.link_attempt_id,
        outcome: 'success',
        outcome_source: 'connection',
        confirmed: true,
        error_type: null,
        connected_provider: 'oura',
      },
      {
        id: failed.link_attempt_id,
        outcome: 'error',
        outcome_source: 'redirect',
        confirmed: false,
        error_type: 'provider_credential_error',
        connected_provider: null,
      },
    ]);
    const acts = await timeline('kind=operator_act');
    expect(acts.map(({ details }) => [details['action'], details['status']])).toEqual([
      ['POST /admin/v1/accounts/:account_id/sync', 202],
      ['POST /admin/v1/accounts/:account_id/sync', 102],
    ]);
    const written = JSON.stringify(story);
    for (const secret of [login.body.sign_in_token, failed.link_token, second.link_token]) {
      expect(written).not.toContain(secret);
    }
  });

  it.each([
    ['the event before the report', false, ['event', 'report']],
    ['the report before the event', false, ['report', 'event']],
    ['the report alone, and upstream asked because of it', true, ['report']],
  ])('ends a link in the same way with %s', async (_, isLost, order) => {
    await app.sandbox.control.configureWebhooks({ paused: true });
    if (isLost) await app.sandbox.control.fault({ kind: 'lose' });
    const { link_token, link_attempt_id } = await begin();
    await app.sandbox.control.link({ link_token, provider: 'oura' });
    for (const one of order) {
      if (one === 'event') await app.sandbox.control.configureWebhooks({ paused: false });
      else await tell(link_attempt_id, { outcome: 'success' });
      if (one === 'event') await app.settle();
    }
    await app.settle();
    const ended = { state: 'success', confirmed: true, outcome_source: 'connection', connected_provider: 'oura' };
    expect(await attempts()).toMatchObject([{ link_attempt_id, ...ended }]);
    expect((await timeline('kind=connection')).map(({ details }) => details['status'])).toEqual(['connected']);
    const metrics = (await app.call<string>('GET', '/metrics')).body;
    expect(metrics).toContain('pulsekeep_link_outcomes_total{outcome="success",source="connection"} 1');
    const { messages } = await app.sandbox.control.messages({ event_type: 'provider.connection.created' });
    expect(messages[0]?.state).toBe(isLost ? 'lost' : 'delivered');
  });
});

/** The lines of `wanted` that are found in `told` in their order. */
function subsequence(wanted: readonly string[], told: readonly string[]): string[] {
  let at = -1;
  return wanted.filter((line) => {
    const found = told.indexOf(line, at + 1);
    if (found >= 0) at = found;
    return found >= 0;
  });
}
