import { Module } from '@nestjs/common';
import { ProviderHoursRepository } from './provider-hours.repository.js';
import { ProviderHours } from './provider-hours.service.js';

@Module({ providers: [ProviderHoursRepository, ProviderHours], exports: [ProviderHours] })
export class ProviderHoursModule {}
