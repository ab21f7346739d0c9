import { Module } from '@nestjs/common';
import { Admission } from './admission.service.js';
import { AdmissionTelemetry } from './admission.telemetry.js';

/** Who is let in, and how much of it: before any body is read. */
@Module({ providers: [AdmissionTelemetry, Admission], exports: [Admission] })
export class AdmissionModule {}
