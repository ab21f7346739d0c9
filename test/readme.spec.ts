import { existsSync, readFileSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';
import type { Command } from 'commander';
import { Runner } from '../src/operations/cli/command.js';
import { program } from '../src/operations/cli/program.js';
import type { CliWorld } from '../src/operations/cli/world.js';
import { SystemClock } from '../src/platform/platform/clock.js';

const root = resolve('.');
const read = (path: string): string => readFileSync(join(root, path), 'utf8');
const contributing = read('CONTRIBUTING.md');

/** The text from a heading to the next one of its level. */
function section(heading: string): string {
  const start = contributing.indexOf(`\n## ${heading}\n`);
  const end = contributing.indexOf('\n## ', start + 1);
  return start < 0 ? '' : contributing.slice(start, end < 0 ? undefined : end);
}

function importsOf(path: string): string[] {
  return [...read(path).matchAll(/from '(\.{1,2}\/[^']+)\.js'/g)].map((match) =>
    relative(root, resolve(root, path, '..', `${match[1]}.ts`)),
  );
}

describe('the way of a webhook in CONTRIBUTING.md', () => {
  const [before = [], after = []] = (section('The way of a webhook').split('```')[1] ?? '')
    .split(/^ +-+ committed, then 204$/m)
    .map((part) => [...part.matchAll(/^([a-z]\S+) {2,}\S/gm)].map((match) => `src/${match[1]}.ts`));
  const files = [...before, ...after];

  it('names files that exist, each once', () => {
    expect(before.length).toBeGreaterThan(0);
    expect(after.length).toBeGreaterThan(0);
    expect(files.filter((path) => !existsSync(join(root, path)))).toEqual([]);
    expect(new Set(files).size).toBe(files.length);
  });

  it('leads from file to file by their imports', () => {
    const unreached = files.filter((path, index) => {
      return index > 0 && !files.slice(0, index).some((earlier) => importsOf(earlier).includes(path));
    });
    expect(unreached).toEqual([]);
  });

  it('passes at most four files before the 204 and twelve after it', () => {
    expect(before.length).toBeLessThanOrEqual(4);
    expect(after.length).toBeLessThanOrEqual(12);
  });
});

describe('the commands of operators in docs/operations.md', () => {
  const unneeded = (): never => {
    throw new Error('Listing the commands needs nothing of the process.');
  };
  const world: CliWorld = {
    out: process.stdout,
    err: process.stderr,
    clock: new SystemClock(),
    operatorKey: unneeded,
    startLocal: unneeded,
    entities: unneeded,
    views: unneeded,
    daily: unneeded,
    configuration: unneeded,
    database: unneeded,
    onInterrupt: unneeded,
  };
  const [, table = ''] = read('docs/operations.md').split(/^#+ Commands\n/m);
  const documented = [...(table.split(/^#/m)[0] ?? '').matchAll(/^\| `([^`]+)` \|/gm)].map((match) => String(match[1]));

  /** Full name of every command that does something. */
  function leaves(command: Command, prefix: readonly string[] = []): Map<string, Command> {
    const own = command.commands.filter((child) => child.name() !== 'help');
    return new Map(
      own.flatMap((child) => {
        const name = [...prefix, child.name()];
        return child.commands.length > 0 ? [...leaves(child, name)] : [[name.join(' '), child] as const];
      }),
    );
  }

  /** Of every command that uses the admin API; the text above the table has them. */
  const common = [
    ...['--url', '--key-file', '--insecure-http', '--access-reason', '--verbose', '--json'],
    ...['--limit', '--all', '--csv', '--no-wait'],
  ];
  const commands = leaves(program(new Runner(world), world));
  const nameOf = (row: string): string => (/^[a-z][a-z-]*(?: [a-z][a-z-]*)*(?= |$)/.exec(row)?.[0] ?? '').trim();

  it('are of the program, and all that need no running service', () => {
    const names = documented.map(nameOf);
    expect(names.filter((name) => !commands.has(name))).toEqual([]);
    const local = [...commands].filter(([, { options }]) => !options.some(({ long }) => long === '--url'));
    expect(local.length).toBeGreaterThan(5);
    expect(local.map(([name]) => name).filter((name) => !names.includes(name))).toEqual([]);
  });

  it.each(documented)('have the options and arguments of `%s`', (row) => {
    const command = commands.get(nameOf(row));
    const flags = command?.options.map(({ long }) => String(long)) ?? [];
    const named = [...row.matchAll(/--[a-z-]+/g)].map(([flag]) => flag);
    expect(named.filter((flag) => !flags.includes(flag))).toEqual([]);
    // Filters of a list are in its --help.
    const needed = flags.includes('--all') || flags.includes('--csv') ? [] : flags;
    expect(needed.filter((flag) => !named.includes(flag) && !common.includes(flag))).toEqual([]);
    const positional = row.slice(nameOf(row).length).replace(/\[--.*?\]|--[a-z-]+ [A-Z]+|--[a-z-]+/g, '');
    expect(command?.registeredArguments.length).toBe((positional.match(/[A-Z_]+/g) ?? []).length);
  });
});
