import { execFileSync, spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Writable } from 'node:stream';
import type { OpenAPIObject } from '@nestjs/swagger';
import type { Command } from 'commander';
import { operations as clientOperations, type Operations } from '../../../clients/typescript/src/api.js';
import { Runner } from '../../../src/operations/cli/command.js';
import { adminApi } from '../../../src/operations/cli/operations.js';
import { program, runCli } from '../../../src/operations/cli/program.js';
import { CliFailure, type CliWorld } from '../../../src/operations/cli/world.js';
import { SystemClock } from '../../../src/platform/platform/clock.js';

const nowhere = 'http://127.0.0.1:9';
const verify = ['access-log', 'verify'];

/** The program without a process around it: nothing that is asked wrongly gets as far as to need one. */
async function run(
  args: readonly string[],
  world: Partial<CliWorld> = {},
): Promise<{ code: number; out: string; err: string }> {
  const said = { out: '', err: '' };
  const unneeded = (): never => {
    throw new Error('Wrong usage needs nothing of the process.');
  };
  const stream = (name: 'out' | 'err'): Writable =>
    new Writable({ write: (text: Buffer, _, done) => ((said[name] += text.toString()), done()) });
  const code = await runCli(args, {
    out: stream('out'),
    err: stream('err'),
    clock: new SystemClock(),
    operatorKey: () => undefined,
    startLocal: unneeded,
    entities: unneeded,
    views: unneeded,
    daily: unneeded,
    configuration: unneeded,
    database: unneeded,
    onInterrupt: () => () => undefined,
    ...world,
  });
  return { code, ...said };
}

const unneededWorld = (): never => {
  throw new Error('Listing the commands needs nothing of the process.');
};

/** Name and command of everything that can be run. */
function commandsOf(command: Command, prefix: readonly string[] = []): [string, Command][] {
  const own = command.commands.filter((child) => child.name() !== 'help');
  return own.flatMap((child): [string, Command][] => {
    const name = [...prefix, child.name()];
    return child.commands.length > 0 ? commandsOf(child, name) : [[name.join(' '), child]];
  });
}

/** The options without which a command does not run. */
function givenFor({ options }: Command): string[] {
  const needed = options.filter(({ mandatory }) => mandatory);
  return needed.flatMap(({ long, argChoices, flags }) => [
    String(long),
    argChoices?.[0] ?? (flags.includes('<json>') ? '[]' : flags.includes('<number>') ? '6' : '2026-11-01'),
  ]);
}

const world = {
  out: process.stdout,
  err: process.stderr,
  clock: new SystemClock(),
  operatorKey: unneededWorld,
  startLocal: unneededWorld,
  entities: unneededWorld,
  views: unneededWorld,
  daily: unneededWorld,
  configuration: unneededWorld,
  database: unneededWorld,
  onInterrupt: unneededWorld,
};

describe('every command', () => {
  const commands = commandsOf(program(new Runner(world), world));

  it.each(commands)('explains itself, prints JSON and refuses unknown options: %s', async (name, command) => {
    expect(command.options.map(({ long }) => long)).toContain('--json');
    const help = await run([...name.split(' '), '--help']);
    expect([help.code, help.err]).toEqual([0, '']);
    expect(help.out).toContain(`Usage: pulsekeep ${name}`);
    expect(command.description()).not.toBe('');
    const wrong = await run([...name.split(' '), ...givenFor(command), '--no-such-option']);
    expect([wrong.code, wrong.out]).toEqual([2, '']);
    expect(wrong.err).toContain('--no-such-option');
  });

  it.each(commands.filter(([, { options }]) => options.some(({ long }) => long === '--csv')))(
    'prints JSON or CSV, not both: %s',
    async (name, command) => {
      const args = command.registeredArguments.filter(({ required }) => required).map(() => 'x');
      const { code, err } = await run([...name.split(' '), ...args, ...givenFor(command), '--csv', '--json']);
      expect([code, err]).toEqual([2, expect.stringContaining('--json')]);
    },
  );
});

