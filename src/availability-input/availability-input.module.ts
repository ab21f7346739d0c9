import { Module } from '@nestjs/common';
import { UpstreamModule } from '../upstream/upstream.module.js';
import { AvailabilityInputRepository } from './availability-input.repository.js';
import { AvailabilityInputService } from './availability-input.service.js';

@Module({
  imports: [UpstreamModule],
  providers: [AvailabilityInputRepository, AvailabilityInputService],
  exports: [AvailabilityInputService],
})
export class AvailabilityInputModule {}
