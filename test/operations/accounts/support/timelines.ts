import { type TimelineKind, timelineKinds } from '../../../../src/storage/declarations/timeline.js';
import { TestApp } from '../../../support/test-app.js';
import { day, type Happening, Happenings } from './happenings.js';

export const minute = 60_000;

export interface Entry {
  at: string;
  kind: TimelineKind;
  title: string;
  ref: { type: string; id: string };
  details: Record<string, unknown>;
}

export interface Page {
  data: Entry[];
  next_cursor: string | null;
}

/** Of the spec that called `openTimelines`. */
export let app: TestApp;
export let now: number;
export let happenings: Happenings;
/** `accounts.id` of the account of a test; a stranger has the next. */
export let account: number;

/** One application for the tests of a spec, and an account and a stranger for each of them. */
export function openTimelines(): void {
  beforeAll(async () => {
    account = -1;
    app = await TestApp.create();
    now = app.clock.now();
    happenings = new Happenings(app.store, now - 30 * day);
  });

  afterAll(() => app.close());

  beforeEach(async () => {
    account += 2;
    await happenings.account(account, now - 9 * day);
    await happenings.account(account + 1, now - 9 * day);
  });
}

export const kinds = timelineKinds.filter((kind): kind is Happening => !kind.startsWith('account_'));
export const iso = (ms: number): string => new Date(ms).toISOString();

export async function page(query: string): Promise<Page> {
  const path = `/accounts/account-${account}/timeline?${query}`;
  const { status, body } = await app.admin<Page>('GET', path, undefined, 'viewer');
  expect(status).toBe(200);
  return body;
}

/** `times` of everything at one instant, which is more than one page of any kind. */
export async function everything(at: number, times = 1): Promise<void> {
  for (const kind of kinds) for (let time = 0; time < times; time++) await happenings.all[kind](at, account);
}
