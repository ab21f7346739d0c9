import { closeSync, constants, openSync, readFileSync } from 'node:fs';
import { parseEnv } from 'node:util';
import type { ConfigProblem } from './agreement.js';
import { variables } from './variables.js';

export type Environment = Readonly<Record<string, string | undefined>>;

const ENV_FILE = '.env';
const FILE_SUFFIX = '_FILE';

/** `NAME_FILE` for every secret: the value is what the file holds. */
export const fileNames: ReadonlyMap<string, string> = new Map(
  [...Object.entries(variables).flatMap(([name, { secret }]) => (secret ? [name] : [])), 'PULSEKEEP_ADMIN_KEY'].map(
    (name) => [`${name}${FILE_SUFFIX}`, name],
  ),
);

/** The secrets that have a file, and what the environment says of each. */
export function fileBacked(environment: Environment): [name: string, text: string][] {
  return [...fileNames].flatMap(([fileName, name]): [string, string][] =>
    valueOf(environment[fileName]) === undefined ? [] : [[name, valueOf(environment[name]) ?? '']],
  );
}

/** Blank counts as unset, so that a line left empty in an environment file means what it looks like. */
export function valueOf(text: string | undefined): string | undefined {
  const trimmed = text?.trim();
  return trimmed === '' ? undefined : trimmed;
}

/**
 * The `.env` of the working directory under the environment of the process, whose variables win. A secret and its file
 * are one thing in that: whoever sets one of the two in the process means neither of the file. A `.env` that is there
 * and cannot be read is a problem.
 */
export function withEnvFile(environment: Environment): { environment: Environment; problems: ConfigProblem[] } {
  const read = textOf(ENV_FILE);
  if (read.code === 'ENOENT') return { environment, problems: [] };
  if (read.text === undefined) return { environment, problems: [unreadable(ENV_FILE, read.code)] };
  // Some editors begin a file with a byte order mark, which would be part of the first name.
  const text = read.text.replace(/^\uFEFF/, '');
  const given: Record<string, string | undefined> = parseEnv(text);
  for (const [fileName, name] of fileNames) {
    if (environment[name] === undefined && environment[fileName] === undefined) continue;
    delete given[name];
    delete given[fileName];
  }
  const problems = cutOff(text).map((variable) => ({
    variable,
    problem: `has a # in its value in ${ENV_FILE}, where a comment begins: put the value in quotation marks`,
  }));
  return { environment: { ...given, ...environment }, problems };
}

/** Names of ours whose values in an environment file end before a # that is part of a word. */
function cutOff(text: string): string[] {
  const lines = text.matchAll(/^[ \t]*(?:export[ \t]+)?(\w+)[ \t]*=[ \t]*[^\s"'`#][^#\n]*(?<=\S)#/gm);
  return Array.from(lines, ([, name = '']) => name).filter((name) => Object.hasOwn(variables, name));
}

/**
 * Puts the content of every file that is named in the place of its secret. Problems never hold the path. `again`: not
 * for the first time, so a pipe without a writer is an empty file and is not waited for.
 */
export function withSecretFiles(
  environment: Environment,
  { again = false } = {},
): { environment: Environment; problems: ConfigProblem[] } {
  const filled: Record<string, string | undefined> = { ...environment };
  const problems: ConfigProblem[] = [];
  for (const [fileName, name] of fileNames) {
    const path = valueOf(environment[fileName]);
    if (path === undefined) continue;
    if (valueOf(environment[name]) !== undefined) {
      problems.push({ variable: fileName, problem: `and ${name} must not both be set` });
      continue;
    }
    const read = textOf(path, again ? constants.O_RDONLY | (constants.O_NONBLOCK ?? 0) : constants.O_RDONLY);
    filled[name] = read.text;
    if (read.text === undefined) problems.push(unreadable(fileName, read.code));
    else if (valueOf(read.text) === undefined) problems.push({ variable: fileName, problem: 'names an empty file' });
  }
  return { environment: filled, problems };
}

function textOf(path: string, flag: number = constants.O_RDONLY): { text?: string; code?: string } {
  try {
    const file = openSync(path, flag);
    try {
      return { text: readFileSync(file, 'utf8') };
    } finally {
      closeSync(file);
    }
  } catch (error) {
    return { code: (error as NodeJS.ErrnoException).code ?? 'unknown' };
  }
}

function unreadable(variable: string, code = 'unknown'): ConfigProblem {
  const problem = variable === ENV_FILE ? 'is there but cannot be read' : 'names a file that cannot be read';
  return { variable, problem: `${problem} (${code})` };
}
