import { Module } from '@nestjs/common';
import { AccessLogModule } from '../access-log/access-log.module.js';
import { ChainVerifier } from './chain-verifier.js';
import { VerificationController } from './verification.controller.js';
import { AccessLogVerification } from './verification.service.js';
import { VerificationTelemetry } from './verification.telemetry.js';

@Module({
  imports: [AccessLogModule],
  controllers: [VerificationController],
  providers: [ChainVerifier, VerificationTelemetry, AccessLogVerification],
})
export class AccessLogVerificationModule {}
