import { Agent } from 'node:http';
import type { OpenAPIObject } from '@nestjs/swagger';
import { ask, type Seen } from '../../chaos/fuzz/judge.js';
import { Rng } from '../../sandbox/engine/random.js';
import type { Marks } from '../faults/canary/support/marks.js';
import { Story } from '../faults/canary/support/story.js';
import { adminKeys } from '../support/environment.js';
import { amount, seed } from './support/amount.js';
import { type Attack, attacks, type Caller, routesOf } from './support/attacks.js';

/** In `npm test`; `npm run test:security` sends all of them. */
const FEW = 1_500;
const AT_ONCE = 8;

/** Statuses with which a caller who may not is refused, besides 401 and 403 by what else is wrong with a request. */
const refusals = [400, 401, 403, 404, 405, 413, 414, 415, 417, 431];
/** Answers of 500 and more that say what is so: the simulated upstream is asked by those who may. */
const told = ['upstream_unavailable', 'upstream_rejected', 'tokens_closed'];

describe(`routes x callers x tricks, seed ${seed}`, () => {
  const story = new Story();
  const agent = new Agent({ keepAlive: true, maxSockets: AT_ONCE });
  let all: Attack[];

  beforeAll(async () => {
    await story.begin();
    await story.signsUp();
    await story.measures();
    await story.app.advance(7_200, 4);
    expect(await story.orders()).toBe(201);
    await story.resultsCome();
    const document = (await story.app.call<OpenAPIObject>('GET', '/openapi.json')).body;
    const roles = Object.entries(adminKeys).map(([as, token]) => ({ name: as, as, token }) as Caller);
    const callers: Caller[] = [
      { name: 'nobody', as: 'nobody', token: undefined },
      { name: 'a wrong key', as: 'nobody', token: 'wrong-key' },
      { name: 'the app of another person', as: 'app', token: await story.app.appToken('attacker') },
      ...roles,
    ];
    all = attacks(routesOf(document), callers, {
      account_id: story.account,
      order_id: story.orderId,
      id: story.transactionId,
      resource: 'heartrate',
    });
  });

  afterAll(async () => {
    agent.destroy();
    await story.close();
  });

  /** What a caller may not see: operators may know who somebody is, and those who may read values see them. */
  function hidden({ as }: Caller, isAdmitted: boolean): Marks[] {
    const { secrets, names } = story;
    if (as === 'nobody' || as === 'app' || as === 'monitor') return [secrets, names];
    return as === 'viewer' || !isAdmitted ? [secrets] : [];
  }

  /** What is wrong with an answer; never a value. */
  function faultsOf({ name, caller, isAdmitted }: Attack, seen: Seen | string): string[] {
    if (typeof seen === 'string') return seen.includes('ECONNRESET') ? [] : [`${name} ${seen}`];
    const { status, text } = seen;
    const faults: string[] = [];
    const code = /"code":"(\w+)"/.exec(text)?.[1] ?? '';
    if (status >= 500 && !told.includes(code)) faults.push(`answered ${status} ${code}`);
    if (!isAdmitted && !refusals.includes(status)) faults.push(`not refused but answered ${status}`);
    if (status >= 300 && status < 400 && status !== 304) faults.push(`sent elsewhere (${status})`);
    if (/node_modules|\.[jt]s:\d+|SQLITE_|SELECT .* FROM/.test(text)) faults.push('shows its inside');
    for (const kind of hidden(caller, isAdmitted).flatMap((each) => each.in(text))) faults.push(`shows ${kind}`);
    return faults.map((fault) => `${name}: ${fault}`);
  }

  async function send(chosen: readonly Attack[]): Promise<{ faults: string[]; statuses: Record<number, number> }> {
    const faults: string[] = [];
    const statuses: Record<number, number> = {};
    let next = 0;
    const one = async (): Promise<void> => {
      for (let attack = chosen[next++]; attack; attack = chosen[next++]) {
        // Quotas come back.
        story.app.clock.advance(1);
        const seen = await ask(story.app.url, attack.request, agent);
        faults.push(...faultsOf(attack, seen));
        const status = typeof seen === 'string' ? 0 : seen.status;
        statuses[status] = (statuses[status] ?? 0) + 1;
      }
    };
    await Promise.all(Array.from({ length: AT_ONCE }, one));
    return { faults, statuses };
  }

  /** Everything there is of the person, as an operator reads it. */
  async function person(): Promise<unknown> {
    const paths = [
      `/accounts/${story.account}/records/heartrate`,
      `/accounts/${story.account}/records/sleep`,
      '/erasures',
    ];
    const answers = await Promise.all(paths.map((path) => story.app.admin('GET', path)));
    const { body: order } = await story.app.admin('GET', `/orders/${story.orderId}`);
    const { body: account } = await story.app.admin('GET', `/accounts/${story.account}`);
    const { body: issuance } = await story.app.admin('GET', '/token-issuance');
    return [answers.map(({ status, body }) => [status, body]), order['status'], account['status'], issuance];
  }

  it('are refused, show no data of others, and change nothing of a person', async () => {
    const before = await person();
    expect(await story.watched.leaks()).toEqual([]);
    expect(all.length).toBeGreaterThan(15_000);
    const chosen = new Rng(seed, 'attacks').shuffle(all).slice(0, amount(FEW, all.length));
    const { faults, statuses } = await send(chosen);
    expect([...new Set(faults)].slice(0, 20)).toEqual([]);
    expect([200, 400, 401, 403, 404].filter((status) => statuses[status] === undefined)).toEqual([]);
    expect(statuses[429]).toBeUndefined();
    expect(await person()).toEqual(before);
    expect((await story.watched.leaks()).slice(0, 20)).toEqual([]);
    expect((await story.app.call('GET', '/livez')).status).toBe(200);
    process.stdout.write(`${chosen.length} of ${all.length} attacks, seed ${seed}: ${JSON.stringify(statuses)}\n`);
  });
});
