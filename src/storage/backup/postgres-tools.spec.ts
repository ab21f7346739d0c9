import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { libpqAddress } from './postgres-tools.js';

describe('an address for libpq', () => {
  let folder: string;
  let passfile: string;

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'pulsekeep-address-'));
    passfile = join(folder, 'passfile');
  });

  afterEach(() => rmSync(folder, { recursive: true }));

  const query = (given: string): string =>
    new URL(libpqAddress(`postgres://keep@db.test/keep?${given}`, passfile)).search;

  it.each([
    ['sslmode=no-verify', '?sslmode=require'],
    ['uselibpqcompat=true&sslmode=disable', '?sslmode=disable'],
    ['ssl=true', '?sslmode=require'],
    ['ssl=false', '?sslmode=disable'],
    ['ssl=false&sslmode=verify-full', '?sslmode=verify-full'],
    ['pgbouncer=true&connection_limit=5&schema=public&pool_timeout=3', ''],
    [
      'channel_binding=prefer&target_session_attrs=read-write',
      '?channel_binding=prefer&target_session_attrs=read-write',
    ],
    ['options=-c%20search_path%3Dkeep%2Bmore', '?options=-c%20search_path%3Dkeep%2Bmore'],
    ['host=%2Fvar%2Frun%2Fpostgresql', '?host=%2Fvar%2Frun%2Fpostgresql'],
  ])('%s is %s', (given, expected) => {
    expect(query(given)).toBe(expected);
  });

  it.each([
    ['before the host', 'postgres://keep:s%3Acret%5C@db.test:5433/keep'],
    ['in the query', 'postgres://keep@db.test:5433/keep?password=s%3Acret%5C'],
  ])('has no password %s; a file readable only by its owner has it', (_, url) => {
    const address = libpqAddress(url, passfile);
    expect(address).toBe(`postgres://keep@db.test:5433/keep?passfile=${encodeURIComponent(passfile)}`);
    expect(readFileSync(passfile, 'utf8')).toBe('*:*:*:*:s\\:cret\\\\\n');
    expect(statSync(passfile).mode & 0o777).toBe(0o600);
  });
});
