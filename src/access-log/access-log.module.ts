import { Module } from '@nestjs/common';
import { AccountsModule } from '../accounts/accounts.module.js';
import { AccessLogEvents } from './access-log.events.js';
import { AccessLogRepository } from './access-log.repository.js';
import { AccessLog } from './access-log.service.js';
import { AboutReader } from './recording/about.reader.js';
import { ActInterceptor } from './recording/act.interceptor.js';
import { RequestRecorder } from './recording/request-recorder.js';

@Module({
  imports: [AccountsModule],
  providers: [AccessLogEvents, AccessLogRepository, AccessLog, AboutReader, RequestRecorder, ActInterceptor],
  exports: [AccessLog],
})
export class AccessLogModule {}
