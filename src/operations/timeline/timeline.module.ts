import { Module } from '@nestjs/common';
import { AccountsModule } from '../../accounts/accounts/accounts.module.js';
import { TimelineController } from './timeline.controller.js';
import { TimelineReader } from './timeline.reader.js';
import { TimelineService } from './timeline.service.js';

@Module({
  imports: [AccountsModule],
  controllers: [TimelineController],
  providers: [TimelineReader, TimelineService],
})
export class TimelineModule {}
