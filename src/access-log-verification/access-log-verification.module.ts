import { Module } from '@nestjs/common';
import { AccessLogModule } from '../access-log/access-log.module.js';
import { ChainVerifier } from './chain-verifier.js';
import { CheckpointKeysController } from './checkpoint-keys.controller.js';
import { CheckpointsWorker } from './checkpoints.worker.js';
import { VerificationController } from './verification.controller.js';
import { AccessLogVerification } from './verification.service.js';
import { VerificationTelemetry } from './verification.telemetry.js';
import { VerificationWorker } from './verification.worker.js';

@Module({
  imports: [AccessLogModule],
  controllers: [VerificationController, CheckpointKeysController],
  providers: [ChainVerifier, VerificationTelemetry, AccessLogVerification, VerificationWorker, CheckpointsWorker],
})
export class AccessLogVerificationModule {}
