import 'reflect-metadata';
import type { IncomingMessage } from 'node:http';
import { Controller, Headers, HttpCode, Inject, Module, Post, type RawBodyRequest, Req } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { ExpressAdapter, type NestExpressApplication } from '@nestjs/platform-express';
import { Webhook } from 'standardwebhooks';
import { Column, DataSource, Entity, PrimaryColumn } from 'typeorm';
import { SqliteDatabase } from '../../src/storage/database/sqlite-driver.js';
import { webhookSecret } from '../load/deliveries.js';
import type { WirePoint } from '../load/points.js';
import { serve } from '../process/serve.js';
import { prepareFull } from './raw-statements.js';

/*
 * The ordinary design: Nest on Express with `rawBody`, the public library for signatures, and an ORM row that is looked
 * up and saved for everything, with a commit for each save. On its one connection, overlapping saves make each other
 * fail; those responses count as refused.
 */

@Entity('events')
class EventRow {
  @PrimaryColumn('text') id: string;
  @Column('text') type: string;
  @Column('text') payload: string;
}

@Entity('points')
class PointRow {
  @PrimaryColumn('text') user_id: string;
  @PrimaryColumn('text') metric: string;
  @PrimaryColumn('text') ts: string;
  @Column('real') value: number;
  @Column('text') unit: string;
}

interface Event {
  readonly event_type: string;
  readonly user_id: string;
  readonly data: { readonly data: readonly WirePoint[] };
}

const webhook = new Webhook(webhookSecret);

class Receiver {
  constructor(
    private readonly source: DataSource,
    private readonly applies: boolean,
  ) {}

  async receive(id: string, event: Event): Promise<void> {
    const events = this.source.getRepository(EventRow);
    if (await events.findOneBy({ id })) return;
    await events.save({ id, type: event.event_type, payload: JSON.stringify(event) });
    if (!this.applies) return;
    for (const point of event.data.data) await this.savePoint(event, point);
  }

  private async savePoint(event: Event, { timestamp, value, unit }: WirePoint): Promise<void> {
    const points = this.source.getRepository(PointRow);
    const key = { user_id: event.user_id, metric: event.event_type, ts: timestamp };
    const row = (await points.findOneBy(key)) ?? points.create(key);
    await points.save(Object.assign(row, { value, unit }));
  }
}

@Controller()
class OrdinaryController {
  constructor(@Inject(Receiver) private readonly receiver: Receiver) {}

  @Post('webhooks')
  @HttpCode(204)
  async receive(
    @Req() request: RawBodyRequest<IncomingMessage>,
    @Headers() headers: Record<string, string>,
  ): Promise<void> {
    const event = webhook.verify(request.rawBody ?? '', headers) as Event;
    await this.receiver.receive(headers['webhook-id'] ?? '', event);
  }
}

@Module({ controllers: [OrdinaryController] })
class OrdinaryModule {}

async function openSource(database: string): Promise<DataSource> {
  const source = new DataSource({
    type: 'better-sqlite3',
    driver: SqliteDatabase,
    database,
    entities: [EventRow, PointRow],
    synchronize: true,
    prepareDatabase: prepareFull,
  });
  return source.initialize();
}

const commands = {
  async listen({ path, applies }: { path: string; applies: boolean }): Promise<{ port: number }> {
    const receiver = new Receiver(await openSource(path), applies);
    const root = {
      module: OrdinaryModule,
      providers: [{ provide: Receiver, useValue: receiver }],
    };
    const options = { rawBody: true, logger: false } as const;
    const app = await NestFactory.create<NestExpressApplication>(root, new ExpressAdapter(), options);
    await app.listen(0, '127.0.0.1');
    return { port: Number(new URL(await app.getUrl()).port) };
  },
};
export type OrdinaryCommands = typeof commands;

serve(commands);