describe('a noun alone', () => {
  const nouns = program(new Runner(world), world).commands.filter(({ commands }) => commands.length > 0);

  it('shows its commands if it has no list, also with options of theirs', async () => {
    for (const noun of ['sync', 'inbox', 'labs', 'changes', 'keys', 'analytics', 'dataset', 'database']) {
      expect(nouns.map((each) => each.name())).toContain(noun);
      const { code, err } = await run([noun, '--url', nowhere]);
      expect([code, err]).toEqual([2, expect.stringMatching(`^Usage: pulsekeep ${noun} `)]);
    }
  });

  it('is its list, not another command that reads one thing', async () => {
    for (const noun of ['alarms', 'audit', 'messages', 'orders', 'subscriptions']) {
      const { code, err } = await run([noun, '--url', 'ftp://nowhere']);
      expect([code, err]).toEqual([2, '--url must be http://HOST:PORT or https://HOST, without credentials.\n']);
    }
  });

  it('names one operation once in its help', async () => {
    const { out } = await run(['audit', '--help']);
    expect(out).toMatch(/^ +list /m);
    expect(out).not.toMatch(/list-audits|sign-audit-report/);
    const { out: accounts } = await run(['accounts', '--help']);
    expect(accounts).not.toContain('start-account-import');
    expect(accounts).toContain('list-link-attempts');
  });
});

it.each(['2026-11-31', '2026-11-01T00:00:00Z', 'yesterday'])('a day is no time: %s', async (text) => {
  const { code, err } = await run(['explain', 'a', '--day', text]);
  expect([code, err]).toEqual([2, expect.stringContaining('It must be a date as YYYY-MM-DD.')]);
});

