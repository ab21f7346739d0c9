import { Module } from '@nestjs/common';
import { Budget } from '../transport/budget.js';
import { Transport } from '../transport/transport.js';
import { TransportTuning } from '../transport/tuning.js';
import { UnreadableItems } from '../transport/unreadable-items.js';
import { AppointmentsClient } from './appointments.client.js';
import { UnmatchedResultsClient } from './unmatched-results.client.js';
import { UpstreamClient } from './upstream.client.js';

/** Needs the sections of ConfigModule and the platform's clock, log, metrics and network gate as global providers. */
@Module({
  providers: [
    TransportTuning,
    Budget,
    UnreadableItems,
    Transport,
    UpstreamClient,
    AppointmentsClient,
    UnmatchedResultsClient,
  ],
  exports: [Budget, Transport, UnreadableItems, UpstreamClient, AppointmentsClient, UnmatchedResultsClient],
})
export class UpstreamModule {}
