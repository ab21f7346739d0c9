import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { Writable } from 'node:stream';
import type { OpenAPIObject } from '@nestjs/swagger';
import type { Command } from 'commander';
import { alarmActions } from '../../../src/operations/alarms/alarm-actions.js';
import { aliases, byHand, confirmations } from '../../../src/operations/cli/aliases.js';
import { addApiCommands, asCommand, verbOf } from '../../../src/operations/cli/api-commands.js';
import { Runner } from '../../../src/operations/cli/command.js';
import { followings } from '../../../src/operations/cli/jobs.js';
import { adminApi, type Document } from '../../../src/operations/cli/operations.js';
import { program, runCli } from '../../../src/operations/cli/program.js';
import type { CliWorld } from '../../../src/operations/cli/world.js';
import { Secret } from '../../../src/platform/config/secret.js';
import { SystemClock } from '../../../src/platform/platform/clock.js';
import { adminKeys, nowhere } from '../../support/environment.js';
import { TestApp } from '../../support/test-app.js';

const unneeded = (): never => {
  throw new Error('This needs nothing of the process.');
};

const said = { out: '', err: '' };
const stream = (name: 'out' | 'err'): Writable =>
  new Writable({ write: (text: Buffer, _, done) => ((said[name] += text.toString()), done()) });
const world: CliWorld = {
  out: Object.assign(stream('out'), { isTTY: true }),
  err: stream('err'),
  clock: new SystemClock(),
  operatorKey: () => new Secret(adminKeys.operator),
  startLocal: unneeded,
  entities: unneeded,
  views: unneeded,
  daily: unneeded,
  configuration: unneeded,
  database: unneeded,
  onInterrupt: () => () => undefined,
};

function find(cli: Command, name: string): Command | undefined {
  return name
    .split(' ')
    .reduce<Command | undefined>((at, word) => at?.commands.find((child) => child.name() === word), cli);
}

