import { AccountAdminModule } from '../../../src/account-admin/account-admin.module.js';
import { PullAdminModule } from '../../../src/pull-admin/pull-admin.module.js';
import { PullsModule } from '../../../src/pulls/pulls.module.js';
import { RecoveriesModule } from '../../../src/recoveries/recoveries.module.js';
import { SourcePollsModule } from '../../../src/source-polls/source-polls.module.js';
import { WorkoutSeriesModule } from '../../../src/workout-series/workout-series.module.js';

/** Everything that pulls. */
export const syncModules = [
  AccountAdminModule,
  PullsModule,
  SourcePollsModule,
  WorkoutSeriesModule,
  PullAdminModule,
  RecoveriesModule,
];
