import { createHash } from 'node:crypto';

/** What a caller could act with is shown as its name; what belongs to a process or a machine has one fixed value. */
const placeholders: Readonly<Record<string, string | number>> = {
  sign_in_token: 'SIGN_IN_TOKEN',
  link_token: 'LINK_TOKEN',
  link_web_url: 'https://link.example.com/?token=LINK_TOKEN',
  booking_key: 'BOOKING_KEY',
  checkpoint: 'CHECKPOINT',
  public_key: 'PUBLIC_KEY',
  account_ref: 'ZsJbU0xkZcUgbjOlbmeqIg',
  secret: 'SIGNING_SECRET',
  instance: 'c4f802bc',
  node: '24.11.0',
  free_bytes: 41_000_000_000,
};

/** Longest list in an example. */
const MOST = 2;

/** What this service makes at random: uuids, references in logs, hashes, cursors of the change feed. */
const random =
  /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}|\ba_[0-9a-f]{16}\b|\b[0-9a-f]{64}\b|\b[0-9a-f]{12}-[0-9a-z]+-[0-9a-z]+\b|(?<="account_ref":")[\w-]{22}/g;
/** Endpoints of the walk, which have a free port. */
const here = /(http:\/\/)?127\.0\.0\.1:\d+/g;

/**
 * Bodies as they go into the document: the same in every run, lists short, tokens and keys replaced. A random text
 * becomes one that depends on the place where it first stood, so that a new call in between changes no other example.
 */
export class Stable {
  private readonly known = new Map<string, string>();

  of(value: unknown, at: string): unknown {
    if (typeof value === 'string') return this.text(value, at);
    if (Array.isArray(value)) return value.slice(0, MOST).map((each, index) => this.of(each, `${at}[${index}]`));
    if (typeof value !== 'object' || value === null) return value;
    return Object.fromEntries(
      Object.entries(value).map(([name, held]) => {
        const placeholder = held !== null && typeof held === typeof placeholders[name] ? placeholders[name] : undefined;
        return [this.text(name, `${at} name`), placeholder ?? this.of(held, `${at}.${name}`)];
      }),
    );
  }

  private text(text: string, at: string): string {
    let count = 0;
    return text
      .replace(here, (_, http?: string) => `${http ? 'https://' : ''}backend.example.com`)
      .replace(random, (found) => {
        const known = this.known.get(found) ?? likeIt(found, `${at} ${count++}`);
        this.known.set(found, known);
        return known;
      });
  }
}

function likeIt(found: string, at: string): string {
  const hex = createHash('sha256').update(at).digest('hex');
  if (found.length === 22) return Buffer.from(hex, 'hex').toString('base64url').slice(0, 22);
  if (found.startsWith('a_')) return `a_${hex.slice(0, 16)}`;
  if (!found.includes('-')) return hex;
  if (found.split('-').length === 3) return `${hex.slice(0, 12)}-1a-${hex.slice(12, 20)}`;
  return [hex.slice(0, 8), hex.slice(8, 12), `4${hex.slice(13, 16)}`, `8${hex.slice(17, 20)}`, hex.slice(20, 32)].join(
    '-',
  );
}
