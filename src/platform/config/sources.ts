import { closeSync, constants, openSync, readFileSync } from 'node:fs';
import { parseEnv } from 'node:util';
import type { ConfigProblem } from './agreement.js';
import { variables } from './variables.js';

export type Environment = Readonly<Record<string, string | undefined>>;

const ENV_FILE = '.env';
const FILE_SUFFIX = '_FILE';

/** `NAME_FILE` for every secret: the value is the content of that file. */
export const fileNames: ReadonlyMap<string, string> = new Map(
  [...Object.entries(variables).flatMap(([name, { secret }]) => (secret ? [name] : [])), 'PULSEKEEP_ADMIN_KEY'].map(
    (name) => [`${name}${FILE_SUFFIX}`, name],
  ),
);

/** Secrets that are set by a file, with their values. */
export function fileBacked(environment: Environment): [name: string, text: string][] {
  return [...fileNames].flatMap(([fileName, name]): [string, string][] =>
    valueOf(environment[fileName]) === undefined ? [] : [[name, valueOf(environment[name]) ?? '']],
  );
}

/** Blank counts as unset, so that an empty line in an environment file has no effect. */
export function valueOf(text: string | undefined): string | undefined {
  const trimmed = text?.trim();
  return trimmed === '' ? undefined : trimmed;
}

/**
 * Completes the environment of the process from the `.env` of its working directory; variables of the process take
 * precedence. If the process sets a secret or its file, `.env` sets neither. A `.env` that exists but cannot be read is
 * a problem.
 */
export function withEnvFile(environment: Environment): { environment: Environment; problems: ConfigProblem[] } {
  const read = textOf(ENV_FILE);
  if (read.code === 'ENOENT') return { environment, problems: [] };
  if (read.text === undefined) return { environment, problems: [unreadable(ENV_FILE, read.code)] };
  // Some editors write a byte order mark, which would become part of the first name.
  const text = read.text.replace(/^\uFEFF/, '');
  const given: Record<string, string | undefined> = parseEnv(text);
  for (const [fileName, name] of fileNames) {
    if (environment[name] === undefined && environment[fileName] === undefined) continue;
    delete given[name];
    delete given[fileName];
  }
  const problems = cutOff(text).map((variable) => ({
    variable,
    problem: `has a # in its value in ${ENV_FILE}, which starts a comment: put the value in quotation marks`,
  }));
  return { environment: { ...given, ...environment }, problems };
}

/** Our variables whose value in an environment file is cut off at a # inside a word. */
function cutOff(text: string): string[] {
  const lines = text.matchAll(/^[ \t]*(?:export[ \t]+)?(\w+)[ \t]*=[ \t]*[^\s"'`#][^#\n]*(?<=\S)#/gm);
  return Array.from(lines, ([, name = '']) => name).filter((name) => Object.hasOwn(variables, name));
}

/**
 * Replaces each `NAME_FILE` by the content of its file. Problems never contain the path. `again` is false only for the
 * first read; later, a pipe without a writer counts as an empty file instead of being waited for.
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
      return decoded(readFileSync(file));
    } finally {
      closeSync(file);
    }
  } catch (error) {
    return { code: (error as NodeJS.ErrnoException).code ?? 'unknown' };
  }
}

/** Windows writes UTF-16 with a byte order mark. Other bytes would become a secret that no one has. */
function decoded(bytes: Buffer): { text?: string; code?: string } {
  const encoding =
    bytes[0] === 0xff && bytes[1] === 0xfe ? 'utf-16le' : bytes[0] === 0xfe && bytes[1] === 0xff ? 'utf-16be' : 'utf-8';
  try {
    const text = new TextDecoder(encoding, { fatal: true }).decode(bytes);
    return text.includes('\0') ? { code: NOT_TEXT } : { text };
  } catch {
    return { code: NOT_TEXT };
  }
}

/** Code of a file whose bytes are no text. */
const NOT_TEXT = 'not UTF-8';

function unreadable(variable: string, code = 'unknown'): ConfigProblem {
  const problem = variable === ENV_FILE ? 'exists but cannot be read' : 'names a file that cannot be read';
  return { variable, problem: `${problem} (${code})` };
}
