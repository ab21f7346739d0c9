import { BrokenTable } from './support/broken-table.js';
import { Story } from './support/story.js';

const story = new Story();
const said = story.secrets.text('what the database said');

/** Tables that a person's story writes to, each with what must be seen to fail when it takes nothing. */
const tables: [table: string, seen: string][] = [
  ['accounts', 'http.request_failed'],
  ['token_issues', 'http.request_failed'],
  ['link_attempts', 'http.request_failed'],
  ['messages', 'webhook.refused'],
  ['message_bodies', 'webhook.refused'],
  ['observations', 'inbox.message_deferred'],
  ['samples', 'inbox.message_deferred'],
  ['summaries', 'inbox.message_deferred'],
  ['sync_tasks', 'http.request_failed'],
  ['orders', 'http.request_failed'],
  ['order_transactions', 'http.request_failed'],
  ['idempotency_keys', 'http.request_failed'],
  ['lab_results', 'http.request_failed'],
  ['access_log_pending', 'access_log.not_stored'],
];

describe('no value of a failed write is in a log, a metric or an error', () => {
  beforeAll(async () => {
    await story.begin();
    await story.signsUp();
    await story.measures();
    await story.orders();
    await story.resultsCome();
    await story.watched.leaks();
  });

  afterAll(() => story.close());

  it.each(tables)('when the table %s refuses writes', async (table, seen) => {
    const broken = new BrokenTable(story.app.pulsekeep.store, table, said);
    await story.app.settle();
    await broken.break();
    await story.measures();
    const statuses = await story.asksForMuch();
    await story.app.pulsekeep.workers.runUntilIdle().catch(() => undefined);
    await broken.mend();
    expect(story.watched.logged()).toContain(seen);
    expect(statuses.length).toBeGreaterThan(10);
    expect(await story.watched.leaks()).toEqual([]);
    await story.app.advance(120);
  });
});
