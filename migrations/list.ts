import { Foundation1763600000000 } from './1763600000000-foundation.js';
import { AccessLog1763700000000 } from './1763700000000-access-log.js';
import { OrderPlacements1763700100000 } from './1763700100000-order-placements.js';
import { LabResults1763700200000 } from './1763700200000-lab-results.js';
import { WorkoutStreams1763700300000 } from './1763700300000-workout-streams.js';
import { SettledCoverage1763700400000 } from './1763700400000-settled-coverage.js';
import { Inspection1763700500000 } from './1763700500000-inspection.js';
import { AccountImports1763700600000 } from './1763700600000-account-imports.js';
import { Recoveries1763700700000 } from './1763700700000-recoveries.js';
import { Erasure1763700800000 } from './1763700800000-erasure.js';
import { TokenSwitch1763700900000 } from './1763700900000-token-switch.js';
import { ForeignMessages1763700910000 } from './1763700910000-foreign-messages.js';
import { PlainNames1763701400000 } from './1763701400000-plain-names.js';
import { WorkQueues1763701500000 } from './1763701500000-work-queues.js';
import { PlainNamesOfPulls1763701600000 } from './1763701600000-plain-names-of-pulls.js';
import { KeyOfASample1763701700000 } from './1763701700000-key-of-a-sample.js';
import { MoreRoles1763701710000 } from './1763701710000-more-roles.js';
import { OwnerLookups1763701800000 } from './1763701800000-owner-lookups.js';
import { AvailabilityInput1763701900000 } from './1763701900000-availability-input.js';
import { UnreadableOrders1763701910000 } from './1763701910000-unreadable-orders.js';
import { RelinkedAccounts1763701920000 } from './1763701920000-relinked-accounts.js';
import { Alarms1763702000000 } from './1763702000000-alarms.js';
import { Lag1763702010000 } from './1763702010000-lag.js';
import { RejectedRecords1763702100000 } from './1763702100000-rejected-records.js';
import { AppointmentBookings1763702200000 } from './1763702200000-appointment-bookings.js';
import { ProviderHours1763702300000 } from './1763702300000-provider-hours.js';
import { KeptOfUser1763702400000 } from './1763702400000-kept-of-user.js';
import { EndlessPages1763702700000 } from './1763702700000-endless-pages.js';
import { ReasonsOfAccess1763702900000 } from './1763702900000-reasons-of-access.js';
import { ErasureFences1763703100000 } from './1763703100000-erasure-fences.js';
import { Pseudonyms1763703110000 } from './1763703110000-pseudonyms.js';
import { UnusedObservations1763703300000 } from './1763703300000-unused-observations.js';
import { PromisedPulls1763703800000 } from './1763703800000-promised-pulls.js';
import { LogRefs1763703900000 } from './1763703900000-log-refs.js';
import { PersonKeys1763703910000 } from './1763703910000-person-keys.js';
import { SampleGroups1763704000000 } from './1763704000000-sample-groups.js';
import { Arrivals1763704100000 } from './1763704100000-arrivals.js';

/** In order; a shipped one never changes. */
export const migrations = [
  Foundation1763600000000,
  AccessLog1763700000000,
  OrderPlacements1763700100000,
  LabResults1763700200000,
  WorkoutStreams1763700300000,
  SettledCoverage1763700400000,
  Inspection1763700500000,
  AccountImports1763700600000,
  Recoveries1763700700000,
  Erasure1763700800000,
  TokenSwitch1763700900000,
  ForeignMessages1763700910000,
  PlainNames1763701400000,
  WorkQueues1763701500000,
  PlainNamesOfPulls1763701600000,
  KeyOfASample1763701700000,
  MoreRoles1763701710000,
  OwnerLookups1763701800000,
  AvailabilityInput1763701900000,
  UnreadableOrders1763701910000,
  RelinkedAccounts1763701920000,
  Alarms1763702000000,
  Lag1763702010000,
  RejectedRecords1763702100000,
  AppointmentBookings1763702200000,
  ProviderHours1763702300000,
  KeptOfUser1763702400000,
  EndlessPages1763702700000,
  ReasonsOfAccess1763702900000,
  ErasureFences1763703100000,
  Pseudonyms1763703110000,
  UnusedObservations1763703300000,
  PromisedPulls1763703800000,
  LogRefs1763703900000,
  PersonKeys1763703910000,
  SampleGroups1763704000000,
  Arrivals1763704100000,
];
