import { Module } from '@nestjs/common';
import { Admission } from './admission.service.js';
import { AdmissionTelemetry } from './admission.telemetry.js';
import { PlaceInterceptor } from './place.interceptor.js';

/** Credentials, quotas and places of requests. */
@Module({ providers: [AdmissionTelemetry, Admission, PlaceInterceptor], exports: [Admission, PlaceInterceptor] })
export class AdmissionModule {}
