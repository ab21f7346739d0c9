import type { FaultRule } from '../../../sandbox/engine/faults.js';
import { Story } from './support/story.js';

type Answer = Omit<FaultRule, 'path'>;

const story = new Story();
const said = story.secrets.text('what upstream said');
const code = story.secrets.known('a code of upstream', `CANARY_${'QWERTZUIOP'.repeat(2)}`);
const json = (status: number, body: unknown): Answer => ({ kind: 'status', status, body: JSON.stringify(body) });
const page = (status: number, body: string, content_type: string): Answer => ({
  kind: 'status',
  status,
  body,
  content_type,
});

/** Ways in which upstream can fail, each with a mark in everything it says. */
const failures: [name: string, answer: Answer][] = [
  ['refuses with a text', json(400, { detail: `${said} is not welcome` })],
  ['refuses with a code', json(400, { detail: { error_type: code, error_message: said, user_id: said } })],
  ['refuses fields', json(422, { detail: [{ loc: ['body', said, code], msg: said, type: said, input: { said } }] })],
  ['refuses an order', json(400, { error: said, message: said, status_code: 400 })],
  ['refuses a refresh', json(400, { success: false, user_id: said, error: said, failed_sources: [said] })],
  ['does not know the key', json(401, { detail: said })],
  ['forbids it', json(403, { detail: said })],
  ['knows nothing', json(404, { detail: said })],
  ['speaks of a conflict', json(409, { detail: { error_type: code, said } })],
  ['asks to slow down', { ...json(429, { detail: said }), retry_after: 30 }],
  ['breaks with a text', page(500, `Traceback: ${said}`, 'text/plain')],
  ['breaks with a page', page(502, `<html><title>${said}</title></html>`, 'text/html')],
  ['is away', json(503, { detail: said })],
  ['answers with a page', page(200, `<html>${said}</html>`, 'text/html')],
  ['answers with half of something', page(200, `{"users": [{"client_user_id": "${said}`, 'application/json')],
  ['answers with a text', page(200, JSON.stringify(said), 'application/json')],
  ['answers with a list', json(200, [said, { [said]: said }])],
  [
    'answers with other things',
    json(200, { groups: said, users: said, [said]: { [said]: said }, next_cursor: { said } }),
  ],
  [
    'answers with things that lack what matters',
    json(200, {
      ...{ user_id: said, client_user_id: said, sign_in_token: { said }, link_token: 7, total: said },
      ...{ groups: { [said]: [{ source: { [said]: said }, data: [{ value: said }] }] }, sleep: [{ remark: said }] },
      ...{ orders: [{ id: said, status: said }], order: { id: said }, results: [said], metadata: said, id: said },
    }),
  ],
  ['sends another type for a PDF', page(200, said, `application/${said}`)],
  ['hangs up', { kind: 'drop_before' }],
  ['hangs up after it has worked', { kind: 'drop_after' }],
  ['hangs up in the middle', { kind: 'truncate' }],
];

describe('no text of upstream is in a log, a metric or an error', () => {
  beforeAll(async () => {
    await story.begin();
    await story.signsUp();
    await story.measures();
    await story.orders();
    await story.resultsCome();
    await story.watched.leaks();
  });

  afterEach(async () => {
    await story.app.sandbox.control.clearFaults();
    await story.app.advance(3_600);
    await story.watched.leaks();
  });

  afterAll(() => story.close());

  it.each(failures)('when it %s', async (_, answer) => {
    const { control } = story.app.sandbox;
    await control.fault({ ...answer, path: '/v' });
    await control.send({ event_type: 'provider.connection.created', user_id: null, envelope: false, data: stranger() });
    await story.app.settle();
    const statuses = await story.asksForMuch();
    await story.app.advance(7_200, 4);
    expect(statuses.filter((status) => status >= 400).length).toBeGreaterThan(3);
    expect(story.watched.logged()).toEqual(expect.arrayContaining(['upstream.request_failed', 'http.request_failed']));
    expect(await story.watched.leaks()).toEqual([]);
  });

  /** An event of somebody who is not known here, so that upstream is asked. */
  function stranger(): object {
    const user_id = '00000000-0000-4000-8000-00000000ca9a';
    return { event_type: 'provider.connection.created', user_id, client_user_id: said, data: { remark: said } };
  }
});
