import { Module } from '@nestjs/common';
import { AccessLogModule } from '../access-log/access-log.module.js';
import { AccountsModule } from '../accounts/accounts.module.js';
import { AuditInterceptor } from './audit.interceptor.js';
import { RequestRecorder } from './request-recorder.js';
import { SubjectReader } from './subject.reader.js';

/**
 * Records requests in the access log. The interceptor and the hook on answers are added by `registerRecordedAnswers`.
 */
@Module({
  imports: [AccessLogModule, AccountsModule],
  providers: [SubjectReader, RequestRecorder, AuditInterceptor],
})
export class RequestAuditModule {}
