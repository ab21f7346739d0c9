import { Module } from '@nestjs/common';
import { Transport } from '../transport/transport.js';
import { TransportTuning } from '../transport/tuning.js';
import { UnreadableItems } from '../transport/unreadable-items.js';
import { AppointmentsClient } from './appointments.client.js';
import { UnmatchedResultsClient } from './unmatched-results.client.js';
import { UpstreamClient } from './upstream.client.js';

/** Needs the sections of ConfigModule and the platform's clock, log, metrics and network gate as global providers. */
@Module({
  providers: [TransportTuning, UnreadableItems, Transport, UpstreamClient, AppointmentsClient, UnmatchedResultsClient],
  exports: [Transport, UnreadableItems, UpstreamClient, AppointmentsClient, UnmatchedResultsClient],
})
export class UpstreamModule {}