describe('the commands that the console shows', () => {
  const document = JSON.parse(readFileSync('openapi.json', 'utf8')) as OpenAPIObject;
  const called = Object.entries(clientOperations).map(([name, { method, path }]) => {
    return [name, document.paths[path]?.[method.toLowerCase() as 'get']] as const;
  });
  const { operations } = adminApi();
  const times = ['from', 'to', 'start', 'end', 'window-start', 'window-end'];
  let commands: typeof import('../../../console/lib/commands.js');
  let runbook: typeof import('../../../console/lib/runbook.js');

  beforeAll(async () => {
    // The rules of the console are compiled beside it (test/support/build.mjs).
    const rules = '../../../console-rules/lib';
    commands = await import(`${rules}/commands.js`);
    runbook = await import(`${rules}/runbook.js`);
  });

  /** As a shell divides a line without escapes; throws what the program does. */
  function parse(line: string): void {
    const words = [...line.matchAll(/'([^']*)'|(\S+)/g)].map(([, quoted, plain]) => quoted ?? plain ?? '');
    const err = new Writable({ write: (_text, _, done) => done() });
    const cli = program(new Runner(world), { ...world, err });
    for (const [, command] of commandsOf(cli)) command.action(() => undefined);
    expect(words.shift()).toBe('pulsekeep');
    cli.parse(words, { from: 'user' });
  }

  /** Names of the parameters and of the fields of the body. */
  function inputsOf(name: string): string[] {
    const { parameters = [], requestBody } = new Map(called).get(name) ?? {};
    const schema = JSON.stringify(requestBody ?? '').match(/#\/components\/schemas\/(\w+)/)?.[1];
    const { properties = {} } = (document.components?.schemas?.[schema ?? ''] ?? {}) as { properties?: object };
    return [...parameters.flatMap((one) => ('name' in one ? [one.name] : [])), ...Object.keys(properties)];
  }

  it('are calls of the OpenAPI document', () => {
    expect(called.filter(([, operation]) => !operation).map(([name]) => name)).toEqual([]);
  });

  it('parse with all of their options, each an input of the call', () => {
    for (const [name, { values = [], options = {} }] of Object.entries(commands.commandLines)) {
      const inputs = operations.find(({ id }) => id === name)?.inputs ?? [];
      const sample = (key: string, option: string | readonly unknown[]): unknown => {
        if (typeof option !== 'string') return option[1];
        const input = inputs.find((one) => one.name === key);
        if (input?.choices) return input.choices[0];
        if (input?.kind === 'number') return 7;
        if (input?.kind === 'day' || input?.kind === 'time') return '2026-11-01';
        return times.includes(option) ? '2026-11-01T10:00:00Z' : 'more words';
      };
      const given = Object.fromEntries([
        ...values.map((key) => [key, 'one'] as const),
        ...Object.entries(options).map(([key, option]) => [key, sample(key, option)] as const),
      ]);
      expect([name, Object.keys(given).filter((key) => !inputsOf(name).includes(key))]).toEqual([name, []]);
      const line = commands.pulsekeepOf(name as keyof Operations, { query: given } as never);
      expect(() => parse(String(line))).not.toThrow();
      const more = { query: { ...given, other: 1 } } as never;
      expect(commands.pulsekeepOf(name as keyof Operations, more)).toBeUndefined();
    }
  });

  it('parse in the runbook, whose sections the alarms show', () => {
    const names = program(new Runner(world), world).commands.map((command) => command.name());
    const lines = [...runbook.remediesOf(readFileSync('docs/runbook.md', 'utf8')).values()]
      .flatMap((remedies) => remedies.flatMap(({ text }) => runbook.pieces(text)))
      .filter(({ text, isCode }) => isCode && text.includes(' '))
      .map(({ text }) => text.replace(/^(npm run cli -- |pulsekeep )/, '').replaceAll(/<\w+>/g, '2026-11-01T10:00:00Z'))
      .filter((text) => names.includes(text.split(' ')[0] ?? '') && text !== 'sync recover');
    expect(lines).toContain('sync recover --from 2026-11-01T10:00:00Z --to 2026-11-01T10:00:00Z');
    const wrong = lines.flatMap((line) => {
      try {
        parse(`pulsekeep ${line}`);
        return [];
      } catch (error) {
        return [`${line}: ${(error as Error).message}`];
      }
    });
    expect(wrong).toEqual([]);
  });

  it('parse in every document', () => {
    const documents = execFileSync('git', ['ls-files', '*.md'], { encoding: 'utf8' })
      .split('\n')
      .filter((path) => path !== '' && !/^docs\/(?:upstream|decisions)\/|CHANGELOG/.test(path));
    const lines = documents.flatMap((path) => {
      const text = readFileSync(path, 'utf8');
      const blocks = [...text.matchAll(/```(?:sh|bash)\n([\s\S]*?)```/g)].flatMap(([, block = '']) =>
        block.split('\n'),
      );
      return blocks.flatMap((line) => {
        const [, args] = /^\s*(?:\S+=\S+ )*(?:npx pulsekeep|pulsekeep|npm run cli --) ([^#>|]+)/.exec(line) ?? [];
        return args === undefined ? [] : [args.trim().replaceAll(/"?\$URL"?/g, nowhere)];
      });
    });
    expect(lines.length).toBeGreaterThan(10);
    const wrong = lines.flatMap((line) => {
      try {
        parse(`pulsekeep ${line}`);
        return [];
      } catch (error) {
        return [`${line}: ${(error as Error).message}`];
      }
    });
    expect(wrong).toEqual([]);
  });
});

describe('the command line', () => {
  it.each([
    ['an unknown command', ['dance']],
    ['no command', []],
    ['half a command', ['sync']],
    ['an unknown option', [...verify, '--fast']],
    ['a time that is none', ['sync', 'run', '--start', 'yesterday', '--url', nowhere]],
    ['a missing option', ['sync', 'recover', '--from', '2026-11-01']],
    ['an address that is none', [...verify, '--url', 'localhost']],
    ['an address with a password', [...verify, '--url', 'http://ops:marked@127.0.0.1:9']],
    ['an address without a key', [...verify, '--url', nowhere]],
    ['a replay of nothing in particular', ['inbox', 'replay']],
    ['one message and a reason', ['inbox', 'replay', '--message', 'msg_1', '--reason', 'unknown_user']],
    ['one message and a filter', ['inbox', 'replay', '--message', 'msg_1', '--status', 'dead']],
    ['a reason that is none', [...verify, '--access-reason', 'Grüße']],
    ['half of a noted entry', [...verify, '--seq', '4']],
    ['a backup to nowhere', ['backup']],
    ['a telling of nothing', ['orders', 'tell', '--how', 'phone']],
    ['a telling of two things', ['orders', 'tell', '--how', 'phone', '--order', 'a', '--transaction', 'b']],
    ['a way to tell that is none', ['orders', 'tell', '--how', 'shout', '--order', 'a']],
    ['a command of orders that is none', ['orders', 'dance']],
    ['an unknown option of orders', ['orders', '--fast']],
    ['a day of nobody', ['explain', '--day', '2026-11-01']],
  ])('ends with 2 for %s', async (_, args) => {
    const { code, out, err } = await run(args);
    expect(code).toBe(2);
    expect(out).toBe('');
    expect(err).not.toBe('');
    expect(err).not.toContain('marked');
  });

  it.each([
    ['--url', [...verify, '--url', 'http://ops:marked@127.0.0.1:9']],
    ['--url without a scheme', [...verify, '--url', 'ops:marked@127.0.0.1']],
    ['--url of doctor', ['doctor', '--url', 'https://localhost?key=marked']],
    ['--to', ['database', 'copy', '--to', 'postgres://ops:mar/ked@x y:marked@h:p/db']],
    ['an option with another name', [...verify, '--ulr=http://ops:marked@127.0.0.1:9']],
    ['an option of the program', ['--ulr=http://ops:marked@127.0.0.1:9', 'doctor']],
    ['a command that is none', ['http://ops:marked@127.0.0.1:9']],
    ['a command of a group that is none', ['orders', 'https://127.0.0.1?key=marked']],
    ['an argument too many', [...verify, 'http://ops:marked@127.0.0.1:9']],
  ])('does not repeat the address of %s', async (_, args) => {
    for (const given of [args, [...args, '--json']]) {
      const { code, out, err } = await run(given);
      expect([code, err]).toEqual([2, expect.stringMatching(/./)]);
      expect(`${out}${err}`).not.toContain('marked');
    }
  });

  it.each([
    ['an unknown command', ['dance', '--json']],
    ['an unknown option', [...verify, '--fast', '--json']],
    ['a replay of nothing in particular', ['inbox', 'replay', '--json']],
  ])('prints one JSON object for %s with --json', async (_, args) => {
    const { code, out, err } = await run(args);
    expect([code, JSON.parse(out)]).toEqual([2, { error: { code: 'wrong_usage', message: expect.any(String) } }]);
    expect(err).not.toBe('');
  });

  it('says that --url calls a running service where the configuration is not that of one', async () => {
    const startLocal = async (): Promise<never> => {
      throw new CliFailure('UPSTREAM_REGION is required', 'bad_configuration');
    };
    const { code, err } = await run(['alarms', 'list'], { startLocal });
    expect([code, err]).toEqual([
      1,
      'UPSTREAM_REGION is required\nTo call a running service instead, name it with --url.\n',
    ]);
  });

  it('names the nearest command for a name that a noun does not have', async () => {
    const { code, err } = await run(['accounts', 'shwo', 'someone']);
    expect([code, err]).toEqual([2, expect.stringContaining("accounts has no command 'shwo'; did you mean show?")]);
    expect((await run(['alarms', 'zzz'])).err).toContain("alarms has no command 'zzz'. See: pulsekeep alarms --help");
  });

  it('is installed as pulsekeep, which reports a missing build', () => {
    const { bin } = JSON.parse(readFileSync('package.json', 'utf8')) as { bin: Record<string, string> };
    expect(Object.keys(bin)).toEqual(['pulsekeep']);
    const folder = mkdtempSync(join(tmpdir(), 'pulsekeep-'));
    const copy = join(folder, 'scripts', 'pulsekeep.mjs');
    cpSync(String(bin['pulsekeep']), copy);
    const { status, stderr, stdout } = spawnSync(copy, ['--help'], { encoding: 'utf8' });
    rmSync(folder, { recursive: true });
    expect([status, stderr, stdout]).toEqual([1, 'This copy is not built yet: npm run build\n', '']);
  });

  it('explains itself', async () => {
    const { code, out } = await run(['--help']);
    expect(code).toBe(0);
    for (const word of ['accounts', 'sync', 'inbox', 'access-log', 'backup', 'restore']) expect(out).toContain(word);
  });
});
