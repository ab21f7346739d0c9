import { Module } from '@nestjs/common';
import { ChangeLogModule } from '../../storage/change-log/change-log.module.js';
import { ChangesController } from './changes.controller.js';
import { ConsumersController } from './consumers.controller.js';
import { ConsumersRepository } from './consumers.repository.js';
import { Consumers } from './consumers.service.js';
import { Feed } from './feed.service.js';
import { FeedStream } from './feed.stream.js';
import { FeedAccess } from './feed-access.service.js';
import { FeedEntries } from './feed-entries.service.js';
import { Snapshots } from './snapshots.service.js';

@Module({
  imports: [ChangeLogModule],
  controllers: [ChangesController, ConsumersController],
  providers: [Consumers, ConsumersRepository, Feed, FeedAccess, FeedEntries, FeedStream, Snapshots],
  exports: [FeedEntries],
})
export class FeedModule {}
