import { Module } from '@nestjs/common';
import { TransportTuning } from './http/tuning.js';
import { Transport } from './transport.js';
import { UpstreamClient } from './upstream.client.js';

/** Needs the sections of ConfigModule and the platform's clock, log, metrics and network gate as global providers. */
@Module({ providers: [TransportTuning, Transport, UpstreamClient], exports: [UpstreamClient] })
export class UpstreamModule {}
