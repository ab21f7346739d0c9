import { Module } from '@nestjs/common';
import { Transport } from '../upstream-transport/transport.js';
import { TransportTuning } from '../upstream-transport/tuning.js';
import { UpstreamClient } from './upstream.client.js';

/** Needs the sections of ConfigModule and the platform's clock, log, metrics and network gate as global providers. */
@Module({ providers: [TransportTuning, Transport, UpstreamClient], exports: [UpstreamClient] })
export class UpstreamModule {}
