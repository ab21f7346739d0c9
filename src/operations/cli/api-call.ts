import { rm } from 'node:fs/promises';
import { type Query, searchOf } from './admin-client.js';
import type { CommonOptions, Result, Session } from './command.js';
import { followings } from './jobs.js';
import { newFile } from './new-file.js';
import type { Job, Operation } from './operations.js';
import { follow } from './progress.js';
import { isRowList, objectLines, type Row, tableLines } from './tables.js';
import { CliFailure, wrongUsage } from './world.js';

/** Values of inputs by their names. */
export type Given = Readonly<Record<string, unknown>>;

export interface CallOptions extends CommonOptions {
  readonly csv?: true;
  readonly limit?: number;
  readonly all?: true;
  readonly out?: string;
  readonly yes?: true;
  /** False with `--no-wait`. */
  readonly wait?: boolean;
}

/** Calls an operation and shows what it returns. */
export function call(session: Session, operation: Operation, given: Given, options: CallOptions): Promise<Result> {
  if (options.csv && operation.hasCsv) return streamed(session, addressOf(operation, given));
  if (operation.answer === 'file') return saved(session, addressOf(operation, given), String(options.out));
  if (operation.answer === 'pages') return listed(session, operation, given, options);
  if (operation.job !== undefined && options.out !== undefined) {
    return intoFile(options.out, (write) => called(session, operation, given, options, write));
  }
  return called(session, operation, given, options);
}

type Write = (rows: readonly Row[]) => Promise<void>;

async function called(
  { admin, ...session }: Session,
  operation: Operation,
  given: Given,
  options: CallOptions,
  write?: Write,
): Promise<Result> {
  const { method, answer, columns, schema = '', job } = operation;
  const response = await admin.call<Row>(
    method,
    addressOf(operation, given),
    bodyOf(operation, given),
    headersOf(operation, given),
  );
  if (response === null) return { good: true, lines: ['done'], json: {} };
  if (answer === 'rows') {
    const { data, next_cursor: _, ...rest } = response;
    const result = rowsOf(data as readonly Row[], operation, given, options, session.out.isTTY === true);
    return { ...result, json: { ...result.json, ...rest } };
  }
  const dry = given['dry_run'] === true;
  if (job && !dry && options.wait !== false) return followed({ admin, ...session }, job, schema, response, write);
  const shown = dry ? { dry_run: true, ...response } : response;
  const form = { csv: options.csv, onTerminal: false };
  const lines = options.csv
    ? tableLines(
        [shown],
        columns?.filter((name) => !isRowList(shown[name])),
        form,
      )
    : objectLines(shown, dry ? undefined : columns);
  // Of a test push.
  return { good: response['delivered'] !== false, lines, json: shown };
}

/** Waits for the end of a job, then shows it with the rows below it. */
async function followed(session: Session, job: Job, schema: string, started: Row, write?: Write): Promise<Result> {
  const { admin } = session;
  const path = filled(job.path, { [job.key]: started[job.key] });
  const { progress, ended, good, query } = followings[schema] as (typeof followings)[string];
  const end = await follow<never>(session, { poll: () => admin.get<never>(path, query), progress, ended });
  if (!job.rows) return { good: good(end), lines: objectLines(end), json: end };
  const rows: Row[] = [];
  const below = filled(job.rows.path, { [job.key]: started[job.key] });
  for await (const page of admin.pages<Row>(below)) {
    if (write) await write(page);
    else rows.push(...page);
  }
  const table = tableLines(rows, job.rows.columns, { onTerminal: session.out.isTTY === true });
  const name = below.split('/').at(-1) ?? '';
  return {
    good: good(end),
    lines: [...objectLines(end), ...(rows.length === 0 ? [] : table)],
    json: { ...(end as Row), [name]: rows },
  };
}

