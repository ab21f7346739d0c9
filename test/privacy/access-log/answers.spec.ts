import { Readable } from 'node:stream';
import { Controller, Get, Header, Module, Post, StreamableFile } from '@nestjs/common';
import { ForOperators, Role } from '../../../src/http/auth/admin-auth.guard.js';
import { MayReadValues } from '../../../src/http/auth/caller.js';
import { Reader } from '../../../src/storage/database/reader.js';
import { adminKeys, nowhere } from '../../support/environment.js';
import { TestApp } from '../../support/test-app.js';
import { until } from '../../support/until.js';

const order = '0d1c8a5e-0000-4000-8000-00000000000a';

/** Answers of every kind. */
@ForOperators()
@Controller('admin')
class AnswersController {
  static closed = 0;
  static read = 0;

  constructor(private readonly reader: Reader) {}

  @Get('stream')
  @Role('reader')
  @Header('content-disposition', 'attachment; filename="values"')
  stream(): StreamableFile {
    const { reader } = this;
    const values = new Readable({
      read() {
        AnswersController.read += 1;
        void reader.rows('SELECT id FROM access_log_pending').then((rows) => {
          this.push(`${rows.length} entry before the first byte`);
          this.push(null);
        });
      },
      destroy(error, done) {
        AnswersController.closed += 1;
        done(error);
      },
    });
    return new StreamableFile(values, { type: 'application/pdf', length: 30 });
  }

  @Get('more')
  @Role('viewer')
  more(@MayReadValues() values: boolean): { values: boolean } {
    return { values };
  }

  @Get('crash')
  @Role('reader')
  crash(): never {
    throw new Error('planned');
  }

  @Get('orders/:order_id/result')
  @Role('reader')
  result(): object {
    return {};
  }

  @Get('order-transactions/:id')
  @Role('reader')
  transaction(): object {
    return {};
  }

  @Get('messages/:message_id')
  @Role('reader')
  message(): object {
    return {};
  }

  @Post('nothing')
  @Role('operator')
  nothing(): void {
    // An act without an answer.
  }
}

@Module({ controllers: [AnswersController] })
class AnswersModule {}

describe('an answer', () => {
  let service: TestApp;

  beforeAll(async () => {
    service = await TestApp.create({ modules: [AnswersModule], upstream: { url: nowhere } });
  });

  afterAll(() => service.close());

  const get = (path: string, role: keyof typeof adminKeys = 'reader', method: 'GET' | 'POST' | 'HEAD' = 'GET') =>
    service.pulsekeep.app.inject({
      method,
      url: `/admin/${path}`,
      headers: { authorization: `Bearer ${adminKeys[role]}` },
    });
  const entries = async (): Promise<
    { action: string; status: number; account_ref: number | null; target: string | null }[]
  > => {
    await service.chainAccesses();
    return service.store.reader.rows('SELECT action, status, account_ref, target FROM access_log ORDER BY seq');
  };
  const newest = async () => (await entries()).at(-1);
  const execute = (sql: string, values: (string | number)[] = []): Promise<number> =>
    service.store.lane.run((tx) => tx.execute(sql, values));

  it('that is a stream is recorded before its first byte', async () => {
    await entries();
    const answer = await get('stream');
    expect([answer.statusCode, answer.body]).toEqual([200, '1 entry before the first byte']);
    expect(await newest()).toMatchObject({ action: 'GET /admin/stream', status: 200 });
  });

  it('that is a stream and cannot be recorded is closed unread, without leftovers', async () => {
    await execute('ALTER TABLE access_log_pending RENAME TO hidden_log');
    const closed = AnswersController.closed;
    const answer = await get('stream');
    await execute('ALTER TABLE hidden_log RENAME TO access_log_pending');
    expect(AnswersController.closed).toBe(closed + 1);
    expect([answer.statusCode, answer.json<{ code: string }>().code]).toEqual([503, 'storage_unavailable']);
    expect(answer.headers['content-disposition']).toBeUndefined();
    expect(answer.headers['content-type']).toBe('application/problem+json');
    expect(answer.headers['content-length']).toBe(String(answer.body.length));
    expect(answer.headers['x-request-id']).toBeDefined();
  });

  it('that shows readers more than viewers is recorded for readers', async () => {
    const before = (await entries()).length;
    expect((await get('more', 'viewer')).json()).toEqual({ values: false });
    expect(await entries()).toHaveLength(before);
    for (const role of ['reader', 'operator'] as const)
      expect((await get('more', role)).json()).toEqual({ values: true });
    expect(await entries()).toHaveLength(before + 2);
  });

  it('that is an internal error is recorded as one', async () => {
    expect((await get('crash')).statusCode).toBe(500);
    expect(await newest()).toMatchObject({ action: 'GET /admin/crash', status: 500 });
  });

  it('to HEAD is recorded as one', async () => {
    expect((await get('crash', 'reader', 'HEAD')).statusCode).toBe(500);
    expect(await newest()).toMatchObject({ action: 'HEAD /admin/crash', status: 500 });
  });

  it('to HEAD that would be a stream is recorded, and the stream is closed unread', async () => {
    const { closed, read } = AnswersController;
    const answer = await get('stream', 'reader', 'HEAD');
    expect([answer.statusCode, answer.body, answer.headers['content-type']]).toEqual([200, '', 'application/pdf']);
    expect(await newest()).toMatchObject({ action: 'HEAD /admin/stream', status: 200 });
    await until(async () => AnswersController.closed > closed);
    expect([AnswersController.closed, AnswersController.read]).toEqual([closed + 1, read]);
  });

  it('without a body is recorded with its act', async () => {
    expect((await get('nothing', 'operator', 'POST')).statusCode).toBe(201);
    expect((await entries()).slice(-2).map(({ status }) => status)).toEqual([102, 201]);
  });

  it('about an object of an account is recorded with the account', async () => {
    await execute(
      `INSERT INTO accounts (account_id, status, created_at, updated_at) VALUES ('owner', 'pending', 1, 1)`,
    );
    const owner = await service.store.reader.row<{ id: number }>(`SELECT id FROM accounts WHERE account_id = 'owner'`);
    const id = Number(owner?.id);
    await execute(
      'INSERT INTO orders (order_id, account_id, created_at, version, observed_at, stored_at) VALUES (?, ?, 1, 1, 1, 1)',
      [order, id],
    );
    await execute(
      `INSERT INTO order_transactions (order_transaction_id, account_id, created_at, version, observed_at)
       VALUES (?, ?, 1, 1, 1)`,
      [order, id],
    );
    await execute(
      `INSERT INTO messages (seq, message_id, account_id, received_at, sent_at, status, attempts, size)
       VALUES (1, 'msg_1', ?, 1, 1, 'done', 1, 1)`,
      [id],
    );
    for (const path of [`orders/${order}/result`, `order-transactions/${order.toUpperCase()}`, 'messages/msg_1']) {
      expect((await get(path)).statusCode).toBe(200);
      expect(await newest()).toMatchObject({ account_ref: id });
    }
  });

  it.each(['orders/none/result', 'messages/anna%40example.com', 'messages/%00', 'messages/%ED%A0%80'])(
    'about no account, as %s, is recorded without account and target, if it gets that far',
    async (path) => {
      const before = (await entries()).length;
      const { statusCode } = await get(path);
      const entry = await newest();
      if ((await entries()).length === before) return expect(statusCode).toBe(400);
      expect(entry?.account_ref).toBeNull();
      expect(JSON.stringify(entry)).not.toContain('anna');
    },
  );
});
