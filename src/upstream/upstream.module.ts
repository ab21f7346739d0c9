import { Module } from '@nestjs/common';
import { AppointmentsClient } from './client/appointments.client.js';
import { UnmatchedResultsClient } from './client/unmatched-results.client.js';
import { UpstreamClient } from './client/upstream.client.js';
import { Budget } from './transport/budget.js';
import { Transport } from './transport/transport.js';
import { TransportTuning } from './transport/transport-tuning.js';
import { UnreadableItems } from './transport/unreadable-items.js';

/** The client of upstream and the call budget that all calls share. */
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
