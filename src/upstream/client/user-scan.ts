import { AppError } from '../../platform/platform/errors.js';

/** Upstream's largest page. */
const PAGE_SIZE = 500;
/** Overlap of two pages: this many users may disappear between two calls without another being skipped. */
const OVERLAP = 50;
const MAX_PASSES = 3;

export interface ListedUsers {
  readonly users: readonly { readonly user_id: string }[];
  /** Number of listed users, including unreadable ones. */
  readonly listed: number;
  readonly total: number;
}

/** Position and size of a page in upstream's list of users, and whether it joins the pages before it. */
export interface ReadPage {
  readonly offset: number;
  readonly received: number;
  readonly total: number;
  /** True if no user can be missing before this page: it shares a user with earlier ones, or it is the first. */
  readonly joined: boolean;
}

/**
 * Offset of the next page; null after the last. Offsets shift while users are added and deleted
 * (docs/upstream/users.md#list), so pages overlap, but never so much that the walk makes no progress. After a page that
 * does not join the earlier ones, the walk goes back.
 */
export function nextOffset(page: ReadPage, { size, overlap }: { size: number; overlap: number }): number | null {
  const { offset, received, total, joined } = page;
  if (received > 0 && offset > 0 && !joined) return Math.max(0, offset - size);
  const reached = offset + received;
  return received > 0 && reached < total ? reached - Math.min(overlap, Math.floor(received / 2)) : null;
}

export type ListUsers = (page: { offset: number; limit: number }) => Promise<ListedUsers>;

/**
 * Reads upstream's complete list of users and calls `visit` for each, for some more than once. Repeats a walk that saw
 * fewer users than upstream counted, and throws `upstream_contract` if that does not help, because users may have been
 * skipped.
 */
export async function scanUsers(list: ListUsers, visit: (userId: string) => void): Promise<void> {
  for (let pass = 1; pass <= MAX_PASSES; pass++) if (await isWholePass(list, visit)) return;
  throw new AppError('upstream_contract', "Upstream's list of users could not be read completely.");
}

async function isWholePass(list: ListUsers, visit: (userId: string) => void): Promise<boolean> {
  const seen = new Set<string>();
  let least = Number.POSITIVE_INFINITY;
  let unread = 0;
  let backwards = 0;
  for (let offset = 0; ; ) {
    const { users, listed, total } = await list({ offset, limit: PAGE_SIZE });
    least = Math.min(least, total);
    unread += listed - users.length;
    const joined = offset === 0 || users.length === 0 || users.some(({ user_id }) => seen.has(user_id));
    for (const { user_id } of users) {
      seen.add(user_id);
      visit(user_id);
    }
    if (!joined && ++backwards > MAX_PASSES) return false;
    const next = nextOffset({ offset, received: listed, total, joined }, { size: PAGE_SIZE, overlap: OVERLAP });
    if (next === null) return unread === 0 && seen.size >= least;
    offset = next;
  }
}