describe('the commands of admin routes', () => {
  const document = JSON.parse(readFileSync('openapi.json', 'utf8')) as OpenAPIObject & Document;
  const api = adminApi();
  const cli = program(new Runner(world), world);

  it('are one for every route, by its tag and operation id, or a command by hand', () => {
    const ids = Object.entries(document.paths)
      .filter(([path]) => path.startsWith('/admin/v1/'))
      .flatMap(([, methods]) => Object.values(methods).map(({ operationId }) => operationId));
    expect(ids.length).toBeGreaterThan(100);
    expect(api.operations.map(({ id }) => id)).toEqual(ids);
    const without = api.operations.filter((operation) => {
      return !find(cli, byHand[operation.id] ?? `${operation.tag} ${verbOf(operation)}`);
    });
    expect(without.map(({ id }) => id)).toEqual([]);
    const names = api.operations.map((operation) => `${operation.tag} ${verbOf(operation)}`);
    expect(new Set(names).size).toBe(names.length);
  });

  it('include each that an alarm names, with its options', () => {
    const unknown = Object.values(alarmActions).flatMap(({ command }) => {
      if (command === null) return [];
      const [name = '', ...words] = command.split(' ');
      const isWord = (word: string): boolean => /^[a-z][a-z-]*$/.test(word);
      const end = words.findIndex((word) => !isWord(word));
      const verbs = end < 0 ? words : words.slice(0, end);
      const options = words.filter((word) => word.startsWith('--'));
      const found = find(cli, verbs.join(' '));
      const isKnown = name === 'pulsekeep' && options.every((each) => found?.options.some(({ long }) => long === each));
      return found && isKnown ? [] : [command];
    });
    expect(unknown).toEqual([]);
  });

  it.each([
    ['POST /admin/v1/orders/o-1/notified', 'pulsekeep orders notify-of-critical-results o-1 --how phone'],
    ['POST /admin/v1/order-transactions/t-1/notified', 'pulsekeep orders notify-of-redraw t-1 --how phone'],
    ['GET /admin/v1/unmatched-results/u-1', 'pulsekeep orders get-unmatched-result u-1'],
    ['GET /admin/v1/orders/o-1/result', 'pulsekeep orders get-order-result o-1'],
    ['POST /admin/v1/orders/o-1/no-such-route', 'POST /admin/v1/orders/o-1/no-such-route'],
  ])('stand in a list for people where the route has a request: %s', (request, command) => {
    expect(asCommand(`chase  ${request}`, api)).toBe(`chase  ${command}`);
  });

  it('have an option or argument for every input of a route', () => {
    const lacking = api.operations
      .filter(({ id }) => byHand[id] === undefined)
      .flatMap((operation) => {
        const command = find(cli, `${operation.tag} ${verbOf(operation)}`);
        const given = (command?.registeredArguments.length ?? 0) + (command?.options.length ?? 0);
        return given - operation.inputs.length < 6 ? [operation.id] : [];
      });
    expect(lacking).toEqual([]);
  });

  it('are there for a new route at once', () => {
    const [path = '', methods] =
      Object.entries(document.paths).find(([, { get }]) => get?.operationId === 'listOrders') ?? [];
    const added = { ...methods?.get, operationId: 'listTrampolines', tags: ['gymnastics'] } as never;
    const more = { ...document, paths: { ...document.paths, [`${path}/trampolines`]: { get: added } } };
    const bare = program(new Runner(world), world).createCommand('pulsekeep');
    addApiCommands(bare, new Runner(world), adminApi(more));
    expect(find(bare, 'gymnastics list-trampolines')?.options.map(({ long }) => long)).toContain('--order-transaction');
  });

  it('name only operations, inputs and columns that exist', () => {
    const ids = new Set(api.operations.map(({ id }) => id));
    const named = [...aliases.flatMap(({ of }) => of), ...Object.keys(byHand), ...Object.keys(confirmations)];
    expect(named.filter((id) => !ids.has(id))).toEqual([]);
    const inputs = new Set(api.operations.flatMap((operation) => operation.inputs.map(({ name }) => name)));
    const used = aliases.flatMap(({ arguments: given = [], options = {}, fixed = {} }) => [
      ...given,
      ...Object.keys(options),
      ...Object.keys(fixed),
    ]);
    expect(used.filter((name) => !inputs.has(name))).toEqual([]);
    const schemas = JSON.stringify(document.components.schemas);
    const columns = api.operations.flatMap((operation) => operation.columns ?? []).flatMap((path) => path.split('.'));
    expect(columns.length).toBeGreaterThan(50);
    expect(columns.filter((name) => !schemas.includes(`"${name}":`))).toEqual([]);
  });

  it('follow every job', () => {
    const jobs = api.operations.filter(({ job }) => job);
    expect(jobs.map(({ id }) => id).sort()).toEqual(
      ['eraseAccount', 'replayMessage', 'replayMessages', 'startAccountImport', 'startAudit', 'startRecovery'].sort(),
    );
    expect(jobs.filter(({ schema }) => !followings[schema ?? '']).map(({ id }) => id)).toEqual([]);
  });

  describe('for people', () => {
    let app: TestApp;

    beforeAll(async () => {
      app = await TestApp.create({ upstream: { url: nowhere } });
    });

    afterAll(() => app.close());

    const run = async (...args: string[]) => {
      Object.assign(said, { out: '', err: '' });
      const code = await runCli([...args, '--url', app.url], world);
      return { code, ...said };
    };

    it('say that nothing matches', async () => {
      expect(await run('orders', '--critical')).toEqual({ code: 0, out: 'no orders match\n', err: '' });
      expect((await run('orders', 'list-parsing-jobs')).out).toBe('no parsing jobs\n');
      expect((await run('orders', '--json')).out).toBe('{"data":[],"more":false}\n');
    });

    it('have a heading and aligned columns', async () => {
      await run('accounts', 'set-token-issuance', '--open');
      const { out } = await run('access-log', 'list', '--limit', '1');
      expect(out).toMatch(/^at +actor +action +status +account_id .+ reason\n\d{4}-\S+ +operator +[A-Z]+ \/admin/);
      expect((await run('access-log', '--all')).out.split('\n').length).toBeGreaterThan(3);
    });

    it('change and show single things, and answer nothing with done', async () => {
      const closed = await run('accounts', 'set-token-issuance', '--open', 'false');
      expect([closed.code, closed.out]).toEqual([0, expect.stringMatching(/^open +false\n/)]);
      expect((await run('accounts', 'set-token-issuance', '--open', '--json')).out).toContain('"open":true');
      const { out } = await run('console', 'create-session', '--json');
      const { session_id } = JSON.parse(out) as { session_id: string };
      expect((await run('console', 'end-session', session_id)).out).toBe('done\n');
    });

    it.each(['.', '..', ''])('refuse the path value "%s", which would lead to another route', async (value) => {
      expect((await run('accounts', 'disconnect', 'somebody', value)).code).toBe(2);
    });

    it('refuse what is not a number or JSON before anything is sent', async () => {
      expect((await run('orders', 'get-order-result', 'a', '--order-version', 'x')).code).toBe(2);
      expect((await run('access-log', 'list', '--account-ref', 'x')).err).toContain('must be a number');
      expect(
        (await run('accounts', 'change-source-priorities', '--data-type', 'sleep', '--sources', '{')).err,
      ).toContain('must be JSON');
    });

    it('send null for null', async () => {
      const change = ['accounts', 'change-source-priorities', '--data-type', 'sleep', '--sources'];
      const decided = async (sources: string): Promise<unknown> => {
        const { data } = JSON.parse((await run(...change, sources, '--json')).out) as { data: object[] };
        return data.find((each) => 'data_type' in each && each.data_type === 'sleep');
      };
      expect(await decided('[{"provider":"oura","type":null}]')).toMatchObject({ decided_by: 'operator' });
      expect(await decided('null')).toMatchObject({ decided_by: 'default' });
    });

    it('name only conditions that select where a selection is missing', async () => {
      const { code, err } = await run('inbox', 'replay', '--dry-run');
      expect([code, err]).toEqual([2, expect.stringMatching(/^error: select with --message, .*--to\n/)]);
    });
  });
});

describe('a new key', () => {
  const run = async (...args: string[]) => {
    Object.assign(said, { out: '', err: '' });
    const code = await runCli(['keys', 'create', ...args], world);
    return { code, ...said };
  };

  it('comes with the entry by which the service knows it', async () => {
    const { code, out, err } = await run('ci', 'backend', '--json');
    const { key, entry } = JSON.parse(out) as { key: string; entry: string };
    expect([code, err]).toEqual([0, expect.stringContaining('ADMIN_API_KEYS')]);
    expect(entry).toBe(`ci:backend:${createHash('sha256').update(key).digest('hex')}`);
    expect((await run('ci', 'backend')).out).toMatch(/^key {4}[0-9a-f]{64}\nentry {2}ci:backend:[0-9a-f]{64}\n$/);
  });

  it.each([
    ['ci', 'chief'],
    ['two words', 'operator'],
    ['cli', 'operator'],
  ])('is refused for %s as %s', async (name, role) => {
    const err = expect.stringContaining(`ADMIN_API_KEYS would not take ${name}:${role}: it must`);
    expect(await run(name, role)).toEqual({ code: 2, out: '', err });
  });
});