async function listed(session: Session, operation: Operation, given: Given, options: CallOptions): Promise<Result> {
  const limit = options.all ? Number.POSITIVE_INFINITY : (options.limit ?? Number.POSITIVE_INFINITY);
  const query = { ...queryOf(operation, given), limit: String(Math.min(limit + 1, 500)) };
  const rows: Row[] = [];
  for await (const page of session.admin.pages<Row>(filled(operation.path, given), query)) {
    rows.push(...page);
    if (rows.length > limit) break;
  }
  const more = rows.length > limit;
  const result = rowsOf(rows.slice(0, limit), operation, given, options, session.out.isTTY === true);
  const note = more ? { note: `More than ${limit} rows: raise --limit, or use --all.` } : {};
  return { ...result, json: { ...result.json, more }, ...note };
}

function rowsOf(
  rows: readonly Row[],
  operation: Operation,
  given: Given,
  { csv }: CallOptions,
  onTerminal: boolean,
): Result {
  const isEmpty = rows.length === 0 && onTerminal && !csv;
  const lines = isEmpty ? [nothingIn(operation, given)] : tableLines(rows, operation.columns, { csv, onTerminal });
  return { good: true, lines, json: { data: rows } };
}

/** `no orders match`, or `no orders` if nothing was asked of them. */
function nothingIn({ id, inputs }: Operation, given: Given): string {
  const words = id.replace(/^(list|get)/, '').replaceAll(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
  const isFiltered = inputs.some(({ name, place }) => place === 'query' && given[name] !== undefined);
  return `no${words}${isFiltered ? ' match' : ''}`;
}

/** Prints each part as it arrives, because the list may not fit in memory. */
async function streamed({ admin, out, signal }: Session, address: string): Promise<Result> {
  const chunks = await admin.stream(address, signal, 'text/csv');
  const utf8 = new TextDecoder();
  try {
    for await (const chunk of chunks) out.write(utf8.decode(chunk, { stream: true }));
  } catch {
    throw new CliFailure('The list was truncated: entries are missing.', 'incomplete');
  }
  return { good: true, lines: [], json: {} };
}

async function saved({ admin, signal }: Session, address: string, path: string): Promise<Result> {
  const file = await newFile(path);
  let bytes = 0;
  try {
    for await (const chunk of await admin.stream(address, signal)) {
      await file.appendFile(chunk);
      bytes += chunk.byteLength;
    }
  } catch (error) {
    await rm(path, { force: true });
    throw error;
  } finally {
    await file.close();
  }
  return { good: true, lines: objectLines({ bytes }), json: { bytes } };
}

/** Removes an incomplete file, so that the command can be repeated with the same path. */
async function intoFile(path: string, work: (write: Write) => Promise<Result>): Promise<Result> {
  const file = await newFile(path);
  try {
    return await work(async (rows) => {
      for (const row of rows) await file.write(`${JSON.stringify(row)}\n`);
    });
  } catch (error) {
    await rm(path, { force: true });
    throw error;
  } finally {
    await file.close();
  }
}

function addressOf(operation: Operation, given: Given): string {
  return filled(operation.path, given) + searchOf(queryOf(operation, given));
}

function filled(path: string, given: Given): string {
  return path.replaceAll(/\{(\w+)\}/g, (_, name: string) => {
    const value = String(given[name]);
    // An address would resolve them, so that another route is called.
    if (value === '.' || value === '..' || value === '') throw wrongUsage(`${name} must not be empty, . or ..`);
    return encodeURIComponent(value);
  });
}

function at(place: string, { inputs }: Operation, given: Given): [string, unknown][] {
  return inputs
    .filter((input) => input.place === place && given[input.name] !== undefined)
    .map(({ name }) => [name, given[name]]);
}

function queryOf(operation: Operation, given: Given): Query {
  return Object.fromEntries(at('query', operation, given).map(([name, value]) => [name, [value].flat().join(',')]));
}

function headersOf(operation: Operation, given: Given): Readonly<Record<string, string>> {
  return Object.fromEntries(at('header', operation, given).map(([name, value]) => [name, String(value)]));
}

/** Undefined for operations without a body; a POST without fields sends an empty one. */
function bodyOf(operation: Operation, given: Given): object | undefined {
  const fields = at('body', operation, given);
  if (fields.length === 0 && operation.method !== 'POST' && !operation.inputs.some(({ place }) => place === 'body'))
    return undefined;
  return Object.fromEntries(fields);
}
